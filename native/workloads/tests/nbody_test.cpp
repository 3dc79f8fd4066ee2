// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nbody/forces.hpp"
#include "nbody/plummer.hpp"
#include "nbody/verify.hpp"

namespace fairlead::nbody {
namespace {

struct Coordinates {
    std::vector<double> x, y, z, mass;
    Sources sources(std::size_t first, std::size_t count) const {
        const auto part = [&](const std::vector<double>& all) { return std::span(all).subspan(first, count); };
        return {part(x), part(y), part(z), part(mass)};
    }
};

Coordinates sphere(int count) {
    Coordinates c;
    for (const Particle& particle : plummer_sphere(count, 7)) {
        c.x.push_back(particle.position[0]);
        c.y.push_back(particle.position[1]);
        c.z.push_back(particle.position[2]);
        c.mass.push_back(particle.mass);
    }
    return c;
}

TEST(Plummer, DependsOnTheSeedOnlyAndRests) {
    const auto first = plummer_sphere(500, 3);
    const auto again = plummer_sphere(500, 3);
    const auto other = plummer_sphere(500, 4);
    EXPECT_EQ(first[17].position, again[17].position);
    EXPECT_NE(first[17].position, other[17].position);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double position = 0.0, velocity = 0.0;
        for (const Particle& particle : first) {
            position += particle.position[axis];
            velocity += particle.velocity[axis];
        }
        EXPECT_NEAR(position, 0.0, 1e-11);
        EXPECT_NEAR(velocity, 0.0, 1e-11);
    }
}

TEST(Plummer, HasTheEnergiesOfTheModel) {
    // Unsoftened model, mass and radius 1: kinetic 3 pi / 64, potential -3 pi / 32; the cut at radius 10 changes both
    // by some percent, and 4000 particles scatter by about one.
    const auto particles = plummer_sphere(4000, 1);
    double kinetic = 0.0, half_mass = 0.0;
    for (const Particle& particle : particles) {
        const Vector& v = particle.velocity;
        kinetic += 0.5 * particle.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const Vector& r = particle.position;
        half_mass += std::hypot(r[0], r[1], r[2]) < 1.3048 ? particle.mass : 0.0;  // the model's half-mass radius
    }
    EXPECT_NEAR(kinetic, 3.0 * M_PI / 64.0, 0.01);
    EXPECT_NEAR(half_mass, 0.5, 0.03);
}

TEST(Forces, OfTwoParticlesAreNewtonsSoftened) {
    const Coordinates c{.x = {0.0, 3.0}, .y = {0.0, 0.0}, .z = {0.0, 4.0}, .mass = {1.0, 2.0}};
    Field field(1);
    add_forces(c.sources(0, 1), c.sources(1, 1), 0.0, field);
    EXPECT_DOUBLE_EQ(field.x[0], 2.0 * 3.0 / 125.0);
    EXPECT_DOUBLE_EQ(field.y[0], 0.0);
    EXPECT_DOUBLE_EQ(field.z[0], 2.0 * 4.0 / 125.0);
    EXPECT_DOUBLE_EQ(field.potential[0], -2.0 / 5.0);
    field.clear();
    add_forces(c.sources(0, 1), c.sources(1, 1), 12.0, field);
    EXPECT_DOUBLE_EQ(field.potential[0], -2.0 / 13.0);
}

TEST(Forces, BlockByBlockEqualTheDirectSum) {
    const Coordinates c = sphere(300);
    constexpr std::size_t kBlock = 75;
    std::vector<Vector> computed;
    std::vector<std::size_t> targets;
    for (std::size_t own = 0; own < 300; own += kBlock) {
        Field field(kBlock);
        for (std::size_t hop = 0; hop < 4; ++hop) {  // the order in which the ring brings them
            add_forces(c.sources(own, kBlock), c.sources((own + 300 - hop * kBlock) % 300, kBlock), 0.05, field);
        }
        for (std::size_t i = 0; i < kBlock; ++i) {
            computed.push_back({field.x[i], field.y[i], field.z[i]});
            targets.push_back(own + i);
        }
    }
    const auto reference = direct_sum(c.sources(0, 300), targets, 0.05);
    EXPECT_LT(direct_sum_error(computed, reference), 1e-13);
    computed[200][1] += 1e-6;
    EXPECT_GT(direct_sum_error(computed, reference), 1e-8);
    computed[200][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(direct_sum_error(computed, reference)));
}

TEST(SpreadSample, CoversTheRangeEvenly) {
    EXPECT_EQ(spread_sample(3, 10), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(spread_sample(100, 4), (std::vector<std::size_t>{0, 25, 50, 75}));
}

TEST(Verify, RejectsEachViolation) {
    const Invariants start{.momentum = {0.0, 0.0, 0.0}, .momentum_scale = 1.0, .energy = -0.15};
    const Outcome good{.start = start, .end = start, .direct_error = 1e-14, .payload_errors = 0};
    EXPECT_TRUE(verify(good).verified);
    Outcome bad = good;
    bad.direct_error = 1e-9;
    EXPECT_FALSE(verify(bad).verified);
    bad = good;
    bad.end.momentum[2] = 1e-9;
    EXPECT_FALSE(verify(bad).verified);
    bad = good;
    bad.end.energy = -0.1501;
    EXPECT_FALSE(verify(bad).verified);
    bad = good;
    bad.payload_errors = 1;
    EXPECT_FALSE(verify(bad).verified);
    bad = good;
    bad.end.energy = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(verify(bad).verified);
}

}  // namespace
}  // namespace fairlead::nbody
