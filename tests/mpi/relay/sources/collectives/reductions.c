// SPDX-License-Identifier: Apache-2.0
// Reductions. Sums of floating-point numbers show the order in which they were made, and so do operations that do not
// commute.
#include <stdio.h>
#include <string.h>

#include "collectives.h"

static const int lengths[] = {0, 1, 9, 300, 2500};
enum { LENGTHS = LENGTHS_OF(lengths), PAIR = 2 };

/// One after the other of x -> a x + b, modulo 2^32: associative, and the order matters.
static void compose(void* first, void* second, int* length, MPI_Datatype* type) {
    (void)type;
    const unsigned* const before = first;
    unsigned* const after = second;
    for (int i = 0; i < PAIR * *length; i += PAIR) {
        const unsigned a = before[i], b = before[i + 1];
        after[i + 1] += after[i] * b;
        after[i] *= a;
    }
}

static void average(void* first, void* second, int* length, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *length; ++i) ((double*)second)[i] = (((double*)first)[i] + ((double*)second)[i]) / 3;
}

enum { SUM, SUM_OF_FLOATS, LARGEST_PLACE, COMPOSED, AVERAGE, OPERATIONS };
static const char* const names[] = {"sum", "sum of floats", "maxloc", "composed", "average"};

static MPI_Comm comm;
static int self, processes;
static const char* where;
static MPI_Op operations[OPERATIONS];
static MPI_Datatype types[OPERATIONS];
static size_t extents_B[OPERATIONS];

static void fill(void* bytes, int operation, int count) {
    struct {
        double value;
        int place;
    } pair;
    if (operation == SUM || operation == AVERAGE) fill_doubles(bytes, count);
    if (operation == SUM_OF_FLOATS) fill_floats(bytes, count);
    for (int i = 0; operation == LARGEST_PLACE && i < count; ++i) {
        memset(&pair, 0, sizeof pair);
        pair.value = (i * 7 + self * 3) % 5;
        pair.place = self;
        memcpy((char*)bytes + (size_t)i * sizeof pair, &pair, sizeof pair);
    }
}

static void start(const char* call, int operation, int count, int in_place) {
    begin(count, "%s %s %s %d%s", where, call, names[operation], count, in_place ? ", in place" : "");
    fill(given, operation, processes * count);
    if (in_place) memcpy(got, given, ROOM);
}

static void to_one(int operation, int count, int root, int in_place) {
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
    if (in_place && root != 0) return; /* MPICH 4.0 itself crashes within a host */
#endif
    start("reduce", operation, count, in_place);
    CALL(MPI_Reduce)
    (in_place && self == root ? MPI_IN_PLACE : given, got, count, types[operation], operations[operation], root, comm);
    note("to %d", root);
    end();
}

/// What lies there may be the library's to change.
static void forget_after(size_t length_B) {
    memset(got + length_B, 0, ROOM - length_B);
}

static void to_all(int operation, int count, int in_place) {
    const MPI_Datatype type = types[operation];
    const MPI_Op op = operations[operation];
    void* const from = in_place ? MPI_IN_PLACE : given;
    Number counts[MOST];
    for (int i = 0; i < processes; ++i) counts[i] = i % 3 == 1 ? 0 : count / (i + 1);
    start("allreduce", operation, count, in_place);
    CALL(MPI_Allreduce)(from, got, count, type, op, comm);
    end();
    start("reduce_scatter_block", operation, count, in_place);
    CALL(MPI_Reduce_scatter_block)(from, got, count, type, op, comm);
    if (in_place) forget_after((size_t)count * extents_B[operation]);
    end();
    start("reduce_scatter", operation, count, in_place);
    CALL(MPI_Reduce_scatter)(from, got, counts, type, op, comm);
    if (in_place) forget_after((size_t)counts[self] * extents_B[operation]);
    end();
    start("scan", operation, count, in_place);
    CALL(MPI_Scan)(from, got, count, type, op, comm);
    end();
    start("exscan", operation, count, in_place);
    CALL(MPI_Exscan)(from, got, count, type, op, comm);
    if (self == 0) forget_after(0); /* undefined */
    end();
}

static void make_operations(void) {
    types[SUM] = types[AVERAGE] = MPI_DOUBLE;
    types[SUM_OF_FLOATS] = MPI_FLOAT;
    types[LARGEST_PLACE] = MPI_DOUBLE_INT;
    MPI_Type_contiguous(PAIR, MPI_UNSIGNED, &types[COMPOSED]);
    MPI_Type_commit(&types[COMPOSED]);
    operations[SUM] = operations[SUM_OF_FLOATS] = MPI_SUM;
    operations[LARGEST_PLACE] = MPI_MAXLOC;
    MPI_Op_create(compose, 0, &operations[COMPOSED]);
    MPI_Op_create(average, 1, &operations[AVERAGE]);
    for (int i = 0; i < OPERATIONS; ++i) {
        MPI_Aint least, extent;
        MPI_Type_get_extent(types[i], &least, &extent);
        extents_B[i] = (size_t)extent;
    }
}

#ifdef LATER
/// MPICH 5 counts a communicator's calls within a host, whoever makes them, and then takes other algorithms.
static void make_calls(void) {
    enum { CALLS = 64 };
    int sum = 0;
    for (int i = 0; i < CALLS; ++i) CALL(MPI_Allreduce)(&self, &sum, 1, MPI_INT, MPI_SUM, comm);
}
#endif

/// Sums of what is compared have other bits in another order, with more than two processes.
static void show_the_order(void) {
    enum { COUNT = 300 };
    int differing = 0;
    begin(COUNT, "%s order", where);
    fill_doubles(given, COUNT);
    CALL(MPI_Allgather)(given, COUNT, MPI_DOUBLE, got, COUNT, MPI_DOUBLE, comm);
    for (int i = 0; i < COUNT; ++i) {
        double forwards = 0.0, backwards = 0.0;
        for (int each = 0; each < processes; ++each) {
            forwards += ((const double*)got)[each * COUNT + i];
            backwards += ((const double*)got)[(processes - 1 - each) * COUNT + i];
        }
        differing += forwards != backwards;
    }
    NEED(processes < 3 || differing > COUNT / 50);
}

void reductions(const char* name, MPI_Comm on) {
    where = name;
    comm = on;
    MPI_Comm_rank(comm, &self);
    MPI_Comm_size(comm, &processes);
#ifdef LATER
    make_calls();
#endif
    show_the_order();
    make_operations();
    for (int operation = 0; operation < OPERATIONS; ++operation) {
        for (int length = 0; length < LENGTHS; ++length) {
            for (int in_place = 0; in_place < 2; ++in_place) {
                for (int root = 0; root<processes; root += processes> 2 ? processes / 2 : 1)
                    to_one(operation, lengths[length], root, in_place);
                to_all(operation, lengths[length], in_place);
            }
        }
    }
    MPI_Op_free(&operations[COMPOSED]);
    MPI_Op_free(&operations[AVERAGE]);
    MPI_Type_free(&types[COMPOSED]);
}
