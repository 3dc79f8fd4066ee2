// SPDX-License-Identifier: Apache-2.0
// Communicators of all kinds: parts, between groups, grids, as attributes of each other.
#include <stdlib.h>

#include "semantics.h"

static int free_attribute(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    const int error = MPI_Comm_free(value);
    free(value);
    return error;
}

/// A communicator that is an attribute of another one goes with it.
void attributes(void) {
    int key, got;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attribute, &key, NULL);
    for (int i = 0; i < 5; ++i) {
        MPI_Comm outer, *inner = malloc(sizeof *inner);
        MPI_Comm_dup(world, &outer);
        MPI_Comm_dup(outer, inner);
        MPI_Comm_set_attr(outer, key, inner);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, *inner, MPI_STATUS_IGNORE);
        NEED(got == i);
        MPI_Comm_free(&outer);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, 1, &got, 1, MPI_INT, last_rank, 1, world, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free_keyval(&key);
}

void communicators(void) {
    MPI_Comm copy, halves, ring, between, merged, some;
    int value = rank, got = -1, other;
    MPI_Status status;
    MPI_Request request, sends[2];
    MPI_Comm_dup(world, &copy);
    /* The same envelope on two communicators. */
    const int one = 1, two = 2;
    MPI_Isend(&one, 1, MPI_INT, next_rank, 0, world, &sends[0]);
    MPI_Isend(&two, 1, MPI_INT, next_rank, 0, copy, &sends[1]);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &status);
    NEED(got == 2 && status.MPI_SOURCE == last_rank);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    NEED(got == 1);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    /* Ranks of a part, backwards. */
    MPI_Comm_split(copy, rank % 2, -rank, &halves);
    int half_rank, half_size;
    MPI_Comm_rank(halves, &half_rank);
    MPI_Comm_size(halves, &half_size);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, halves, &request);
    MPI_Send(&value, 1, MPI_INT, (half_rank + 1) % half_size, 1, halves);
    MPI_Wait(&request, &status);
    NEED(status.MPI_SOURCE == (half_rank + half_size - 1) % half_size);
    NEED(got % 2 == rank % 2 && (half_size == 1 || got != rank));
    /* Between the parts: ranks of the other group. */
    MPI_Intercomm_create(halves, 0, world, rank % 2 ? (size - 1) / 2 * 2 : (size / 2 - 1) * 2 + 1, 17, &between);
    MPI_Comm_remote_size(between, &other);
    for (int i = 0; i < 5; ++i) {
        if (half_rank < other) {
            const int out = 10 * rank + i;
            MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, between, &request);
            MPI_Send(&out, 1, MPI_INT, half_rank, 1, between);
            MPI_Wait(&request, &status);
            NEED(status.MPI_SOURCE == half_rank && got % 10 == i && (got / 10) % 2 != rank % 2);
        }
    }
    MPI_Intercomm_merge(between, rank % 2, &merged);
    int merged_rank, merged_size;
    MPI_Comm_rank(merged, &merged_rank);
    MPI_Comm_size(merged, &merged_size);
    NEED(merged_size == size);
    MPI_Sendrecv(&merged_rank, 1, MPI_INT, (merged_rank + 1) % size, 2, &got, 1, MPI_INT, MPI_ANY_SOURCE, 2, merged,
                 &status);
    NEED(got == (merged_rank + size - 1) % size && status.MPI_SOURCE == got);
    /* A grid of one dimension. */
    MPI_Cart_create(world, 1, (int[]){size}, (int[]){1}, 0, &ring);
    int before, after;
    MPI_Cart_shift(ring, 0, 1, &before, &after);
    MPI_Sendrecv(&value, 1, MPI_INT, after, 0, &got, 1, MPI_INT, before, 0, ring, &status);
    NEED(got == before);
    /* By some of the ranks alone. */
    MPI_Group all, first;
    MPI_Comm_group(world, &all);
    MPI_Group_range_incl(all, 1, (int[][3]){{0, (size + 1) / 2 - 1, 1}}, &first);
    if (rank < (size + 1) / 2) {
        MPI_Comm_create_group(world, first, 3, &some);
        int some_size;
        MPI_Comm_size(some, &some_size);
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % some_size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, some, &status);
        NEED(got == (rank + some_size - 1) % some_size);
        MPI_Comm_free(&some);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&first);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&halves);
    MPI_Comm_free(&copy);
    /* Handles are used again, for communicators of another size. */
    for (int i = 0; i < 2 * size; ++i) {
        int part_rank, part_size;
        MPI_Comm_split(world, rank <= i % size, rank, &halves);
        MPI_Comm_dup(halves, &copy);
        MPI_Comm_rank(halves, &part_rank);
        MPI_Comm_size(halves, &part_size);
        MPI_Sendrecv(&rank, 1, MPI_INT, (part_rank + 1) % part_size, i, &got, 1, MPI_INT, MPI_ANY_SOURCE, i, halves,
                     &status);
        NEED(status.MPI_SOURCE == (part_rank + part_size - 1) % part_size);
        MPI_Sendrecv(&i, 1, MPI_INT, (part_rank + 1) % part_size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     copy, &status);
        NEED(got == i && status.MPI_SOURCE == (part_rank + part_size - 1) % part_size);
        MPI_Comm_free(&halves);
        MPI_Comm_free(&copy);
    }
    for (int i = 0; i < 20; ++i) {
        MPI_Comm_dup(world, &copy);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, i, &got, 1, MPI_INT, last_rank, i, copy, &status);
        NEED(got == i);
        MPI_Comm_free(&copy);
    }
}

/// Who makes a communicator has posted the receive that somebody waits for who has yet to come.
void made_while_receiving(void) {
    const int late = rank % 2, partner = late ? rank - 1 : rank + 1;
    const int colour = rank % 2;
    MPI_Comm parts, made;
    MPI_Comm_split(world, colour, rank, &parts);
    for (int i = 0; i < 60; ++i) {
        int got = -1;
        MPI_Request request = MPI_REQUEST_NULL;
        if (!late && partner < size) MPI_Irecv(&got, 1, MPI_INT, partner, i, world, &request);
        if (late) MPI_Ssend(&i, 1, MPI_INT, partner, i, world);
        if (i % 3 == 0) {
            MPI_Comm_dup(world, &made);
        } else if (i % 3 == 1) {
            MPI_Group all;
            MPI_Comm_group(world, &all);
            MPI_Comm_create_group(world, all, i, &made);
            MPI_Group_free(&all);
        } else {
            MPI_Intercomm_create(parts, 0, world, 1 - colour, i, &made);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        NEED(late || partner == size || got == i);
        MPI_Comm_free(&made);
    }
    MPI_Comm_free(&parts);
}

static int deleted;

static int count_deleted(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)value, (void)state;
    ++deleted;
    return MPI_SUCCESS;
}

/// A communicator that is freed before its persistent requests is gone when they are, at the latest: MPICH has no more
/// than 2048 at a time. Until then they may be started.
void freed_first(void) {
    enum { TIMES = 60 };
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &key, NULL);
    for (int i = 0; i < TIMES; ++i) {
        int out, in;
        MPI_Comm own;
        MPI_Request requests[2];
        MPI_Comm_dup(world, &own);
        MPI_Comm_set_attr(own, key, NULL);
        MPI_Send_init(&out, 1, MPI_INT, next_rank, 1, own, &requests[0]);
        MPI_Recv_init(&in, 1, MPI_INT, i % 4 ? last_rank : MPI_ANY_SOURCE, 1, own, &requests[1]);
        for (int start = 0; start < 4; ++start) {
            if (start == 2) {
                deleted = 0; /* they are, when nothing uses the communicator any more, at the latest */
                MPI_Comm_free(&own);
                NEED(own == MPI_COMM_NULL);
            }
            if (start < 2 ? i % 3 != 0 : i % 2 != 0) {
                out = 10 * rank + start;
                in = -1;
                MPI_Startall(2, requests);
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
                NEED(in == 10 * last_rank + start);
            }
        }
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
        NEED(deleted == 1);
    }
    MPI_Comm_free_keyval(&key);
}
