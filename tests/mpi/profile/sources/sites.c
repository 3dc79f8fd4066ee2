/* Calls of MPI from places that are known: see the comments. 2 ranks. */
#include <mpi.h>

static int rank;

__attribute__((noinline)) static void exchange(int bytes) {
    static char data[1000];
    if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD); /* send */
    if (rank == 1) MPI_Recv(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* receive */
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* rank */
    for (int step = 0; step < 5; ++step) {
        exchange(100);
        MPI_Barrier(MPI_COMM_WORLD); /* barrier */
    }
    MPI_Barrier(MPI_COMM_WORLD); /* last */
    MPI_Finalize();
    return 0;
}
