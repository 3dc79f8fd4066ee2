// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fairlead::nbody {

// Particles that pull: coordinates and masses, each contiguous.
struct Sources {
    std::span<const double> x, y, z, mass;
};

// What is felt by each particle of a block.
struct Field {
    explicit Field(std::size_t count) : x(count), y(count), z(count), potential(count) {}
    void clear();

    std::vector<double> x, y, z;    // acceleration
    std::vector<double> potential;  // gravitational, with the particle's own (softened) one while its block is a source
};

// Gravity with Plummer softening: a_i += sum_j m_j d / (|d|^2 + softening^2)^(3/2), d = x_j - x_i. A particle that is
// its own source feels no acceleration from it, but a potential of -m/softening.
void add_forces(const Sources& on, const Sources& from, double softening, Field& field);

}  // namespace fairlead::nbody
