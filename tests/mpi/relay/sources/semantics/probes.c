// SPDX-License-Identifier: Apache-2.0
// Probes and matched probes, blocking and not.
#include <stdlib.h>

#include "semantics.h"

void probes(void) {
    enum { MESSAGES = 20 };
    int out[MESSAGES], got = -1, flag;
    MPI_Request sends[MESSAGES], receive;
    MPI_Status status;
    MPI_Message message;
    unsigned char* bytes = memory(LARGE);
    for (int i = 0; i < MESSAGES; ++i) {
        out[i] = i;
        MPI_Isend(&out[i], 1, MPI_INT, next_rank, i % 4, world, &sends[i]);
    }
    for (int i = 0; i < MESSAGES; ++i) {
        switch (i % 4) {
            case 0:
                MPI_Probe(MPI_ANY_SOURCE, 0, world, &status);
                NEED(status.MPI_SOURCE == last_rank && status.MPI_TAG == 0 && count_of(&status, MPI_INT) == 1);
                MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, &status);
                break;
            case 1:
                for (flag = 0; !flag;) MPI_Iprobe(last_rank, MPI_ANY_TAG, world, &flag, &status);
                NEED(status.MPI_TAG == 1 && count_of(&status, MPI_INT) == 1);
                MPI_Recv(&got, 1, MPI_INT, last_rank, MPI_ANY_TAG, world, &status);
                break;
            case 2:
                MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
                NEED(status.MPI_TAG == 2 && count_of(&status, MPI_INT) == 1 && message != MPI_MESSAGE_NULL);
                MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
                NEED(message == MPI_MESSAGE_NULL && status.MPI_TAG == 2 && status.MPI_SOURCE == last_rank);
                break;
            default:
                for (flag = 0; !flag;) MPI_Improbe(last_rank, 3, world, &flag, &message, &status);
                MPI_Imrecv(&got, 1, MPI_INT, &message, &receive);
                MPI_Wait(&receive, &status);
                NEED(status.MPI_TAG == 3 && status.MPI_SOURCE == last_rank && count_of(&status, MPI_INT) == 1);
        }
        NEED(got == i);
    }
    MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE);
    /* What a matched probe took is the program's: a later receive gets the next one. Synchronous, pulled when matched.
     */
    write_bytes(bytes, LARGE, rank);
    MPI_Issend(bytes, LARGE, MPI_BYTE, next_rank, 6, world, &sends[0]);
    MPI_Isend(bytes, MIDDLE, MPI_BYTE, next_rank, 6, world, &sends[1]);
    unsigned char* in = memory(LARGE);
    MPI_Mprobe(last_rank, 6, world, &message, &status);
    NEED(count_of(&status, MPI_BYTE) == LARGE);
    MPI_Recv(in, LARGE, MPI_BYTE, last_rank, 6, world, &status);
    NEED(count_of(&status, MPI_BYTE) == MIDDLE && are_bytes(in, MIDDLE, last_rank));
    MPI_Mrecv(in, LARGE, MPI_BYTE, &message, &status);
    NEED(count_of(&status, MPI_BYTE) == LARGE && are_bytes(in, LARGE, last_rank));
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &status);
    MPI_Barrier(world);
    free(bytes);
    free(in);
}
