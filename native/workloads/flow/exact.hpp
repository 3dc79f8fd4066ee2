// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/field.hpp"
#include "flow/gas.hpp"

namespace fairlead::flow {

// The exact solution at (x, y, z) in the unit cube: polynomials of degree 4 (NAS report RNR-94-007, section 3).
State exact_solution(const std::array<double, 3>& position);

// The same at a point of a cubic grid with `points` points a side.
State exact_solution(const Point& point, Index points);

// The state from which the iteration starts: exact on the boundary; inside it blends the exact values of the six faces
// (the same section).
State initial_state(const Point& point, Index points);

bool on_boundary(const Point& point, Index points);
bool in_grid(const Point& point, Index points);

}  // namespace fairlead::flow
