// SPDX-License-Identifier: Apache-2.0
// Collective calls between two groups: what one gives, the other gets.
#include <stdio.h>

#include "collectives.h"

static const int lengths[] = {0, 1, 5, 200, 1500};
enum { LENGTHS = LENGTHS_OF(lengths) };

static MPI_Comm comm;
static int self, mine, others;

/// Of one process of the even group, by each in turn.
static void with_root(const struct Kind* kind, int count) {
    for (int whose = 0; whose < (rank % 2 ? others : mine); ++whose) {
        const int root = rank % 2 ? whose : whose == self ? MPI_ROOT : MPI_PROC_NULL;
        Number counts[MOST];
        Place places[MOST];
        for (int i = 0; i < MOST; ++i) {
            counts[i] = i % 3 == 1 ? 0 : count / (i + 1);
            places[i] = i * count;
        }
        begin(count, "between bcast %s %d of %d", kind->name, count, whose);
        CALL(MPI_Bcast)(given, count, kind->type, root, comm);
        end();
        begin(count, "between gather %s %d to %d", kind->name, count, whose);
        CALL(MPI_Gather)(given, count, kind->type, got, count, kind->type, root, comm);
        end();
        begin(count, "between scatter %s %d of %d", kind->name, count, whose);
        CALL(MPI_Scatter)(given, count, kind->type, got, count, kind->type, root, comm);
        end();
        begin(count, "between gatherv %s %d to %d", kind->name, count, whose);
        CALL(MPI_Gatherv)(given, counts[self], kind->type, got, counts, places, kind->type, root, comm);
        end();
        begin(count, "between scatterv %s %d of %d", kind->name, count, whose);
        CALL(MPI_Scatterv)(given, counts, places, kind->type, got, counts[self], kind->type, root, comm);
        end();
        begin(count, "between reduce %d to %d", count, whose);
        fill_doubles(given, count);
        CALL(MPI_Reduce)(given, got, count, MPI_DOUBLE, MPI_SUM, root, comm);
        end();
    }
}

static void of_all(const struct Kind* kind, int count) {
    Number counts[MOST], lengths_of_others[MOST];
    Place places[MOST], offsets[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < others; ++i) {
        counts[i] = (i + self) % 3 == 1 ? 0 : count / (i + self + 1);
        lengths_of_others[i] = count / (i + 1);
        places[i] = i * count;
        offsets[i] = i * count * WIDEST;
        types[i] = (i + self) % 2 ? kind->type : MPI_INT;
    }
    begin(count, "between allgather %s %d", kind->name, count);
    CALL(MPI_Allgather)(given, count, kind->type, got, count, kind->type, comm);
    end();
    begin(count, "between allgatherv %s %d", kind->name, count);
    CALL(MPI_Allgatherv)(given, count / (self + 1), kind->type, got, lengths_of_others, places, kind->type, comm);
    end();
    begin(count, "between alltoall %s %d", kind->name, count);
    CALL(MPI_Alltoall)(given, count, kind->type, got, count, kind->type, comm);
    end();
    begin(count, "between alltoallv %s %d", kind->name, count);
    CALL(MPI_Alltoallv)(given, counts, places, kind->type, got, counts, places, kind->type, comm);
    end();
    begin(count, "between alltoallw %s %d", kind->name, count);
    CALL(MPI_Alltoallw)(given, counts, offsets, types, got, counts, offsets, types, comm);
    end();
}

/// Together both groups have the same number of elements, however many processes each has.
static void reduced(int count) {
    Number counts[MOST];
    for (int i = 0; i < mine; ++i) counts[i] = count * others;
    begin(count, "between allreduce %d", count);
    fill_doubles(given, count);
    CALL(MPI_Allreduce)(given, got, count, MPI_DOUBLE, MPI_SUM, comm);
    end();
    begin(count, "between reduce_scatter %d", count);
    fill_doubles(given, count * mine * others);
    CALL(MPI_Reduce_scatter)(given, got, counts, MPI_DOUBLE, MPI_SUM, comm);
    end();
    begin(count, "between reduce_scatter_block %d", count);
    fill_doubles(given, count * mine * others);
    CALL(MPI_Reduce_scatter_block)(given, got, count * others, MPI_DOUBLE, MPI_SUM, comm);
    end();
}

void between_groups(void) {
    MPI_Comm half;
    if (size < 2) return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &comm);
    MPI_Comm_rank(comm, &self);
    MPI_Comm_size(comm, &mine);
    MPI_Comm_remote_size(comm, &others);
    begin(0, "between barrier");
    MPI_Barrier(comm);
    end();
    for (int length = 0; length < LENGTHS; ++length) {
        for (int kind = 0; kind < KINDS; ++kind) {
            if (lengths[length] > kinds[kind].longest) continue;
            with_root(&kinds[kind], lengths[length]);
            of_all(&kinds[kind], lengths[length]);
        }
        reduced(lengths[length] / 2);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free(&half);
}
