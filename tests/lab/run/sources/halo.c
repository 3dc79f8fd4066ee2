// A domain that is cut into strips, one a rank: in each round a rank exchanges its borders with the strips beside it,
// and computes, asleep, so that other ranks' processors are free:
//   halo BYTES,BYTES,.. COMPUTE_US ROUNDS
// There is a border less than ranks: what crosses it each way, from that between ranks 0 and 1 on.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The bytes of the border before the `rank`th strip; none before the first and behind the last one.
static int border(const char* list, int rank, int ranks) {
    if (rank == 0 || rank == ranks) return 0;
    char* end = (char*)list;
    long bytes = 0;
    for (int place = 0; place < rank; ++place) {
        bytes = strtol(end, &end, 10);
        if (*end == ',') ++end;
    }
    if (bytes <= 0) MPI_Abort(MPI_COMM_WORLD, 2);
    return (int)bytes;
}

static void exchange(char* out, char* in, int bytes, int partner) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, partner, 1, in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
    const int before = border(argv[1], rank, ranks), behind = border(argv[1], rank + 1, ranks);
    const useconds_t compute_us = (useconds_t)atoi(argv[2]);
    const int rounds = atoi(argv[3]);
    char* out = calloc((size_t)(before + behind), 1);
    char* in = calloc((size_t)(before + behind), 1);
    for (int round = 0; round < rounds; ++round) {
        // Even borders first, then odd ones: no strip waits for one that waits for a third.
        for (int parity = 0; parity < 2; ++parity) {
            if (rank % 2 == parity && behind > 0) exchange(out, in, behind, rank + 1);
            if (rank % 2 != parity && before > 0) exchange(out, in, before, rank - 1);
        }
        usleep(compute_us);
    }
    if (rank == 0) printf("exchanged\n");
    MPI_Finalize();
    return 0;
}
