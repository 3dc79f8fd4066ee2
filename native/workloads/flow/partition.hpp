// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "flow/field.hpp"

namespace fairlead::flow {

using TilePosition = std::array<int, 3>;

// How the grid is cut into tiles, and which of them a rank has. The neighbours in one direction of all of a rank's
// tiles belong to one rank.
struct Partition {
    std::array<int, 3> tiles;       // how many in each direction
    std::vector<TilePosition> own;  // sorted; the k-th that has a neighbour there is the neighbour of that rank's k-th
    std::array<int, 3> next;        // rank with the next tiles in each direction (if there are any)
    std::array<int, 3> previous;

    // The points of a tile; sizes differ by at most 1.
    Box box(const TilePosition& position, Index points) const;

    bool has_next(const TilePosition& position, std::size_t direction) const {
        return position[direction] + 1 < tiles[direction];
    }
    static bool has_previous(const TilePosition& position, std::size_t direction) { return position[direction] > 0; }
};

// Multipartition: every rank has tiles in each slab of tiles across any direction, equally many, so that all ranks work
// at every stage of a line solve. (N. Naik, A scalable method for aerodynamic computations, 1995, for squares of
// numbers of ranks.) Any number of ranks: with n the largest number whose square divides it, and m = ranks / n, there
// are m x m x n tiles; the rank of tile (x, y, z) is ((x + y) mod m, (y + z) mod n).
Partition multipartition(int ranks, int rank);

// Pencils along z: one tile a rank, the grid of ranks as near to a square as their number allows.
Partition pencils(int ranks, int rank);

// Throws UsageError when a tile would have fewer points in a direction than the difference equations reach.
void require_room(const std::string& program, const Partition& partition, int ranks, Index points);

}  // namespace fairlead::flow
