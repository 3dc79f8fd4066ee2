// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/tile.hpp"

namespace fairlead::lu {

// Symmetric successive over-relaxation of the implicit step (NAS report RNR-94-007, section 3). The matrix has a
// 5 x 5 block for each point and its six neighbours. tile.rhs becomes the solution, up to kOverall.
inline constexpr double kRelaxation = 1.2;  // omega
inline constexpr double kOverall = 1.0 / (kRelaxation * (2.0 - kRelaxation));

// The inner points of plane z: by the neighbours before them in x, y and z, in ascending order.
void relax_lower(flow::Tile& tile, flow::Index z, double time_step);

// By the neighbours after them, in descending order.
void relax_upper(flow::Tile& tile, flow::Index z, double time_step);

}  // namespace fairlead::lu
