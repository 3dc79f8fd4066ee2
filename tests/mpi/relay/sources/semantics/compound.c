// SPDX-License-Identifier: Apache-2.0
// What MPI 4 has added: exchanges with one request, messages in partitions, the status of several requests.
#include <limits.h>
#include <stdlib.h>

#include "semantics.h"

void later_exchanges(void) {
#ifdef HAS_FUNCTIONS_OF_MPI_4
    const int lengths[] = {SMALL, MIDDLE, LARGE};
    for (int i = 0; i < 9; ++i) {
        const int length = lengths[i % 3];
        unsigned char *out = memory(length), *in = memory(length);
        MPI_Request requests[2];
        MPI_Status statuses[2];
        int there = rank, back = -1;
        write_bytes(out, length, rank);
        MPI_Isendrecv(out, length, MPI_BYTE, next_rank, i, in, length, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : last_rank, i,
                      world, &requests[0]);
        MPI_Isendrecv_replace(&there, 1, MPI_INT, last_rank, 100 + i, next_rank, 100 + i, world, &requests[1]);
        if (i % 4 == 0) {
            MPI_Waitall(2, requests, statuses);
        } else {
            int flag = 0;
            while (!flag) MPI_Test(&requests[1], &flag, &statuses[1]);
            MPI_Wait(&requests[0], &statuses[0]);
        }
        NEED(are_bytes(in, length, last_rank) && there == next_rank);
#ifdef OPEN_MPI /* MPICH sets none, without the plane */
        NEED(statuses[0].MPI_SOURCE == last_rank && statuses[0].MPI_TAG == i);
        NEED(count_of(&statuses[0], MPI_BYTE) == length && statuses[1].MPI_SOURCE == next_rank);
#endif
        MPI_Isendrecv(&rank, 1, MPI_INT, rank ? MPI_PROC_NULL : 1, 5, &back, 1, MPI_INT, rank == 1 ? 0 : MPI_PROC_NULL,
                      5, world, &requests[0]);
        MPI_Wait(&requests[0], &statuses[0]);
        NEED(rank == 1 ? back == 0 : back == -1);
        free(out);
        free(in);
    }
#endif
}

#if MPI_VERSION >= 4
/// What the plane does not carry is refused by the library. Many are made and freed, each with its own message.
static void refused_and_freed(void) {
    MPI_Comm copy;
    MPI_Request send, receive;
    int class, largest, found, *bound;
    MPI_Comm_dup(world, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Psend_init(&found, 1, 1, MPI_INT, size, 0, copy, MPI_INFO_NULL, &send), &class);
    NEED(class == MPI_ERR_RANK);
    MPI_Error_class(MPI_Precv_init(&found, 1, 1, MPI_INT, size + 1000000, 0, copy, MPI_INFO_NULL, &send), &class);
    NEED(class == MPI_ERR_RANK);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    largest = *bound;
    if (largest < INT_MAX) {
        MPI_Error_class(MPI_Psend_init(&found, 1, 1, MPI_INT, 0, largest + 1, copy, MPI_INFO_NULL, &send), &class);
        NEED(class == MPI_ERR_TAG);
    }
    for (int i = 0; i < 50; ++i) {
        int out = 100 * rank + i, in = -1;
        MPI_Psend_init(&out, 1, 1, MPI_INT, next_rank, 0, copy, MPI_INFO_NULL, &send);
        MPI_Start(&send);
        MPI_Pready(0, send);
        if (i % 3 == 0) MPI_Barrier(copy); /* it comes before there is a receive */
        MPI_Precv_init(&in, 1, 1, MPI_INT, last_rank, 0, copy, MPI_INFO_NULL, &receive);
        MPI_Start(&receive);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        NEED(in == 100 * last_rank + i);
        MPI_Request_free(&receive);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Request_free(&send);
    }
    /* Requests outlive the handle of their communicator. */
    for (int i = 0; i < 5; ++i) {
        int out = rank + i, in = -1;
        MPI_Comm gone;
        MPI_Comm_dup(world, &gone);
        MPI_Precv_init(&in, 1, 1, MPI_INT, last_rank, 0, gone, MPI_INFO_NULL, &receive);
        MPI_Psend_init(&out, 1, 1, MPI_INT, next_rank, 0, gone, MPI_INFO_NULL, &send);
        MPI_Comm_free(&gone);
        for (int time = 0; time < 2; ++time) {
            in = -1;
            MPI_Start(&receive);
            MPI_Start(&send);
            MPI_Pready(0, send);
            MPI_Wait(&receive, MPI_STATUS_IGNORE);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
            NEED(in == last_rank + i);
        }
        MPI_Request_free(&receive);
        MPI_Request_free(&send);
    }
    MPI_Comm_free(&copy);
}
#endif

void partitioned(void) {
#if MPI_VERSION >= 4 /* in Open MPI 5, partitioned messages fail by themselves */
    enum { PARTS = 5, OTHER = 3, PAIRS = 3 };
    for (int round = 0; round < 3; ++round) {
        int out[PAIRS][PARTS * OTHER], in[PAIRS][PARTS * OTHER], decoy = -1;
        MPI_Request requests[2 * PAIRS], other;
        const int to = round == 2 ? rank : next_rank, from = round == 2 ? rank : last_rank;
        for (int i = 0; i < PAIRS; ++i) { /* two with the same envelope, in the order in which they are made */
            MPI_Psend_init(out[i], PARTS, OTHER, MPI_INT, to, i / 2, world, MPI_INFO_NULL, &requests[2 * i]);
            MPI_Precv_init(in[i], OTHER, PARTS, MPI_INT, from, i / 2, world, MPI_INFO_NULL, &requests[2 * i + 1]);
        }
        /* A message with the same envelope is not theirs. */
        MPI_Irecv(&decoy, 1, MPI_INT, last_rank, 0, world, &other);
        for (int time = 0; time < 3; ++time) {
            for (int i = 0; i < PAIRS; ++i)
                for (int j = 0; j < PARTS * OTHER; ++j)
                    out[i][j] = 1000 * rank + 100 * i + 10 * time + j, in[i][j] = -1;
            MPI_Startall(PAIRS, requests + PAIRS);
            MPI_Startall(PAIRS, requests);
            for (int i = PAIRS - 1; i >= 0; --i) {
                MPI_Pready(3, requests[2 * i]);
                MPI_Pready_range(0, 1, requests[2 * i]);
                MPI_Pready_list(2, (int[]){4, 2}, requests[2 * i]);
            }
            int flag = 0;
            while (!flag) MPI_Parrived(requests[1], 1, &flag);
            NEED(in[0][PARTS] == 1000 * from + 10 * time + PARTS);
            MPI_Waitall(2 * PAIRS, requests, MPI_STATUSES_IGNORE);
            for (int i = 0; i < PAIRS; ++i)
                for (int j = 0; j < PARTS * OTHER; ++j) NEED(in[i][j] == 1000 * from + 100 * i + 10 * time + j);
        }
        NEED(decoy == -1);
        MPI_Barrier(world);
        MPI_Send(&rank, 1, MPI_INT, next_rank, 0, world);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
        NEED(decoy == last_rank);
        for (int i = 0; i < 2 * PAIRS; ++i) MPI_Request_free(&requests[i]);
    }
    refused_and_freed();
#endif
}

/// Requests that are not started are passed over, also those that stay the library's.
void beside_what_is_not_started(void) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    enum { RECEIVE, IDLE, NOBODY, OWN, ALL };
    int in[ALL] = {-1, -1, -1, -1}, flag = -1, index = -1, number = -1, indices[ALL];
    MPI_Request requests[ALL];
    MPI_Status statuses[ALL];
    MPI_Irecv(&in[RECEIVE], 1, MPI_INT, last_rank, 1, world, &requests[RECEIVE]);
    MPI_Send_init(&rank, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[IDLE]);
    MPI_Recv_init(&in[NOBODY], 1, MPI_INT, MPI_PROC_NULL, 1, world, &requests[NOBODY]);
    MPI_Irecv(&in[OWN], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[OWN]);
    MPI_Request_get_status_any(ALL, requests, &index, &flag, statuses);
    NEED(!flag && index == MPI_UNDEFINED);
    MPI_Request_get_status_some(ALL, requests, &number, indices, statuses);
    NEED(number == 0);
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    for (flag = 0; !flag;) MPI_Request_get_status_any(ALL, requests, &index, &flag, statuses);
    NEED(index == OWN && statuses[0].MPI_SOURCE == 0 && in[OWN] == rank);
    MPI_Request_get_status_some(ALL, requests, &number, indices, statuses);
    NEED(number == 1 && indices[0] == OWN && count_of(&statuses[0], MPI_INT) == 1);
    MPI_Request_get_status_all(ALL, requests, &flag, statuses);
    NEED(!flag);
    MPI_Barrier(world);
    MPI_Send(&rank, 1, MPI_INT, next_rank, 1, world);
    for (flag = 0; !flag;) MPI_Request_get_status_all(ALL, requests, &flag, statuses);
    NEED(statuses[RECEIVE].MPI_SOURCE == last_rank && statuses[NOBODY].MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[IDLE]);
    MPI_Request_free(&requests[NOBODY]);
#endif
}

/// Who asks only for the library's own requests still takes what others wait for.
void status_of_others(void) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    for (int which = 0; which < 3; ++which) {
        int in = -1, flag = 0, index = 0, number = 0;
        MPI_Request receive, send, meeting;
        MPI_Irecv(&in, 1, MPI_INT, last_rank, 1, world, &receive);
        if (rank % 2) MPI_Ssend(&rank, 1, MPI_INT, next_rank, 1, world);
        MPI_Ibarrier(world, &meeting);
        while (!flag) {
            if (which == 0) MPI_Request_get_status_all(1, &meeting, &flag, MPI_STATUSES_IGNORE);
            if (which == 1) MPI_Request_get_status_any(1, &meeting, &index, &flag, MPI_STATUS_IGNORE);
            if (which == 2) {
                MPI_Request_get_status_some(1, &meeting, &number, &index, MPI_STATUSES_IGNORE);
                flag = number == 1;
            }
        }
        MPI_Wait(&meeting, MPI_STATUS_IGNORE);
        if (rank % 2 == 0) {
            MPI_Issend(&rank, 1, MPI_INT, next_rank, 1, world, &send);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        NEED(in == last_rank);
    }
#endif
}

void status_of_several(void) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    for (int i = 0; i < 10; ++i) {
        int in[2] = {-1, -1}, flag = -1, index = -1, number = -1, indices[3];
        MPI_Request requests[3] = {MPI_REQUEST_NULL};
        MPI_Status statuses[3];
        MPI_Irecv(&in[0], 1, MPI_INT, last_rank, 1, world, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, last_rank, 2, world, &requests[2]);
        requests[1] = MPI_REQUEST_NULL;
        MPI_Request_get_status_all(3, requests, &flag, statuses);
        NEED(!flag || in[0] == last_rank);
        MPI_Barrier(world);
        MPI_Send(&rank, 1, MPI_INT, next_rank, 2, world);
        for (flag = 0; !flag;) MPI_Request_get_status_any(3, requests, &index, &flag, statuses);
        NEED(index == 2 && statuses[0].MPI_TAG == 2 && in[1] == last_rank);
        MPI_Request_get_status_some(3, requests, &number, indices, statuses);
        NEED(number == 1 && indices[0] == 2 && statuses[0].MPI_SOURCE == last_rank);
        MPI_Barrier(world);
        MPI_Send(&rank, 1, MPI_INT, next_rank, 1, world);
        for (flag = 0; !flag;) MPI_Request_get_status_all(3, requests, &flag, statuses);
        NEED(in[0] == last_rank && statuses[0].MPI_TAG == 1 && statuses[2].MPI_TAG == 2);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Request_get_status_any(3, requests, &index, &flag, statuses);
        NEED(flag && index == MPI_UNDEFINED);
    }
#endif
}

/// Persistent collective operations and messages in one array, of which some are complete long before others. MPICH
/// 4.0.2 does not end it without the plane.
void persistent_collectives(void) {
#ifdef HAS_FUNCTIONS_OF_MPI_4
    enum { SUM, CAST, MEETING, IN, OUT, ALL };
    int sum, cast, in;
    MPI_Request requests[ALL];
    MPI_Status statuses[ALL];
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[SUM]);
    MPI_Bcast_init(&cast, 1, MPI_INT, 0, world, MPI_INFO_NULL, &requests[CAST]);
    MPI_Barrier_init(world, MPI_INFO_NULL, &requests[MEETING]);
    MPI_Recv_init(&in, 1, MPI_INT, last_rank, 6, world, &requests[IN]);
    MPI_Ssend_init(&rank, 1, MPI_INT, next_rank, 6, world, &requests[OUT]);
    for (int time = 0; time < 12; ++time) {
        sum = in = -1;
        cast = rank == 0 ? time : -1;
        MPI_Startall(ALL, requests);
        if (time % 3 == 0) {
            MPI_Waitall(ALL, requests, statuses);
            NEED(statuses[IN].MPI_SOURCE == last_rank && count_of(&statuses[IN], MPI_INT) == 1);
        } else {
            int flag = 0;
            while (time % 3 == 1 && !flag) MPI_Test(&requests[SUM], &flag, MPI_STATUS_IGNORE);
            MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE);
        }
        NEED(sum == size * (size - 1) / 2 && cast == time && in == last_rank);
        for (int i = 0; i < ALL; ++i) NEED(requests[i] != MPI_REQUEST_NULL);
    }
    for (int i = 0; i < ALL; ++i) MPI_Request_free(&requests[i]);
#endif
}
