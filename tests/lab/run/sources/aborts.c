// Messages from rank 0 to rank 1, of which agents reroute some; then rank 1 aborts while others are on their way.
#include <mpi.h>
#include <unistd.h>

enum { MESSAGES = 50, LONG = 300000 };
static char in[MESSAGES][LONG], out[LONG];

int main(int argc, char** argv) {
    int rank;
    MPI_Request requests[MESSAGES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 400; ++round) { /* until agents know where the ranks are, and say what they carry */
        if (rank == 0) MPI_Send(out, 10000, MPI_CHAR, 1, MESSAGES, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(in[0], LONG, MPI_CHAR, 0, MESSAGES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(10000);
    }
    for (int i = 0; i < MESSAGES; ++i) {
        if (rank == 0) MPI_Isend(out, i % 2 ? 10 : LONG, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
        if (rank == 1) MPI_Irecv(in[i], LONG, MPI_CHAR, 0, MESSAGES - 1 - i, MPI_COMM_WORLD, &requests[i]);
    }
    if (rank == 1) MPI_Waitall(10, requests + MESSAGES - 10, MPI_STATUSES_IGNORE);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (rank == 0) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    for (;;) MPI_Barrier(MPI_COMM_WORLD);
}
