// SPDX-License-Identifier: Apache-2.0
#include "flow/grid.hpp"

#include <algorithm>

#include "common/mpi.hpp"
#include "flow/rhs.hpp"

namespace fairlead::flow {

Grid::Grid(const std::string& program, const Partition& partition, Index points, double perturbation)
    : exchange_faces_(MPI_COMM_WORLD, partition) {
    require_room(program, partition, size_of(MPI_COMM_WORLD), points);
    for (const TilePosition& position : partition.own) {
        tiles_.emplace_back(partition.box(position, points), points);
    }
    if (rank_of(MPI_COMM_WORLD) == 0) {
        Tile& tile = tiles_.front();
        tile.forcing[tile.layout.at(tile.inner.first)][kEnergy] += perturbation;
    }
}

void Grid::set_initial_state() {
    std::ranges::for_each(tiles_, &Tile::set_initial_state);
}

void Grid::update_rhs() {
    exchange_faces_(tiles_);
    std::ranges::for_each(tiles_, compute_rhs);
}

void Grid::add_change(double factor) {
    for (Tile& tile : tiles_) {
        for_each_point(tile.layout, tile.inner, [&](const Point&, Index place) {
            for (std::size_t m = 0; m < tile.u[place].size(); ++m) {
                tile.u[place][m] += factor * tile.rhs[place][m];
            }
        });
    }
}

Norms Grid::norms() const {
    State residual{};
    State error{};
    for (const Tile& tile : tiles_) {
        add_squares(tile, residual, error);
    }
    all_reduce(residual, MPI_SUM);
    all_reduce(error, MPI_SUM);
    const Index points = tiles_.front().points;
    return {.residual = root_mean_square(residual, points),
            .error = root_mean_square(error, points),
            .surface_integral = {}};
}

}  // namespace fairlead::flow
