// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "flow/faces.hpp"
#include "flow/norms.hpp"
#include "flow/partition.hpp"
#include "flow/tile.hpp"

namespace fairlead::flow {

// The grid on all ranks of MPI_COMM_WORLD: this rank's tiles, and what all three programs do with them.
class Grid {
  public:
    // Throws UsageError when the grid is too small for the partition. Rank 0 adds `perturbation` to one element of the
    // forcing.
    Grid(const std::string& program, const Partition& partition, Index points, double perturbation);

    std::span<Tile> tiles() { return tiles_; }

    void set_initial_state();

    // Exchanges faces, then sets every tile's right-hand side.
    void update_rhs();

    // u += factor * rhs, where the solver has left the change of u.
    void add_change(double factor);

    // Of the present state and the right-hand side that belongs to it.
    Norms norms() const;

  private:
    std::vector<Tile> tiles_;
    FaceExchange exchange_faces_;
};

}  // namespace fairlead::flow
