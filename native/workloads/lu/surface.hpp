// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/tile.hpp"

namespace fairlead::lu {

// A tile's share of the integral of the pressure over the surface of a box inside the grid, by the trapezoidal rule
// (NAS report RNR-94-007, section 3).
double surface_integral(const flow::Tile& tile);

}  // namespace fairlead::lu
