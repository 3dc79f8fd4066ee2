// SPDX-License-Identifier: Apache-2.0
// Every call that completes requests, requests that are let go of, and what must not wait in the library.
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

/// Receives posted with and without wildcards meet messages in the order of posting, however they are completed.
void posting_order(void) {
    enum { RECEIVES = 24 };
    int in[RECEIVES], out[RECEIVES], done = 0;
    MPI_Request receives[RECEIVES], sends[RECEIVES];
    MPI_Status statuses[RECEIVES], status;
    for (int way = 0; way < 6; ++way) {
        for (int i = 0; i < RECEIVES; ++i) {
            in[i] = -1;
            MPI_Irecv(&in[i], 1, MPI_INT, i % 3 ? last_rank : MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : 4, world,
                      &receives[i]);
        }
        for (int i = 0; i < RECEIVES; ++i) {
            out[i] = 100 * rank + i;
            MPI_Isend(&out[i], 1, MPI_INT, next_rank, 4, world, &sends[i]);
        }
        int index, flag = 0, number, indices[RECEIVES];
        done = 0;
        switch (way) {
            case 0:
                for (; done < RECEIVES; ++done) {
                    MPI_Waitany(RECEIVES, receives, &index, &status);
                    NEED(index >= 0 && index < RECEIVES && receives[index] == MPI_REQUEST_NULL);
                    NEED(status.MPI_SOURCE == last_rank && in[index] == 100 * last_rank + index);
                }
                MPI_Waitany(RECEIVES, receives, &index, &status);
                NEED(index == MPI_UNDEFINED);
                break;
            case 1:
                while (done < RECEIVES) {
                    MPI_Waitsome(RECEIVES, receives, &number, indices, statuses);
                    NEED(number > 0);
                    for (int i = 0; i < number; ++i, ++done) NEED(statuses[i].MPI_TAG == 4 && in[indices[i]] >= 0);
                }
                MPI_Waitsome(RECEIVES, receives, &number, indices, statuses);
                NEED(number == MPI_UNDEFINED);
                break;
            case 2:
                while (done < RECEIVES) {
                    MPI_Testany(RECEIVES, receives, &index, &flag, &status);
                    NEED(!flag || index != MPI_UNDEFINED);
                    done += flag;
                }
                MPI_Testany(RECEIVES, receives, &index, &flag, &status);
                NEED(flag && index == MPI_UNDEFINED);
                break;
            case 3:
                while (done < RECEIVES) {
                    MPI_Testsome(RECEIVES, receives, &number, indices, MPI_STATUSES_IGNORE);
                    done += number;
                }
                break;
            case 4:
                while (!flag) MPI_Testall(RECEIVES, receives, &flag, statuses);
                NEED(statuses[5].MPI_SOURCE == last_rank && count_of(&statuses[5], MPI_INT) == 1);
                break;
            default:
                for (int i = RECEIVES - 1; i >= 0; --i) {
                    for (flag = 0; !flag;) {
                        MPI_Request_get_status(receives[i], &flag, &status);
                    }
                    NEED(receives[i] != MPI_REQUEST_NULL && status.MPI_SOURCE == last_rank);
                    for (flag = 0; !flag;) MPI_Test(&receives[i], &flag, &status);
                    NEED(status.MPI_SOURCE == last_rank && status.MPI_TAG == 4);
                }
        }
        for (int i = 0; i < RECEIVES; ++i) NEED(receives[i] == MPI_REQUEST_NULL && in[i] == 100 * last_rank + i);
        MPI_Waitall(RECEIVES, sends, MPI_STATUSES_IGNORE);
        MPI_Barrier(world);
    }
}

/// A handle that is let go of: the message comes all the same.
void letting_go(void) {
    int values[2] = {rank, rank + 1}, in[2] = {-1, -1};
    MPI_Request request;
    MPI_Irecv(&in[0], 1, MPI_INT, last_rank, 3, world, &request);
    MPI_Request_free(&request);
    NEED(request == MPI_REQUEST_NULL);
    MPI_Isend(&values[0], 1, MPI_INT, next_rank, 3, world, &request);
    MPI_Request_free(&request);
    MPI_Sendrecv(&values[1], 1, MPI_INT, next_rank, 3, &in[1], 1, MPI_INT, last_rank, 3, world, MPI_STATUS_IGNORE);
    NEED(in[1] == last_rank + 1);
    for (int flag; *(volatile int*)&in[0] != last_rank;)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}

/// Legal, and dead if rank 1 slept in the library's barrier.
void synchronous_and_barrier(void) {
    int value = 5, got = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 1, world, &request);
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 1, world);
    MPI_Barrier(world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    NEED(rank != 1 || got == 5);
    /* A long message, whose receive comes after a collective call of both. */
    unsigned char* bytes = memory(LARGE);
    write_bytes(bytes, LARGE, 3);
    MPI_Request sending = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Isend(bytes, LARGE, MPI_BYTE, 1, 2, world, &sending);
    MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, world);
    NEED(got == 5 * size);
    if (rank == 1) {
        memset(bytes, 0, LARGE);
        MPI_Recv(bytes, LARGE, MPI_BYTE, 0, 2, world, MPI_STATUS_IGNORE);
        NEED(are_bytes(bytes, LARGE, 3));
    }
    MPI_Bcast(&got, 1, MPI_INT, 1, world);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    free(bytes);
}

enum { NEVER = 900, INSIDE, AFTERWARDS };
static int ended;

/// Of an attribute: a receive that nobody sends to ends, and messages go round.
static int end_receive(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    MPI_Request* request = value;
    MPI_Status status;
    int flag, got = -1, sum = 0;
    MPI_Cancel(request);
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &flag);
    NEED(flag && *request == MPI_REQUEST_NULL);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, INSIDE, world, request);
    MPI_Send(&rank, 1, MPI_INT, next_rank, INSIDE, world);
    for (flag = 0; !flag;) MPI_Test(request, &flag, &status);
    NEED(got == last_rank && status.MPI_SOURCE == last_rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, world);
    NEED(sum == size * (size - 1) / 2);
    ++ended;
    return MPI_SUCCESS;
}

/// Callbacks inside a call of MPI call MPI in their turn. One is left for MPI_Finalize.
void callbacks(void) {
    static MPI_Request last;
    static int last_in, there;
    int key, in, got;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_receive, &key, NULL);
    for (int i = 0; i < 20; ++i) {
        MPI_Comm own;
        MPI_Request request;
        MPI_Comm_dup(world, &own);
        MPI_Irecv(&in, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : last_rank, NEVER, world, &request);
        MPI_Comm_set_attr(own, key, &request);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, AFTERWARDS, &got, 1, MPI_INT, last_rank, AFTERWARDS, world,
                     MPI_STATUS_IGNORE);
        NEED(got == i);
        ended = 0;
        MPI_Comm_free(&own);
        NEED(ended == 1);
        for (int k = 0; k < 5; ++k) { /* none of it is counted twice, or not at all */
            MPI_Sendrecv(&k, 1, MPI_INT, next_rank, AFTERWARDS, &got, 1, MPI_INT, MPI_ANY_SOURCE, AFTERWARDS, world,
                         MPI_STATUS_IGNORE);
            NEED(got == k);
        }
    }
    if (!there++) {
        MPI_Irecv(&last_in, 1, MPI_INT, last_rank, NEVER, world, &last);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &last);
    }
    MPI_Comm_free_keyval(&key);
}
