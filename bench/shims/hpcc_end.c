// Loaded into HPCC by LD_PRELOAD: ends the program in good order before its latency and bandwidth part.
//
// That part rings 2 MB messages around in 30 random orders, takes six times as long as all other parts together, and
// cannot be switched off. It is the first on all ranks to ask for the clock's resolution after the FFT, which is the
// only part that calls MPI_Alltoall. Every rank calls it there, so finalising is collective as MPI demands.
#include <mpi.h>
#include <stdlib.h>

static int transformed;

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm communicator) {
    transformed = 1;
    return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, communicator);
}

double MPI_Wtick(void) {
    if (transformed) {
        PMPI_Finalize();
        exit(EXIT_SUCCESS);
    }
    return PMPI_Wtick();
}
