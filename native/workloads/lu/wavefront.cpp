// SPDX-License-Identifier: Apache-2.0
#include "lu/wavefront.hpp"

#include "flow/packing.hpp"
#include "lu/relaxation.hpp"

namespace fairlead::lu {

using flow::Box;
using flow::Channel;
using flow::Index;

namespace {

// One layer of points of plane z: the tile's last one in the direction of the pass, or the neighbour's before the
// tile's first one.
Box own_edge(const Box& box, std::size_t direction, Index z, bool forward) {
    const Index layer = forward ? box.end[direction] - 1 : box.first[direction];
    return box.between(direction, layer, layer + 1).between(2, z, z + 1);
}

Box ghost_edge(const Box& box, std::size_t direction, Index z, bool forward) {
    const Index layer = forward ? box.first[direction] - 1 : box.end[direction];
    return box.between(direction, layer, layer + 1).between(2, z, z + 1);
}

}  // namespace

Wavefront::Wavefront(MPI_Comm comm, const flow::Partition& partition, double time_step)
    : partition_(partition),
      time_step_(time_step),
      forward_{Channel(comm, partition.previous[0], partition.next[0], 0),
               Channel(comm, partition.previous[1], partition.next[1], 1)},
      backward_{Channel(comm, partition.next[0], partition.previous[0], 0),
                Channel(comm, partition.next[1], partition.previous[1], 1)} {}

bool Wavefront::neighbour_before(std::size_t direction, bool forward) const {
    const flow::TilePosition& position = partition_.own.front();
    return forward ? flow::Partition::has_previous(position, direction) : partition_.has_next(position, direction);
}

void Wavefront::receive_edge(flow::Tile& tile, std::size_t direction, Index z, bool forward) {
    if (neighbour_before(direction, forward)) {
        Channel& channel = (forward ? forward_ : backward_)[direction];
        const Box edge = ghost_edge(tile.box, direction, z, forward);
        std::span<const double> values =
            channel.receive(static_cast<std::size_t>(edge.points()) * std::tuple_size_v<flow::State>);
        unpack(tile.rhs, tile.layout, edge, values);
    }
}

void Wavefront::send_edge(const flow::Tile& tile, std::size_t direction, Index z, bool forward) {
    // Who is after this rank in one pass is before it in the other.
    if (neighbour_before(direction, !forward)) {
        Channel& channel = (forward ? forward_ : backward_)[direction];
        pack(tile.rhs, tile.layout, own_edge(tile.box, direction, z, forward), channel.message());
        channel.send();
    }
}

void Wavefront::relax(flow::Tile& tile) {
    for (Index z = tile.inner.first[2]; z < tile.inner.end[2]; ++z) {
        receive_edge(tile, 0, z, true);
        receive_edge(tile, 1, z, true);
        relax_lower(tile, z, time_step_);
        send_edge(tile, 0, z, true);
        send_edge(tile, 1, z, true);
    }
    for (Index z = tile.inner.end[2] - 1; z >= tile.inner.first[2]; --z) {
        receive_edge(tile, 0, z, false);
        receive_edge(tile, 1, z, false);
        relax_upper(tile, z, time_step_);
        send_edge(tile, 0, z, false);
        send_edge(tile, 1, z, false);
    }
}

}  // namespace fairlead::lu
