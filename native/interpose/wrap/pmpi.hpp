// SPDX-License-Identifier: Apache-2.0
// The MPI library's functions that fairlead itself calls, past every tool. Found when this library is loaded, in the
// libmpi that the shim made visible; the weak ones are not in every library.
#pragma once

#include "abi.hpp"

extern "C" {
int PMPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
int PMPI_Cartdim_get(MPI_Comm comm, int* ndims);
int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group);
int PMPI_Comm_rank(MPI_Comm comm, int* rank);
int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group);
int PMPI_Comm_size(MPI_Comm comm, int* size);
int PMPI_Comm_test_inter(MPI_Comm comm, int* flag);
int PMPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted);
int PMPI_Get_library_version(char* version, int* resultlen);
int PMPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors);
int PMPI_Group_free(MPI_Group* group);
int PMPI_Group_rank(MPI_Group group, int* rank);
int PMPI_Group_size(MPI_Group group, int* size);
int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]);
int PMPI_Query_thread(int* provided);
int PMPI_Topo_test(MPI_Comm comm, int* status);
int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size);
[[gnu::weak]] int PMPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup);
}
