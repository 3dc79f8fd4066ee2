// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "mg/block.hpp"

namespace fairlead::mg {

inline constexpr std::size_t kChargesOfEachSign = 10;

// A point of the finest grid and the random number drawn for it. The number of the point, (z * points + y) * points +
// x, is a double, so that a list of these can travel as doubles.
struct Drawn {
    double value;
    double point;
};

// Of the points that this rank owns those with the ten largest and the ten smallest numbers (fewer, if it has fewer).
// The numbers are drawn for x fastest, then y, then z.
std::vector<Drawn> draw_extremes(const Axes& axes);

// The right-hand side: +1 at the points with the ten largest numbers of `drawn`, which all ranks' extremes are in, -1
// at those with the ten smallest, 0 elsewhere. `perturbation` is added at the point with the largest.
void set_charges(std::vector<Drawn> drawn, double perturbation, Block& v);

}  // namespace fairlead::mg
