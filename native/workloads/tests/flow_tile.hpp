// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "flow/jacobians.hpp"
#include "flow/rhs.hpp"

namespace fairlead::flow {

// For the tests of the solvers: what they give back is put into the equations that they solve.
inline constexpr Index kPoints = 8;
inline constexpr double kTimeStep = 0.01;
inline const Box kWhole{.first = {0, 0, 0}, .end = {kPoints, kPoints, kPoints}};

// The initial state with a right-hand side that has no pattern.
inline Tile make_tile() {
    Tile tile(kWhole, kPoints);
    compute_rhs(tile);
    double seed = 1.0;
    for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        for (double& value : tile.rhs[place]) {
            value = std::sin(seed += 1.7);
        }
    });
    return tile;
}

inline void expect_near(const State& a, const State& b, double bound) {
    for (std::size_t m = 0; m < a.size(); ++m) {
        EXPECT_NEAR(a[m], b[m], bound) << "variable " << m;
    }
}

}  // namespace fairlead::flow
