/* Another tool of the profiling interface: says how often MPI_Send was called. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    ++sends;
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Finalize(void) {
    if (sends) printf("tool saw %d\n", sends);
    return PMPI_Finalize();
}
