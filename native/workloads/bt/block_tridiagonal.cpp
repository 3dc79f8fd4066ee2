// SPDX-License-Identifier: Apache-2.0
#include "bt/block_tridiagonal.hpp"

#include "flow/rhs.hpp"

namespace fairlead::bt {

using flow::Index;
using flow::Matrix5;
using flow::Point;
using flow::Primitive;
using flow::State;

template <std::size_t kDirection>
BlockRow block_row(const State* u, const Primitive* w, Index stride, Index points, double time_step) {
    const flow::Differences difference(points);
    const double first = time_step * difference.first;
    const double second = time_step * difference.second;
    BlockRow row{.before = flow::neighbour_block<kDirection>(u[-stride], w[-stride], -first, second),
                 .here = flow::identity(),
                 .after = flow::neighbour_block<kDirection>(u[stride], w[stride], first, second)};
    flow::add(row.here, 2.0 * second, flow::viscous_jacobian<kDirection>(*u, *w));
    return row;
}

template BlockRow block_row<0>(const State*, const Primitive*, Index, Index, double);
template BlockRow block_row<1>(const State*, const Primitive*, Index, Index, double);
template BlockRow block_row<2>(const State*, const Primitive*, Index, Index, double);

template <std::size_t kDirection>
void BlockTridiagonal::eliminate_along(flow::Tile& tile, flow::Field<Factors>& factors) const {
    const Index stride = tile.layout.stride(kDirection);
    flow::for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        BlockRow row = block_row<kDirection>(&tile.u[place], &tile.flow[place], stride, tile.points, time_step_);
        flow::subtract_product(tile.rhs[place], row.before, tile.rhs[place - stride]);
        flow::subtract_product(row.here, row.before, factors[place - stride]);
        flow::solve_in_place(row.here, row.after, tile.rhs[place]);
        factors[place] = row.after;
    });
}

void BlockTridiagonal::eliminate(flow::Tile& tile, flow::Field<Factors>& factors, std::size_t direction) const {
    switch (direction) {
        case 0:
            return eliminate_along<0>(tile, factors);
        case 1:
            return eliminate_along<1>(tile, factors);
        default:
            return eliminate_along<2>(tile, factors);
    }
}

void BlockTridiagonal::substitute(flow::Tile& tile, const flow::Field<Factors>& factors, std::size_t direction) const {
    const Index stride = tile.layout.stride(direction);
    flow::for_each_point_backward(tile.layout, tile.inner, [&](const Point&, Index place) {
        flow::subtract_product(tile.rhs[place], factors[place], tile.rhs[place + stride]);
    });
}

}  // namespace fairlead::bt
