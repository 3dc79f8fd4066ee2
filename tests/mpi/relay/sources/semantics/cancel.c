// SPDX-License-Identifier: Apache-2.0
// Receives that are cancelled, in time and too late.
#include "semantics.h"

/// Every second of the posted receives is cancelled; the messages go to the others, in their order.
void cancelling(void) {
    int in[5] = {0}, flag = 0;
    const int values[3] = {7, 8, 9};
    MPI_Request receives[5];
    MPI_Status status;
    for (int i = 0; i < 4; ++i)
        MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : last_rank, 8, world, &receives[i]);
    MPI_Recv_init(&in[4], 1, MPI_INT, last_rank, 8, world, &receives[4]);
    MPI_Start(&receives[4]);
    for (int i = 0; i < 5; i += 2) { /* nobody has sent yet */
        MPI_Cancel(&receives[i]);
        MPI_Wait(&receives[i], &status);
        MPI_Test_cancelled(&status, &flag);
        NEED(flag && (receives[i] == MPI_REQUEST_NULL) == (i < 4));
    }
    MPI_Barrier(world);
    for (int i = 0; i < 2; ++i) MPI_Send(&values[i], 1, MPI_INT, next_rank, 8, world);
    for (int i = 3; i > 0; i -= 2) {
        MPI_Wait(&receives[i], &status);
        MPI_Test_cancelled(&status, &flag);
        NEED(!flag && status.MPI_SOURCE == last_rank && in[i] == values[i / 2]);
    }
    /* What was cancelled starts again. */
    MPI_Start(&receives[4]);
    MPI_Send(&values[2], 1, MPI_INT, next_rank, 8, world);
    MPI_Wait(&receives[4], &status);
    MPI_Test_cancelled(&status, &flag);
    NEED(!flag && in[4] == 9);
    /* What is complete is not cancelled. */
    MPI_Irecv(&in[0], 1, MPI_INT, last_rank, 8, world, &receives[0]);
    MPI_Send(&values[0], 1, MPI_INT, next_rank, 8, world);
    for (flag = 0; !flag;) MPI_Request_get_status(receives[0], &flag, &status);
    MPI_Cancel(&receives[0]);
    MPI_Wait(&receives[0], &status);
    MPI_Test_cancelled(&status, &flag);
    NEED(!flag && in[0] == 7 && status.MPI_SOURCE == last_rank);
    MPI_Request_free(&receives[4]);
    MPI_Barrier(world);
}
