/* Fortran bindings in the manner of Open MPI's, for libraries that come without; with PROGRAM, who calls them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef MPI_Fint Int;

void mpi_init_(Int* error);
void mpi_finalize_(Int* error);
void mpi_comm_rank_(Int* comm, Int* rank, Int* error);
void mpi_comm_size_(Int* comm, Int* size, Int* error);
void mpi_send_(void* data, Int* count, Int* type, Int* to, Int* tag, Int* comm, Int* error);
void mpi_irecv_(void* data, Int* count, Int* type, Int* from, Int* tag, Int* comm, Int* request, Int* error);
void mpi_wait_(Int* request, Int* status, Int* error);
void mpi_allgatherv_(void* out, Int* count, Int* type, void* in, Int* counts, Int* at, Int* types, Int* comm,
                     Int* error);

#ifdef PROGRAM

/* Each of two ranks sends 40 bytes to the other, and gives one, or two, integers to both. */
int main(void) {
    Int world = 0, type = 7; /* MPI_COMM_WORLD and MPI_INTEGER of Open MPI's mpif.h */
    Int error, rank, size, other, request, tag = 1, ten = 10, out[10] = {0}, in[10], counts[2] = {1, 2}, at[2] = {0, 1};
    mpi_init_(&error);
    mpi_comm_rank_(&world, &rank, &error);
    mpi_comm_size_(&world, &size, &error);
    other = 1 - rank;
    mpi_irecv_(in, &ten, &type, &other, &tag, &world, &request, &error);
    mpi_send_(out, &ten, &type, &other, &tag, &world, &error);
    mpi_wait_(&request, MPI_F_STATUS_IGNORE, &error);
    mpi_allgatherv_(out, &counts[rank], &type, in, counts, at, &type, &world, &error);
    mpi_finalize_(&error);
    return error;
}

#else

void mpi_init_(Int* error) { *error = PMPI_Init(NULL, NULL); }
#ifdef TOOL
#define MPI_Topo_test PMPI_Topo_test
#else
void pmpi_init_(Int* error) { mpi_init_(error); }
#endif
void mpi_finalize_(Int* error) { *error = PMPI_Finalize(); }
void mpi_comm_rank_(Int* comm, Int* rank, Int* error) { *error = PMPI_Comm_rank(PMPI_Comm_f2c(*comm), rank); }
void mpi_comm_size_(Int* comm, Int* size, Int* error) { *error = PMPI_Comm_size(PMPI_Comm_f2c(*comm), size); }
void mpi_send_(void* data, Int* count, Int* type, Int* to, Int* tag, Int* comm, Int* error) {
    *error = PMPI_Send(data, *count, PMPI_Type_f2c(*type), *to, *tag, PMPI_Comm_f2c(*comm));
}
void mpi_irecv_(void* data, Int* count, Int* type, Int* from, Int* tag, Int* comm, Int* request, Int* error) {
    MPI_Request made;
    *error = PMPI_Irecv(data, *count, PMPI_Type_f2c(*type), *from, *tag, PMPI_Comm_f2c(*comm), &made);
    *request = PMPI_Request_c2f(made);
}
void mpi_wait_(Int* request, Int* status, Int* error) {
    MPI_Request waited = PMPI_Request_f2c(*request);
    if (status != MPI_F_STATUS_IGNORE) abort();
    *error = PMPI_Wait(&waited, MPI_STATUS_IGNORE);
    *request = PMPI_Request_c2f(waited);
}
void mpi_allgatherv_(void* out, Int* count, Int* type, void* in, Int* counts, Int* at, Int* types, Int* comm,
                     Int* error) {
    int size, topology;
    *error = PMPI_Comm_size(PMPI_Comm_f2c(*comm), &size);    /* as Open MPI does, to convert the arrays; */
    *error = MPI_Topo_test(PMPI_Comm_f2c(*comm), &topology); /* others ask for more, and also by this name */
    if (size != 2 || topology != MPI_UNDEFINED) abort();
    *error = PMPI_Allgatherv(out, *count, PMPI_Type_f2c(*type), in, counts, at, PMPI_Type_f2c(*types),
                             PMPI_Comm_f2c(*comm));
}

#endif
