// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/collectives.hpp"

#include "mpi/pmpi.hpp"

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

}  // namespace fairlead
