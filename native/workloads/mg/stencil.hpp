// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fairlead::mg {

class Block;

// Weights of a point and of its 26 neighbours, by what they share with it.
struct Weights {
    double centre;
    double face;
    double edge;
    double corner;
};

// The four operators of the report (NAS report RNR-94-007, section 2.3). Each needs the ghost points of what it reads,
// and but for interpolate() writes own points only.

// Discrete Laplacian, A of the report.
inline constexpr Weights kLaplacian = {.centre = -8.0 / 3, .face = 0.0, .edge = 1.0 / 6, .corner = 1.0 / 12};

// r = v - A u. `r` may be `v`.
void subtract_laplacian(const Block& u, const Block& v, Block& r);

// u += S r with the smoother's weights.
void smooth(const Weights& smoother, const Block& r, Block& u);

// P of the report: from one level to the next coarser.
void restrict_to(const Block& fine, Block& coarse);

// Q of the report: adds the trilinear interpolation of the next coarser level, at ghost points, too.
void interpolate(const Block& coarse, Block& fine);

// Sum of the squares of the own points.
double sum_of_squares(const Block& block);

}  // namespace fairlead::mg
