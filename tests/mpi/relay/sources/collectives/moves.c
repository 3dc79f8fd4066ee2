// SPDX-License-Identifier: Apache-2.0
// Collective calls that only move data, also in place, with blocks of the same and of different lengths.
#include <stdio.h>

#include "collectives.h"

static const int lengths[] = {0, 1, 5, 200, 2000};
enum { LENGTHS = LENGTHS_OF(lengths) };

static MPI_Comm comm;
static int self, processes;
static const char* where;

static void with_root(const struct Kind* kind, int count, int root) {
    const int roots = self == root;
    begin(count, "%s bcast %s %d of %d", where, kind->name, count, root);
    CALL(MPI_Bcast)(given, count, kind->type, root, comm);
    end();
    begin(count, "%s gather %s %d to %d", where, kind->name, count, root);
    CALL(MPI_Gather)(given, count, kind->type, got, count, kind->type, root, comm);
    end();
    begin(count, "%s gather %s %d to %d, in place", where, kind->name, count, root);
    CALL(MPI_Gather)
    (roots ? MPI_IN_PLACE : given, roots ? -1 : count, roots ? MPI_DATATYPE_NULL : kind->type, got, roots ? count : -1,
     roots ? kind->type : MPI_DATATYPE_NULL, root, comm);
    end();
    begin(count, "%s scatter %s %d of %d", where, kind->name, count, root);
    CALL(MPI_Scatter)(given, count, kind->type, got, count, kind->type, root, comm);
    end();
    begin(count, "%s scatter %s %d of %d, in place", where, kind->name, count, root);
    CALL(MPI_Scatter)
    (given, roots ? count : -1, roots ? kind->type : MPI_DATATYPE_NULL, roots ? MPI_IN_PLACE : got, roots ? -1 : count,
     roots ? MPI_DATATYPE_NULL : kind->type, root, comm);
    end();
}

/// Blocks of different lengths, some of nothing, with gaps between them.
static void of_lengths(Number counts[], Place places[], int count) {
    for (int i = 0; i < processes; ++i) {
        counts[i] = i % 3 == 1 ? 0 : count / (i + 1);
        places[i] = i * count;
    }
}

static void with_root_and_lengths(const struct Kind* kind, int count, int root) {
    Number counts[MOST];
    Place places[MOST];
    of_lengths(counts, places, count);
    for (int in_place = 0; in_place < 2; ++in_place) {
        void* const none = in_place && self == root ? MPI_IN_PLACE : NULL;
        const char* const how = in_place ? ", in place" : "";
        begin(count, "%s gatherv %s %d to %d%s", where, kind->name, count, root, how);
        CALL(MPI_Gatherv)(none ? none : given, counts[self], kind->type, got, counts, places, kind->type, root, comm);
        end();
        begin(count, "%s scatterv %s %d of %d%s", where, kind->name, count, root, how);
        CALL(MPI_Scatterv)(given, counts, places, kind->type, none ? none : got, counts[self], kind->type, root, comm);
        end();
    }
}

static void of_all(const struct Kind* kind, int count) {
    Number counts[MOST];
    Place places[MOST];
    of_lengths(counts, places, count);
    for (int in_place = 0; in_place < 2; ++in_place) {
        void* const from = in_place ? MPI_IN_PLACE : given;
        const int sent = in_place ? -1 : count;
        const MPI_Datatype type = in_place ? MPI_DATATYPE_NULL : kind->type;
        const char* const how = in_place ? ", in place" : "";
        begin(count, "%s allgather %s %d%s", where, kind->name, count, how);
        CALL(MPI_Allgather)(from, sent, type, got, count, kind->type, comm);
        end();
        begin(count, "%s allgatherv %s %d%s", where, kind->name, count, how);
        CALL(MPI_Allgatherv)(from, in_place ? -1 : counts[self], type, got, counts, places, kind->type, comm);
        end();
        begin(count, "%s alltoall %s %d%s", where, kind->name, count, how);
        CALL(MPI_Alltoall)(from, sent, type, got, count, kind->type, comm);
        end();
    }
}

/// What i sends to j is as long as what j sends to i, so that it can be done in place.
static void of_all_with_lengths(const struct Kind* kind, int count) {
    Number counts[MOST];
    Place places[MOST], offsets[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < processes; ++i) {
        counts[i] = (i + self) % 3 == 1 ? 0 : count / (i + self + 1);
        places[i] = i * count;
        offsets[i] = i * count * WIDEST;
        types[i] = (i + self) % 2 ? kind->type : kinds[0].type;
    }
    for (int in_place = 0; in_place < 2; ++in_place) {
        void* const from = in_place ? MPI_IN_PLACE : given;
        const char* const how = in_place ? ", in place" : "";
        begin(count, "%s alltoallv %s %d%s", where, kind->name, count, how);
        CALL(MPI_Alltoallv)
        (from, in_place ? NULL : counts, in_place ? NULL : places, kind->type, got, counts, places, kind->type, comm);
        end();
        begin(count, "%s alltoallw %s %d%s", where, kind->name, count, how);
        CALL(MPI_Alltoallw)
        (from, in_place ? NULL : counts, in_place ? NULL : offsets, in_place ? NULL : types, got, counts, offsets,
         types, comm);
        end();
    }
}

void moves(const char* name, MPI_Comm on) {
    where = name;
    comm = on;
    MPI_Comm_rank(comm, &self);
    MPI_Comm_size(comm, &processes);
    begin(0, "%s barrier", where);
    MPI_Barrier(comm);
    end();
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int length = 0; length < LENGTHS && lengths[length] <= kinds[kind].longest; ++length) {
            const int count = lengths[length];
            for (int root = 0; root<processes; root += processes> 2 ? processes / 2 : 1) {
                with_root(&kinds[kind], count, root);
                with_root_and_lengths(&kinds[kind], count, root);
            }
            of_all(&kinds[kind], count);
            of_all_with_lengths(&kinds[kind], count);
        }
    }
}
