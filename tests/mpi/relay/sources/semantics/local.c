// SPDX-License-Identifier: Apache-2.0
// What is local, or does not block, waits for nobody: the others come later, or only when they hear of it.
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

enum { GO = 7000, DATA, KINDS = 4 };
#ifdef OPEN_MPI
enum { IN_STEP = 1 };
#else
enum { IN_STEP = 0 };
#endif

/// Each does it when the one before has told that it is through.
static void in_turn(void (*what)(void* state), void* state) {
    int token = 0;
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, GO, world, MPI_STATUS_IGNORE);
    what(state);
    if (rank < size - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, GO, world);
}

struct Freed {
    MPI_Comm comm;
    unsigned char* out;
    int length, to;
};

/// What it sends is received by one that has freed the communicator.
static void send_and_free(void* state) {
    struct Freed* const freed = state;
    MPI_Request request;
    MPI_Isend(freed->out, freed->length, MPI_BYTE, freed->to, DATA, freed->comm, &request);
    MPI_Comm_free(&freed->comm);
    NEED(freed->comm == MPI_COMM_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Comm made(int kind, int* to, int* from) {
    MPI_Comm comm;
    *to = next_rank, *from = last_rank;
    if (kind % KINDS == 0) {
        MPI_Comm_dup(world, &comm);
    } else if (kind % KINDS == 1) {
        MPI_Comm_split(world, 0, rank, &comm);
    } else if (kind % KINDS == 2) {
        MPI_Cart_create(world, 1, &size, (int[]){1}, 0, &comm);
    } else {
        MPI_Group all;
        MPI_Comm_group(world, &all);
        MPI_Comm_create_group(world, all, kind, &comm);
        MPI_Group_free(&all);
    }
    return comm;
}

/// One process frees a communicator long before the others, with a receive still open on it.
void freed_early(void) {
    static const int lengths[] = {SMALL, MIDDLE, LARGE};
    unsigned char *out = memory(LARGE), *in = memory(LARGE);
    for (int time = 0; time < 4 * KINDS; ++time) {
        struct Freed freed = {MPI_COMM_NULL, out, lengths[time % 3], 0};
        int from;
        MPI_Request receive;
        MPI_Status status;
        freed.comm = made(time, &freed.to, &from);
        write_bytes(out, freed.length, rank + time);
        memset(in, 0, (size_t)freed.length);
        const int source = time % 2 ? MPI_ANY_SOURCE : from, persistent = time % 5 == 4;
        (persistent ? MPI_Recv_init : MPI_Irecv)(in, freed.length, MPI_BYTE, source, DATA, freed.comm, &receive);
        if (persistent) MPI_Start(&receive);
        in_turn(send_and_free, &freed);
        MPI_Wait(&receive, &status);
        NEED(status.MPI_SOURCE == from && count_of(&status, MPI_BYTE) == freed.length);
        NEED(are_bytes(in, freed.length, from + time));
        if (persistent) MPI_Request_free(&receive);
    }
    free(out);
    free(in);
}

static void free_many(void* state) {
    MPI_Comm* const comms = state;
    for (int i = 0; i < 30; ++i) MPI_Comm_free(&comms[i]);
}

/// MPICH has 2048 at a time: those that were freed are gone, although others free theirs later.
void freed_in_turn(void) {
    enum { TIMES = 3, COMMS = 30 };
    MPI_Comm comms[COMMS];
    for (int time = 0; time < TIMES; ++time) {
        for (int i = 0; i < COMMS; ++i) MPI_Comm_dup(world, &comms[i]);
        in_turn(free_many, comms);
    }
}

/// Several copies at once, with messages and with each other, ended in some order.
void overlapping_copies(void) {
    enum { COPIES = 5, TIMES = 6 };
    for (int time = 0; time < TIMES; ++time) {
        MPI_Comm copies[COPIES], parent;
        MPI_Request making[COPIES], messages[2 * COPIES];
        int out[COPIES], in[COPIES], index, sum, flag = 0;
        MPI_Comm_split(world, 0, time % 2 ? -rank : rank, &parent);
        int self, to, from;
        MPI_Comm_rank(parent, &self);
        to = (self + 1) % size, from = (self + size - 1) % size;
        for (int i = 0; i < COPIES; ++i) {
            out[i] = 100 * self + i;
            in[i] = -1;
            MPI_Irecv(&in[i], 1, MPI_INT, (i + time) % 2 ? MPI_ANY_SOURCE : from, i, parent, &messages[2 * i]);
            /* Some begin only when they have a message of one that has begun. Open MPI itself may hang then. */
            if (self % 2 == 0 || IN_STEP) MPI_Comm_idup(parent, &copies[i], &making[i]);
            MPI_Isend(&out[i], 1, MPI_INT, to, i, parent, &messages[2 * i + 1]);
            if (self % 2 == 0 || IN_STEP) continue;
            MPI_Wait(&messages[2 * i], MPI_STATUS_IGNORE);
            MPI_Comm_idup(parent, &copies[i], &making[i]);
        }
        MPI_Test(&making[0], &flag, MPI_STATUS_IGNORE);
        if (time % 3 == 0) MPI_Waitall(2 * COPIES, messages, MPI_STATUSES_IGNORE);
        if (time % 3 == 1) MPI_Waitall(COPIES, making, MPI_STATUSES_IGNORE);
        for (int i = 0; i < COPIES && time % 3 == 2; ++i) MPI_Waitany(COPIES, making, &index, MPI_STATUS_IGNORE);
        MPI_Waitall(COPIES, making, MPI_STATUSES_IGNORE);
        MPI_Waitall(2 * COPIES, messages, MPI_STATUSES_IGNORE);
        for (int i = 0; i < COPIES; ++i) NEED(in[i] == 100 * from + i);
        for (int i = COPIES - 1; i >= 0; --i) { /* the same envelope on each */
            MPI_Isend(&out[i], 1, MPI_INT, to, 0, copies[i], &messages[i]);
            in[i] = -1;
        }
        for (int i = 0; i < COPIES; ++i) {
            MPI_Recv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copies[i], MPI_STATUS_IGNORE);
            NEED(in[i] == 100 * from + i);
            MPI_Allreduce(&self, &sum, 1, MPI_INT, MPI_SUM, copies[i]);
            NEED(sum == size * (size - 1) / 2);
        }
        MPI_Waitall(COPIES, messages, MPI_STATUSES_IGNORE);
        for (int i = 0; i < COPIES; ++i) MPI_Comm_free(&copies[i]);
        MPI_Comm_free(&parent);
    }
}

static void spoil(MPI_Status* status) {
    memset(status, 77, sizeof *status);
}

static int is_empty(MPI_Status* status) {
    int cancelled = 1;
    MPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && !cancelled &&
           count_of(status, MPI_BYTE) == 0;
}

/// Of no request, and of a persistent one that is not started.
void empty_statuses(void) {
    int value, flag, index, number;
    MPI_Request inactive[3], none = MPI_REQUEST_NULL;
    MPI_Status status, statuses[2];
    MPI_Recv_init(&value, 1, MPI_INT, last_rank, GO, world, &inactive[0]);
    MPI_Send_init(&value, 1, MPI_INT, next_rank, GO, world, &inactive[1]);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, GO, world, &inactive[2]);
    for (int i = 0; i < 4; ++i) {
        MPI_Request* const request = i < 3 ? &inactive[i] : &none;
        spoil(&status), flag = 0;
        MPI_Request_get_status(*request, &flag, &status);
        NEED(flag && is_empty(&status));
        flag = 0;
        MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
        NEED(flag);
        spoil(&status), flag = 0;
        MPI_Test(request, &flag, &status);
        NEED(flag && is_empty(&status));
        spoil(&status);
        MPI_Wait(request, &status);
        NEED(is_empty(&status));
    }
    spoil(&status), flag = 0;
    MPI_Testany(2, inactive, &index, &flag, &status);
    NEED(flag && index == MPI_UNDEFINED);
    spoil(&status);
    MPI_Waitany(2, inactive, &index, &status);
    NEED(index == MPI_UNDEFINED && is_empty(&status));
    spoil(&statuses[0]), spoil(&statuses[1]), flag = 0;
    MPI_Testall(2, inactive, &flag, statuses);
    NEED(flag && is_empty(&statuses[0]) && is_empty(&statuses[1]));
    MPI_Waitsome(2, inactive, &number, &index, statuses);
    NEED(number == MPI_UNDEFINED);
    for (int i = 0; i < 3; ++i) MPI_Request_free(&inactive[i]);
}

/// A copy of a copy, while one process looks after it and a barrier on it goes on.
void copies_of_copies(void) {
    for (int time = 0; time < 4; ++time) {
        MPI_Comm first, second;
        MPI_Request making;
        int flag, sum;
        MPI_Comm_idup(world, &first, &making);
        MPI_Wait(&making, MPI_STATUS_IGNORE);
        MPI_Comm_idup(first, &second, &making);
        for (int i = 0; i < 1000 && rank == 1; ++i) MPI_Test(&making, &flag, MPI_STATUS_IGNORE);
        MPI_Barrier(first);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, first);
        NEED(sum == size * (size - 1) / 2);
        MPI_Wait(&making, MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, second);
        NEED(sum == size * (size - 1) / 2);
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
    }
}
