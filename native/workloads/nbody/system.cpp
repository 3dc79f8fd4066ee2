// SPDX-License-Identifier: Apache-2.0
#include "nbody/system.hpp"

#include <mpi.h>

#include <array>
#include <cmath>
#include <limits>

#include "common/mpi.hpp"

namespace fairlead::nbody {

namespace {

// Particles whose acceleration is held against the direct sum; each costs a sum over all particles.
constexpr std::size_t kDirectSample = 1024;

int first_particle(int particles) {
    return Ring::block_start(particles, size_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD));
}

}  // namespace

std::vector<Particle> System::own_particles(const Setup& setup) {
    const std::vector<Particle> all = plummer_sphere(setup.particles, setup.seed);
    const int end = Ring::block_start(setup.particles, size_of(MPI_COMM_WORLD), rank_of(MPI_COMM_WORLD) + 1);
    return {all.begin() + first_particle(setup.particles), all.begin() + end};
}

Block System::own_block(const Setup& setup, const std::vector<Particle>& particles) {
    Block block(particles.size(), setup.payload_B);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            block.component(axis)[i] = particles[i].position[axis];
        }
        block.component(3)[i] = particles[i].mass;
    }
    // Another sequence than any that made a particle.
    ParticleRandom random(~setup.seed, static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD)));
    for (double& word : block.payload()) {
        word = random();
    }
    return block;
}

System::System(const Setup& setup) : System(setup, own_particles(setup)) {}

System::System(const Setup& setup, const std::vector<Particle>& particles)
    : setup_(setup),
      own_(own_block(setup, particles)),
      field_(own_.count()),
      ring_(setup.particles, setup.softening, own_) {
    for (const Particle& particle : particles) {
        velocity_.push_back(particle.velocity);
    }
    ring_.forces(own_, field_);
}

void System::kick(double time) {
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
        velocity_[i][0] += time * field_.x[i];
        velocity_[i][1] += time * field_.y[i];
        velocity_[i][2] += time * field_.z[i];
    }
}

void System::drift(double time) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::span<double> position = own_.component(axis);
        for (std::size_t i = 0; i < velocity_.size(); ++i) {
            position[i] += time * velocity_[i][axis];
        }
    }
}

void System::step() {
    kick(0.5 * setup_.time_step);
    drift(setup_.time_step);
    ring_.forces(own_, field_);
    kick(0.5 * setup_.time_step);
}

Invariants System::invariants() const {
    std::array<double, 5> sums{};  // momentum, its scale, energy
    const Sources own = own_.sources();
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
        const Vector& v = velocity_[i];
        const double mass = own.mass[i];
        const double squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        const double potential = field_.potential[i] + mass / setup_.softening;  // without the particle's own
        for (std::size_t axis = 0; axis < 3; ++axis) {
            sums[axis] += mass * v[axis];
        }
        sums[3] += mass * std::sqrt(squared);
        sums[4] += 0.5 * mass * (squared + potential);
    }
    all_reduce(sums, MPI_SUM);
    return {{sums[0], sums[1], sums[2]}, sums[3], sums[4]};
}

Block System::gather() const {
    const int ranks = size_of(MPI_COMM_WORLD);
    std::vector<int> counts;
    std::vector<int> starts;
    for (int rank = 0; rank < ranks; ++rank) {
        starts.push_back(Ring::block_start(setup_.particles, ranks, rank));
        counts.push_back(Ring::block_start(setup_.particles, ranks, rank + 1) - starts.back());
    }
    Block all(static_cast<std::size_t>(setup_.particles), 0);
    for (std::size_t component = 0; component < 4; ++component) {
        const std::span<const double> own = own_.component(component);
        MPI_Request request = MPI_REQUEST_NULL;
        check(MPI_Iallgatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.component(component).data(),
                              counts.data(), starts.data(), MPI_DOUBLE, MPI_COMM_WORLD, &request),
              "MPI_Iallgatherv");
        wait_all({&request, 1});
    }
    return all;
}

double System::direct_error() const {
    const Block all = gather();
    const auto first = static_cast<std::size_t>(first_particle(setup_.particles));
    std::vector<std::size_t> targets;
    std::vector<Vector> computed;
    for (const std::size_t particle : spread_sample(all.count(), kDirectSample)) {
        if (particle >= first && particle < first + own_.count()) {
            const std::size_t i = particle - first;
            targets.push_back(particle);
            computed.push_back({field_.x[i], field_.y[i], field_.z[i]});
        }
    }
    const double own = direct_sum_error(computed, direct_sum(all.sources(), targets, setup_.softening));
    const bool is_number = all_agree(!std::isnan(own));  // the maximum may lose one that is none
    const double largest = all_reduce(own, MPI_MAX);
    return is_number ? largest : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace fairlead::nbody
