// Rank 0 sends, then is away from MPI for 3 s; rank 1 prints how long the message was under way. Both are on one
// machine's clock. The answer is waited for, so that no rank ends before the other one has begun.
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 3; ++round) {
        double sent_s;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            sleep(1);  // rank 1 is waiting
            sent_s = now_s();
            MPI_Send(&sent_s, 1, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
            sleep(3);
        } else if (rank == 1) {
            MPI_Recv(&sent_s, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("under way %.3f s\n", now_s() - sent_s);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
