// SPDX-License-Identifier: Apache-2.0
// Receives of any source and any tag: of each source in order, however many wait.
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

/// Everybody sends to everybody else with several tags; receives take any source, or any tag, or neither.
void wildcards(void) {
    enum { EACH = 30, TAGS = 3 };
    const int total = EACH * (size - 1);
    int* seen = calloc((size_t)(size * TAGS), sizeof(int));
    int(*values)[2] = malloc((size_t)total * sizeof *values);
    MPI_Request* sends = malloc((size_t)total * sizeof *sends);
    int made = 0;
    for (int k = 0; k < EACH; ++k) {
        for (int hop = 1; hop < size; ++hop, ++made) {
            values[made][0] = k;
            values[made][1] = k % TAGS;
            MPI_Isend(values[made], 2, MPI_INT, (rank + hop) % size, k % TAGS, world, &sends[made]);
        }
    }
    /* By any tag: the next of its source. Half of each source's so. */
    int* number = calloc((size_t)size, sizeof(int));
    for (int k = 0; k < total / 2; ++k) {
        int got[2];
        MPI_Status status;
        MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
        NEED(got[0] == number[status.MPI_SOURCE]++ && got[1] == status.MPI_TAG);
        ++seen[status.MPI_SOURCE * TAGS + status.MPI_TAG];
    }
    /* The others, of one tag after the other, the last tag first: in order within it. */
    for (int tag = TAGS - 1; tag >= 0; --tag) {
        int left = 0;
        for (int from = 0; from < size; ++from) left += from != rank ? EACH / TAGS - seen[from * TAGS + tag] : 0;
        for (; left > 0; --left) {
            int got[2];
            MPI_Status status;
            MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, tag, world, &status);
            NEED(got[0] == seen[status.MPI_SOURCE * TAGS + tag]++ * TAGS + tag && got[1] == tag);
        }
    }
    MPI_Waitall(total, sends, MPI_STATUSES_IGNORE);
    free(seen);
    free(number);
    free(values);
    free(sends);
    MPI_Barrier(world);
}

enum { WAYS = 4 };

static MPI_Comm asserted_by(int way, MPI_Info info) {
    MPI_Comm made = MPI_COMM_NULL;
    switch (way) {
        case 0:
            MPI_Comm_dup_with_info(world, info, &made);
            break;
        case 1:
            MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, info, &made);
            break;
        case 2:
            MPI_Dist_graph_create_adjacent(world, 1, &last_rank, MPI_UNWEIGHTED, 1, &next_rank, MPI_UNWEIGHTED, info, 0,
                                           &made);
            break;
        default:
            MPI_Comm_dup(world, &made);
            MPI_Comm_set_info(made, info);
    }
    return made;
}

/// The program has said that there will be no receive from any source, and none with any tag.
void asserted(void) {
    enum { TAGS = 20, ROUNDS = 10 };
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true");
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Info_set(info, "mpi_assert_exact_length", "true");
    for (int way = 0; way < WAYS; ++way) {
        MPI_Comm comm = asserted_by(way, info);
        int self, members;
        MPI_Comm_rank(comm, &self);
        MPI_Comm_size(comm, &members);
        const int to = (self + 1) % members, from = (self + members - 1) % members;
        for (int round = 0; round < ROUNDS; ++round) {
            int out[TAGS], in[TAGS];
            MPI_Request requests[2 * TAGS];
            for (int tag = 0; tag < TAGS; ++tag) {
                out[tag] = 1000 * round + tag;
                MPI_Irecv(&in[tag], 1, MPI_INT, from, tag, comm, &requests[tag]);
                MPI_Isend(&out[tag], 1, MPI_INT, to, tag, comm, &requests[TAGS + tag]);
            }
            MPI_Waitall(2 * TAGS, requests, MPI_STATUSES_IGNORE);
            for (int tag = 0; tag < TAGS; ++tag) NEED(in[tag] == out[tag]);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Info_free(&info);
}

/// Many that nobody wants yet do not keep the last one away.
void unwanted(void) {
    enum { MANY = 3000 };
    int got;
    if (rank == 0) {
        for (int i = 0; i < MANY; ++i) MPI_Send(&i, 1, MPI_INT, 1, 1, world);
        MPI_Send(&(int){-1}, 1, MPI_INT, 1, 2, world);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
        NEED(got == -1);
        for (int i = 0; i < MANY; ++i) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
            NEED(got == i);
        }
    }
    MPI_Barrier(world);
}
