// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/collectives.hpp"

#include "mpi/pmpi.hpp"
#include "record/collective_sums.hpp"

namespace fairlead {

Neighbors neighbors(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &topology);
    Neighbors result;
    if (topology == MPI_DIST_GRAPH) {
        int weighted = 0;
        PMPI_Dist_graph_neighbors_count(comm, &result.in, &result.out, &weighted);
    } else if (topology == MPI_CART) {
        int dimensions = 0;
        PMPI_Cartdim_get(comm, &dimensions);
        result.in = result.out = 2 * dimensions;
    } else if (topology == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, communicator(comm).rank, &result.in);
        result.out = result.in;
    }
    return result;
}

void count_kind(Call& call, const Members& members, std::uint64_t given_B, std::uint64_t got_B) {
    const Communicator& known = communicator(members.comm);
    const bool alone = known.size == 1;  // as on MPI_COMM_SELF, which no call made
    if (!members.all || known.inter || (known.identity == kNoIdentity && !alone)) {
        return;
    }
    call.thread().gave({.communicator = alone ? kNoIdentity : known.identity,
                        .root = members.root >= 0 ? members.root : record::kNoRoot,
                        .size = known.size,
                        .rank = known.rank,
                        .function = static_cast<std::uint16_t>(call.function())},
                       given_B, got_B);
}

}  // namespace fairlead
