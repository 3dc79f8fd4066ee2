// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace fairlead::flow {

// The flow variables at a point: density, momentum in x, y, z, total energy, all by volume.
using State = std::array<double, 5>;

inline constexpr std::size_t kDensity = 0;
inline constexpr std::size_t kMomentum = 1;  // of x; those of y and z follow
inline constexpr std::size_t kEnergy = 4;

// Constants of the synthetic problem (NAS report RNR-94-007, section 3: c1 to c5, the d's and epsilon).
inline constexpr double kC1 = 1.4;  // ratio of specific heats
inline constexpr double kC2 = 0.4;
inline constexpr double kC1C5 = 1.4 * 1.4;
inline constexpr double kViscosity = 0.1 * 1.0;              // c3 c4
inline constexpr double kNormalStress = 4.0 / 3.0;           // of a velocity along its own direction
inline constexpr std::array kDiffusion = {0.75, 0.75, 1.0};  // dx, dy, dz
inline constexpr double kDissipation = 0.25 * 1.0;           // a quarter of the largest of them

// What the difference equations need of a state besides itself.
struct Primitive {
    double inverse_density;
    std::array<double, 3> velocity;
    double kinetic;      // half the square of the speed
    double sound_speed;  // only for sp
};

inline Primitive primitive_of(const State& u) {
    Primitive w{};
    w.inverse_density = 1.0 / u[kDensity];
    for (std::size_t d = 0; d < 3; ++d) {
        w.velocity[d] = u[kMomentum + d] * w.inverse_density;
        w.kinetic += 0.5 * w.velocity[d] * w.velocity[d];
    }
    w.sound_speed = std::sqrt(kC1 * kC2 * (u[kEnergy] * w.inverse_density - w.kinetic));
    return w;
}

inline double pressure(const State& u, const Primitive& w) {
    return kC2 * (u[kEnergy] - u[kDensity] * w.kinetic);
}

}  // namespace fairlead::flow
