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

bool FaceExchange::has_neighbour(std::size_t tile, Way way) const {
    const TilePosition& position = partition_.own[tile];
    return way.forward ? partition_.has_next(position, way.direction)
                       : Partition::has_previous(position, way.direction);
}

void FaceExchange::operator()(std::span<Tile> tiles) {
    constexpr std::array<Way, 6> kWays = {{{0, true}, {0, false}, {1, true}, {1, false}, {2, true}, {2, false}}};
    std::vector<MPI_Request> requests;
    for (std::size_t w = 0; w < kWays.size(); ++w) {
        const Way way = kWays[w];
        std::vector<double>& outgoing = outgoing_[w];
        std::vector<double>& incoming = incoming_[w];
        outgoing.clear();
        Index expected = 0;
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            if (has_neighbour(t, way)) {
                pack(tiles[t].u, tiles[t].layout, own_layers(tiles[t].box, way.direction, way.forward), outgoing);
                expected += ghost_layers(tiles[t].box, way.direction, way.forward).points();
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
        check(MPI_Irecv(incoming.data(), mpi_count(incoming.size()), MPI_DOUBLE, neighbour(way), opposite, comm_,
                        &requests[requests.size() - 2]),
              "MPI_Irecv");
        check(MPI_Isend(outgoing.data(), mpi_count(outgoing.size()), MPI_DOUBLE, neighbour(way), tag, comm_,
                        &requests.back()),
              "MPI_Isend");
    }
    wait_all(requests);
    for (std::size_t w = 0; w < kWays.size(); ++w) {
        std::span<const double> message = incoming_[w];
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            if (has_neighbour(t, kWays[w])) {
                unpack(tiles[t].u, tiles[t].layout, ghost_layers(tiles[t].box, kWays[w].direction, kWays[w].forward),
                       message);
            }
        }
    }
}

}  // namespace fairlead::flow
