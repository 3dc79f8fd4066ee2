// SPDX-License-Identifier: Apache-2.0
#include "flow/faces.hpp"

#include "common/mpi.hpp"
#include "common/mpi_count.hpp"
#include "flow/packing.hpp"

namespace fairlead::flow {

namespace {

// Own layers at a tile's end, that the neighbour there needs.
Box own_layers(const Box& box, std::size_t direction, bool forward) {
    return forward ? box.between(direction, box.end[direction] - kGhostLayers, box.end[direction])
                   : box.between(direction, box.first[direction], box.first[direction] + kGhostLayers);
}

// The neighbour's layers beyond that end.
Box ghost_layers(const Box& box, std::size_t direction, bool forward) {
    return forward ? box.between(direction, box.end[direction], box.end[direction] + kGhostLayers)
                   : box.between(direction, box.first[direction] - kGhostLayers, box.first[direction]);
}

}  // namespace

bool FaceExchange::has_neighbour(std::size_t tile, Side side) const {
    const TilePosition& position = partition_.own[tile];
    return side.forward ? partition_.has_next(position, side.direction)
                        : Partition::has_previous(position, side.direction);
}

void FaceExchange::operator()(std::span<Tile> tiles) {
    constexpr std::array<Side, 6> kSides = {{{0, true}, {0, false}, {1, true}, {1, false}, {2, true}, {2, false}}};
    std::vector<MPI_Request> requests;
    for (std::size_t w = 0; w < kSides.size(); ++w) {
        const Side side = kSides[w];
        std::vector<double>& outgoing = outgoing_[w];
        std::vector<double>& incoming = incoming_[w];
        outgoing.clear();
        Index expected = 0;
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            if (has_neighbour(t, side)) {
                pack(tiles[t].u, tiles[t].layout, own_layers(tiles[t].box, side.direction, side.forward), outgoing);
                expected += ghost_layers(tiles[t].box, side.direction, side.forward).points();
            }
        }
        if (outgoing.empty()) {
            continue;
        }
        incoming.resize(static_cast<std::size_t>(expected) * State{}.size());
        // What goes forward and what goes backward differ by their tag: with two ranks both come from the same one.
        const int tag = static_cast<int>(w);
        const int opposite = tag ^ 1;
        requests.resize(requests.size() + 2, MPI_REQUEST_NULL);
        check(MPI_Irecv(incoming.data(), mpi_count(incoming.size()), MPI_DOUBLE, neighbour(side), opposite, comm_,
                        &requests[requests.size() - 2]),
              "MPI_Irecv");
        check(MPI_Isend(outgoing.data(), mpi_count(outgoing.size()), MPI_DOUBLE, neighbour(side), tag, comm_,
                        &requests.back()),
              "MPI_Isend");
    }
    wait_all(requests);
    for (std::size_t w = 0; w < kSides.size(); ++w) {
        std::span<const double> message = incoming_[w];
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            if (has_neighbour(t, kSides[w])) {
                unpack(tiles[t].u, tiles[t].layout, ghost_layers(tiles[t].box, kSides[w].direction, kSides[w].forward),
                       message);
            }
        }
    }
}

}  // namespace fairlead::flow
