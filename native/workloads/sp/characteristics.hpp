// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/gas.hpp"

namespace fairlead::sp {

// Changes of variables between the line solves: the eigenvectors of the flux Jacobians of two directions, one's inverse
// times the other's, multiplied out (NAS report RNR-94-007, section 3).

// From changes of density, momentum and energy to the characteristic variables of x.
flow::State to_x(const flow::State& change, const flow::Primitive& w);

// From those of x to those of y, and from y to z.
flow::State x_to_y(const flow::State& change);
flow::State y_to_z(const flow::State& change);

// From those of z back.
flow::State from_z(const flow::State& change, double density, const flow::Primitive& w);

}  // namespace fairlead::sp
