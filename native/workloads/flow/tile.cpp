// SPDX-License-Identifier: Apache-2.0
#include "flow/tile.hpp"

#include <algorithm>

#include "flow/exact.hpp"
#include "flow/rhs.hpp"

namespace fairlead::flow {

namespace {

// Outside the grid and in the corners of the ghost layers: never used, but a state that can be divided by.
constexpr State kUnused = {1.0, 0.0, 0.0, 0.0, 1.0};

Box without_boundary(const Box& box, Index points) {
    Box inner = box;
    for (std::size_t d = 0; d < 3; ++d) {
        inner.first[d] = std::max<Index>(inner.first[d], 1);
        inner.end[d] = std::min(inner.end[d], points - 1);
    }
    return inner;
}

Box with_ghost_layers(const Box& box) {
    Box all = box;
    for (std::size_t d = 0; d < 3; ++d) {
        all.first[d] -= kGhostLayers;
        all.end[d] += kGhostLayers;
    }
    return all;
}

// Minus the right-hand side of the exact solution: with it that solution does not change any more.
void set_forcing(Tile& tile) {
    for_each_point(tile.layout, with_ghost_layers(tile.box), [&](const Point& point, Index place) {
        tile.u[place] = in_grid(point, tile.points) ? exact_solution(point, tile.points) : kUnused;
    });
    compute_rhs(tile);
    for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
        for (std::size_t m = 0; m < tile.rhs[place].size(); ++m) {
            tile.forcing[place][m] = -tile.rhs[place][m];
        }
    });
}

}  // namespace

Tile::Tile(const Box& own, Index grid_points)
    : points(grid_points),
      box(own),
      inner(without_boundary(own, grid_points)),
      layout(own),
      u(layout, kUnused),
      flow(layout),
      forcing(layout),
      rhs(layout) {
    set_forcing(*this);
    set_initial_state();
}

void Tile::set_initial_state() {
    u = Field<State>(layout, kUnused);
    for_each_point(layout, box, [&](const Point& point, Index place) { u[place] = initial_state(point, points); });
}

}  // namespace fairlead::flow
