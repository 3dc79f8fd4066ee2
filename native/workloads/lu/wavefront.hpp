// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>

#include "flow/channel.hpp"
#include "flow/partition.hpp"
#include "flow/tile.hpp"

namespace fairlead::lu {

// The pipelines over the ranks: plane by plane in z, each rank starts when its neighbours before it in x and y (for the
// way back: after it) have passed on the edge of their part of that plane.
class Wavefront {
  public:
    Wavefront(MPI_Comm comm, const flow::Partition& partition, double time_step);

    // Both passes over tile.rhs.
    void relax(flow::Tile& tile);

  private:
    void receive_edge(flow::Tile& tile, std::size_t direction, flow::Index z, bool forward);
    void send_edge(const flow::Tile& tile, std::size_t direction, flow::Index z, bool forward);
    bool neighbour_before(std::size_t direction, bool forward) const;

    flow::Partition partition_;
    double time_step_;
    std::array<flow::Channel, 2> forward_, backward_;  // in x and y
};

}  // namespace fairlead::lu
