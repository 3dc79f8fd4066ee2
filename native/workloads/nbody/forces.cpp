// SPDX-License-Identifier: Apache-2.0
#include "nbody/forces.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::nbody {

void Field::clear() {
    for (auto* component : {&x, &y, &z, &potential}) {
        std::ranges::fill(*component, 0.0);
    }
}

void add_forces(const Sources& on, const Sources& from, double softening, Field& field) {
    const double softening_squared = softening * softening;
    const std::size_t targets = on.x.size();
    const double* __restrict target_x = on.x.data();
    const double* __restrict target_y = on.y.data();
    const double* __restrict target_z = on.z.data();
    double* __restrict field_x = field.x.data();
    double* __restrict field_y = field.y.data();
    double* __restrict field_z = field.z.data();
    double* __restrict potential = field.potential.data();
    // Sources outside, targets inside: the inner loop adds to different places, so the compiler may use vectors.
    for (std::size_t j = 0; j < from.x.size(); ++j) {
        const double x = from.x[j], y = from.y[j], z = from.z[j], mass = from.mass[j];
        for (std::size_t i = 0; i < targets; ++i) {
            const double dx = x - target_x[i], dy = y - target_y[i], dz = z - target_z[i];
            const double inverse = 1.0 / std::sqrt(dx * dx + dy * dy + dz * dz + softening_squared);
            const double pull = mass * inverse * inverse * inverse;
            field_x[i] += pull * dx;
            field_y[i] += pull * dy;
            field_z[i] += pull * dz;
            potential[i] -= mass * inverse;
        }
    }
}

}  // namespace fairlead::nbody
