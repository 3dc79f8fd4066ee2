// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "flow/tile.hpp"

namespace fairlead::flow {

// Factors of the central differences of first and second order on a grid with `points` points a side.
struct Differences {
    explicit Differences(Index points)
        : first(0.5 * static_cast<double>(points - 1)),
          second(static_cast<double>(points - 1) * static_cast<double>(points - 1)) {}

    double first;   // 1 / (2 h)
    double second;  // 1 / h^2
};

// Weights of the fourth difference at row `row` of a line: of the rows -2 to +2 from it. Rows on the boundary and
// beyond have weight 0 (NAS report RNR-94-007, section 3).
const std::array<double, 5>& fourth_difference(Index row, Index points);

// The right-hand side of the discrete equations, du/dt, at the inner points; also sets tile.flow everywhere. The ghost
// layers of tile.u must be filled.
void compute_rhs(Tile& tile);

}  // namespace fairlead::flow
