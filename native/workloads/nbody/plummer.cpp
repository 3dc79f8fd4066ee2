// SPDX-License-Identifier: Apache-2.0
#include "nbody/plummer.hpp"

#include <cmath>
#include <numbers>

namespace fairlead::nbody {

namespace {

constexpr double kLargestRadius = 10.0;

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

// A vector of that length in a random direction.
Vector isotropic(ParticleRandom& random, double length) {
    const double z = 2.0 * random() - 1.0;
    const double azimuth = 2.0 * std::numbers::pi * random();
    const double in_plane = std::sqrt(1.0 - z * z);
    return {length * in_plane * std::cos(azimuth), length * in_plane * std::sin(azimuth), length * z};
}

double radius(ParticleRandom& random) {
    for (;;) {
        // The fraction of the mass within r is (1 + r^-2)^(-3/2); a draw of 0 gives radius 0.
        const double enclosed = random();
        const double drawn = enclosed > 0.0 ? 1.0 / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1.0) : 0.0;
        if (drawn <= kLargestRadius) {
            return drawn;
        }
    }
}

// Speed as a fraction of the escape speed: density q^2 (1 - q^2)^(7/2), by rejection under its maximum (0.092...).
double escape_fraction(ParticleRandom& random) {
    for (;;) {
        const double fraction = random();
        if (0.1 * random() < fraction * fraction * std::pow(1.0 - fraction * fraction, 3.5)) {
            return fraction;
        }
    }
}

}  // namespace

ParticleRandom::ParticleRandom(std::uint64_t seed, std::uint64_t particle) : state_(mix(seed) ^ mix(~particle)) {}

std::uint64_t ParticleRandom::bits() {
    state_ += 0x9e3779b97f4a7c15;
    return mix(state_);
}

double ParticleRandom::operator()() {
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

std::vector<Particle> plummer_sphere(int count, std::uint64_t seed) {
    std::vector<Particle> particles;
    particles.reserve(static_cast<std::size_t>(count));
    Vector mean_position{};
    Vector mean_velocity{};
    for (int i = 0; i < count; ++i) {
        ParticleRandom random(seed, static_cast<std::uint64_t>(i));
        const double r = radius(random);
        const Vector position = isotropic(random, r);
        const double escape_speed = std::sqrt(2.0) * std::pow(1.0 + r * r, -0.25);
        const Vector velocity = isotropic(random, escape_speed * escape_fraction(random));
        particles.push_back({position, velocity, 1.0 / count});
        for (std::size_t axis = 0; axis < 3; ++axis) {
            mean_position[axis] += position[axis] / count;
            mean_velocity[axis] += velocity[axis] / count;
        }
    }
    for (Particle& particle : particles) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            particle.position[axis] -= mean_position[axis];
            particle.velocity[axis] -= mean_velocity[axis];
        }
    }
    return particles;
}

}  // namespace fairlead::nbody
