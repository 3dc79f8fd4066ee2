// SPDX-License-Identifier: Apache-2.0
#include "flow/partition.hpp"

#include <algorithm>

#include "common/usage.hpp"

namespace fairlead::flow {

namespace {

// The sides of the grid of ranks of a multipartition: n and m = ranks / n.
struct RankGrid {
    int m;
    int n;

    int rank(int a, int b) const { return (a + m) % m + m * ((b + n) % n); }
};

RankGrid rank_grid(int ranks) {
    int n = 1;
    for (int candidate = 2; candidate * candidate <= ranks; ++candidate) {
        if (ranks % (candidate * candidate) == 0) {
            n = candidate;
        }
    }
    return {.m = ranks / n, .n = n};
}

int largest_factor_up_to_root(int number) {
    int factor = 1;
    for (int candidate = 2; candidate * candidate <= number; ++candidate) {
        if (number % candidate == 0) {
            factor = candidate;
        }
    }
    return factor;
}

}  // namespace

Box Partition::box(const TilePosition& position, Index points) const {
    Box box{};
    for (std::size_t d = 0; d < 3; ++d) {
        box.first[d] = points * position[d] / tiles[d];
        box.end[d] = points * (position[d] + 1) / tiles[d];
    }
    return box;
}

Partition multipartition(int ranks, int rank) {
    const RankGrid grid = rank_grid(ranks);
    const int a = rank % grid.m;
    const int b = rank / grid.m;
    Partition partition{.tiles = {grid.m, grid.m, grid.n},
                        .own = {},
                        .next = {grid.rank(a + 1, b), grid.rank(a + 1, b + 1), grid.rank(a, b + 1)},
                        .previous = {grid.rank(a - 1, b), grid.rank(a - 1, b - 1), grid.rank(a, b - 1)}};
    for (int x = 0; x < grid.m; ++x) {
        for (int y = 0; y < grid.m; ++y) {
            for (int z = 0; z < grid.n; ++z) {
                if (grid.rank(x + y, y + z) == rank) {
                    partition.own.push_back({x, y, z});
                }
            }
        }
    }
    return partition;
}

Partition pencils(int ranks, int rank) {
    const int rows = largest_factor_up_to_root(ranks);
    const int columns = ranks / rows;
    return {.tiles = {columns, rows, 1},
            .own = {{rank % columns, rank / columns, 0}},
            .next = {rank + 1, rank + columns, rank},
            .previous = {rank - 1, rank - columns, rank}};
}

void require_room(const std::string& program, const Partition& partition, int ranks, Index points) {
    const int most = *std::ranges::max_element(partition.tiles);
    if (points / most < kGhostLayers) {
        throw UsageError(program + ": " + std::to_string(ranks) + " ranks cut a side of " + std::to_string(points) +
                         " points into " + std::to_string(most) + " tiles, and each needs " +
                         std::to_string(kGhostLayers) + " points: use a larger class or another number of ranks");
    }
}

}  // namespace fairlead::flow
