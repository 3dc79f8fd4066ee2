// SPDX-License-Identifier: Apache-2.0
#include "sp/characteristics.hpp"

#include <numbers>

namespace fairlead::sp {

using flow::Primitive;
using flow::State;

namespace {

constexpr double kHalfRoot = std::numbers::sqrt2 / 2.0;  // the square root of 1/2

}  // namespace

State to_x(const State& change, const Primitive& w) {
    const auto [density, x, y, z, energy] = change;
    const auto [u, v, vertical] = w.velocity;
    const double c = w.sound_speed;
    // The change of pressure, over the square of the speed of sound.
    const double compression = flow::kC2 / (c * c) * (w.kinetic * density - u * x - v * y - vertical * z + energy);
    const double acceleration = kHalfRoot * w.inverse_density * (u * density - x);
    const double sound = kHalfRoot * w.inverse_density * c * compression;
    return {density - compression, w.inverse_density * (z - vertical * density), w.inverse_density * (v * density - y),
            sound - acceleration, sound + acceleration};
}

State x_to_y(const State& change) {
    const double difference = kHalfRoot * (change[3] - change[4]);
    const double mean = 0.5 * (change[3] + change[4]);
    const double shear = kHalfRoot * change[2];
    return {-change[1], change[0], difference, mean - shear, mean + shear};
}

State y_to_z(const State& change) {
    const double difference = kHalfRoot * (change[3] - change[4]);
    const double mean = 0.5 * (change[3] + change[4]);
    const double shear = kHalfRoot * change[0];
    return {difference, -change[2], change[1], mean - shear, mean + shear};
}

State from_z(const State& change, double density, const Primitive& w) {
    const auto [u, v, vertical] = w.velocity;
    const double c = w.sound_speed;
    const double compression = kHalfRoot * density / c * (change[3] + change[4]);
    const double total = change[2] + compression;
    const double acceleration = kHalfRoot * density * (change[3] - change[4]);
    return {total, u * total - density * change[1], v * total + density * change[0], vertical * total + acceleration,
            density * (v * change[0] - u * change[1]) + w.kinetic * total + c * c / flow::kC2 * compression +
                vertical * acceleration};
}

}  // namespace fairlead::sp
