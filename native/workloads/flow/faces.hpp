// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <span>
#include <vector>

#include "flow/partition.hpp"
#include "flow/tile.hpp"

namespace fairlead::flow {

// Fills the ghost layers of u from the neighbouring tiles: at most six messages a rank, one to each neighbour's rank
// and direction, with the faces of all its tiles.
class FaceExchange {
  public:
    FaceExchange(MPI_Comm comm, Partition partition) : comm_(comm), partition_(std::move(partition)) {}

    // `tiles` in the order of the partition's own.
    void operator()(std::span<Tile> tiles);

  private:
    // A side of a tile: a direction, forward or backward.
    struct Side {
        std::size_t direction;
        bool forward;
    };

    bool has_neighbour(std::size_t tile, Side side) const;
    int neighbour(Side side) const { return (side.forward ? partition_.next : partition_.previous)[side.direction]; }

    MPI_Comm comm_;
    Partition partition_;
    std::array<std::vector<double>, 6> outgoing_, incoming_;
};

}  // namespace fairlead::flow
