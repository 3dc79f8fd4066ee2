// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "lu/relaxation.hpp"
#include "lu/surface.hpp"
#include "tests/flow_tile.hpp"

namespace fairlead::flow {
namespace {

// What the blocks beside the diagonal in one direction take from `rest`.
template <std::size_t kDirection>
void subtract_neighbour(State& rest, const Tile& tile, const Field<State>& x, Index place, Index side) {
    const Differences difference(kPoints);
    const Index neighbour = place + side * tile.layout.stride(kDirection);
    Matrix5 block = neighbour_block<kDirection>(tile.u[neighbour], tile.flow[neighbour],
                                                static_cast<double>(side) * kTimeStep * difference.first,
                                                kTimeStep * difference.second);
    for (double& value : block) {
        value *= lu::kRelaxation;
    }
    subtract_product(rest, block, x[neighbour]);
}

Matrix5 diagonal(const Tile& tile, Index place) {
    const double factor = 2.0 * kTimeStep * Differences(kPoints).second;
    Matrix5 block = identity();
    add(block, factor, viscous_jacobian<0>(tile.u[place], tile.flow[place]));
    add(block, factor, viscous_jacobian<1>(tile.u[place], tile.flow[place]));
    add(block, factor, viscous_jacobian<2>(tile.u[place], tile.flow[place]));
    return block;
}

TEST(Relaxation, SolvesTheLowerAndTheUpperTriangle) {
    Tile tile = make_tile();
    const Field<State> given = tile.rhs;
    for (Index z = 1; z < kPoints - 1; ++z) {
        lu::relax_lower(tile, z, kTimeStep);
    }
    const Field<State> between = tile.rhs;
    for (Index z = kPoints - 2; z >= 1; --z) {
        lu::relax_upper(tile, z, kTimeStep);
    }
    for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        State lower = given[place];
        subtract_product(lower, diagonal(tile, place), between[place]);
        subtract_neighbour<0>(lower, tile, between, place, -1);
        subtract_neighbour<1>(lower, tile, between, place, -1);
        subtract_neighbour<2>(lower, tile, between, place, -1);
        expect_near(lower, State{}, 1e-12);

        State difference{};
        for (std::size_t m = 0; m < difference.size(); ++m) {
            difference[m] = tile.rhs[place][m] - between[place][m];
        }
        State upper{};
        subtract_product(upper, diagonal(tile, place), difference);
        subtract_neighbour<0>(upper, tile, tile.rhs, place, 1);
        subtract_neighbour<1>(upper, tile, tile.rhs, place, 1);
        subtract_neighbour<2>(upper, tile, tile.rhs, place, 1);
        expect_near(upper, State{}, 1e-12);
    });
}

TEST(SurfaceIntegral, OfAConstantIsTheArea) {
    Tile tile(kWhole, kPoints);
    const State still = {1.0, 0.0, 0.0, 0.0, 2.5};  // pressure 1
    for_each_point(tile.layout, tile.box, [&](const Point&, Index place) { tile.u[place] = still; });
    // x from 1 to 6, y from 1 to 5, z from 2 to 6, in units of 1/7.
    EXPECT_NEAR(lu::surface_integral(tile), 2.0 * (5 * 4 + 5 * 4 + 4 * 4) / 49.0, 1e-13);
}

TEST(SurfaceIntegral, OfTilesAddsUp) {
    const Tile whole(kWhole, kPoints);
    double sum = 0.0;
    for (const Index x : {0, 4}) {
        for (const Index y : {0, 4}) {
            sum += lu::surface_integral(Tile({.first = {x, y, 0}, .end = {x + 4, y + 4, kPoints}}, kPoints));
        }
    }
    EXPECT_NEAR(sum, lu::surface_integral(whole), 1e-12);
}

}  // namespace
}  // namespace fairlead::flow
