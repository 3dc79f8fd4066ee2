// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "bt/block_tridiagonal.hpp"
#include "tests/flow_tile.hpp"

namespace fairlead::flow {
namespace {

template <std::size_t kDirection>
void expect_block_lines_solved() {
    Tile tile = make_tile();
    const Field<State> given = tile.rhs;
    const bt::BlockTridiagonal lines(kTimeStep);
    Field<Matrix5> factors(tile.layout);
    lines.eliminate(tile, factors, kDirection);
    lines.substitute(tile, factors, kDirection);
    const Index stride = tile.layout.stride(kDirection);
    for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        const bt::BlockRow row =
            bt::block_row<kDirection>(&tile.u[place], &tile.flow[place], stride, kPoints, kTimeStep);
        State rest = given[place];
        subtract_product(rest, row.before, tile.rhs[place - stride]);
        subtract_product(rest, row.here, tile.rhs[place]);
        subtract_product(rest, row.after, tile.rhs[place + stride]);
        expect_near(rest, State{}, 1e-12);
    });
}

TEST(BlockTridiagonal, SolvesItsSystems) {
    expect_block_lines_solved<0>();
    expect_block_lines_solved<1>();
    expect_block_lines_solved<2>();
}

}  // namespace
}  // namespace fairlead::flow
