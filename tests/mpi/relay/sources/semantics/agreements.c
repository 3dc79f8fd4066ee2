// SPDX-License-Identifier: Apache-2.0
// What the members of a communicator settle among those that still live, where the library can. None has failed here:
// revoked.c has one.
#include <stdlib.h>

#include "semantics.h"
#if OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#define SURVIVES 1
#endif

#ifdef SURVIVES
static void agree(MPI_Comm comm) {
    int flag = rank == 0 ? 5 : 7;
    owe();
    NEED(MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag == 5);
    settle();
}

/// Messages on what is made go both ways, too.
static void shrink(MPI_Comm comm) {
    enum { ROUNDS = 4 };
    int members;
    MPI_Comm left;
    unsigned char *out = memory(LARGE), *in = memory(LARGE);
    owe();
    NEED(MPIX_Comm_shrink(comm, &left) == MPI_SUCCESS);
    settle();
    MPI_Comm_size(left, &members);
    NEED(members == size);
    for (int i = 0; i < ROUNDS; ++i) {
        MPI_Request request;
        MPI_Status status;
        const int length = i % 2 ? SMALL : LARGE;
        write_bytes(out, length, rank + i);
        MPI_Isend(out, length, MPI_BYTE, next_rank, i, left, &request);
        MPI_Recv(in, LARGE, MPI_BYTE, i < 2 ? MPI_ANY_SOURCE : last_rank, i, left, &status);
        NEED(status.MPI_SOURCE == last_rank && count_of(&status, MPI_BYTE) == length);
        NEED(are_bytes(in, length, last_rank + i));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&left);
    free(out);
    free(in);
}
#endif

/// Even ranks come to each call while the odd ones wait for a message of theirs.
void agreements(void) {
#ifdef SURVIVES
    MPI_Comm copy;
    MPI_Request request;
    for (int time = 0; time < 4; ++time) {
        agree(world);
        shrink(world);
    }
    MPI_Comm_idup(world, &copy, &request);
    agree(world);
    shrink(world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    agree(copy);
    MPI_Comm_free(&copy);
#endif
}
