// SPDX-License-Identifier: Apache-2.0
#include "lu/relaxation.hpp"

#include "flow/jacobians.hpp"
#include "flow/rhs.hpp"

namespace fairlead::lu {

using flow::Index;
using flow::Matrix5;
using flow::Point;
using flow::State;

namespace {

// The time step times the factors of the differences.
struct Factors {
    double first;
    double second;
};

Factors factors_of(const flow::Tile& tile, double time_step) {
    const flow::Differences difference(tile.points);
    return {.first = time_step * difference.first, .second = time_step * difference.second};
}

// Minus the sum of the three neighbours' blocks times their present values. `side` is -1 for the neighbours before the
// point and 1 for those after it.
State pull(const flow::Tile& tile, Index place, int side, const Factors& factors) {
    State sum{};
    const auto along = [&]<std::size_t kDirection>() {
        const Index neighbour = place + side * tile.layout.stride(kDirection);
        const Matrix5 block = flow::neighbour_block<kDirection>(tile.u[neighbour], tile.flow[neighbour],
                                                                side * factors.first, factors.second);
        flow::subtract_product(sum, block, tile.rhs[neighbour]);
    };
    along.template operator()<2>();
    along.template operator()<1>();
    along.template operator()<0>();
    return sum;
}

Matrix5 diagonal_block(const flow::Tile& tile, Index place, const Factors& factors) {
    Matrix5 block = flow::identity();
    flow::add(block, 2.0 * factors.second, flow::viscous_jacobian<0>(tile.u[place], tile.flow[place]));
    flow::add(block, 2.0 * factors.second, flow::viscous_jacobian<1>(tile.u[place], tile.flow[place]));
    flow::add(block, 2.0 * factors.second, flow::viscous_jacobian<2>(tile.u[place], tile.flow[place]));
    return block;
}

// a += factor * b.
void add(State& a, double factor, const State& b) {
    for (std::size_t m = 0; m < a.size(); ++m) {
        a[m] += factor * b[m];
    }
}

}  // namespace

void relax_lower(flow::Tile& tile, Index z, double time_step) {
    const Factors factors = factors_of(tile, time_step);
    flow::for_each_point(tile.layout, tile.inner.between(2, z, z + 1), [&](const Point&, Index place) {
        State value = tile.rhs[place];
        add(value, kRelaxation, pull(tile, place, -1, factors));
        flow::solve_in_place(diagonal_block(tile, place, factors), value);
        tile.rhs[place] = value;
    });
}

void relax_upper(flow::Tile& tile, Index z, double time_step) {
    const Factors factors = factors_of(tile, time_step);
    flow::for_each_point_backward(tile.layout, tile.inner.between(2, z, z + 1), [&](const Point&, Index place) {
        State change = pull(tile, place, 1, factors);
        flow::solve_in_place(diagonal_block(tile, place, factors), change);
        add(tile.rhs[place], kRelaxation, change);
    });
}

}  // namespace fairlead::lu
