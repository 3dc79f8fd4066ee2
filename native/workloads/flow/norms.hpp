// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "flow/tile.hpp"

namespace fairlead::flow {

// What is verified of a solution (NAS report RNR-94-007, section 3).
struct Norms {
    State residual;                          // root mean square of the right-hand side, by variable
    State error;                             // ... of the difference to the exact solution
    std::optional<double> surface_integral;  // lu only
};

// Adds the squares at a tile's inner points. tile.rhs must be that of tile.u.
void add_squares(const Tile& tile, State& residual, State& error);

// The root mean square of a sum of squares over all inner points of the grid.
State root_mean_square(const State& sum, Index points);

}  // namespace fairlead::flow
