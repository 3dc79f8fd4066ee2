// Ranks exchange messages with partners and compute between them, asleep, so that other ranks' processors are free:
//   exchange far|all|late BYTES COMPUTE_US ROUNDS
// far: the partner is half of the ranks away; all: each other rank is it in turn; late: the first half of the ranks
// sends to the other one, which computes before it receives, so that its messages are there.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 5 || ranks % 2 != 0) MPI_Abort(MPI_COMM_WORLD, 2);
    const int bytes = atoi(argv[2]), rounds = atoi(argv[4]);
    const useconds_t compute_us = (useconds_t)atoi(argv[3]);
    const int far = (rank + ranks / 2) % ranks;
    char* out = calloc((size_t)bytes, 1);
    char* in = calloc((size_t)bytes, 1);
    for (int round = 0; round < rounds; ++round) {
        // Of all, two ranks are partners in the same round: their numbers add up to the same, modulo the ranks.
        const int partner = strcmp(argv[1], "all") == 0 ? (round + ranks - rank) % ranks : far;
        const int late = strcmp(argv[1], "late") == 0;
        if (late && rank < ranks / 2) MPI_Send(out, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
        if (compute_us > 0) usleep(compute_us);
        if (late && rank >= ranks / 2) MPI_Recv(in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (late || partner == rank) continue;
        MPI_Sendrecv(out, bytes, MPI_CHAR, partner, 1, in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    if (rank == 0) printf("exchanged\n");
    MPI_Finalize();
    return 0;
}
