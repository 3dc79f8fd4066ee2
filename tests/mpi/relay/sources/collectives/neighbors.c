// SPDX-License-Identifier: Apache-2.0
// Neighborhood collectives: on grids, also such that the same neighbor is there twice or a process its own one, and on
// graphs with edges that are there several times.
#include <stdio.h>

#include "collectives.h"

enum { NEAREST = 8 };
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
static const int lengths[] = {0, 1, 6, 12};  // MPICH 4.0 itself may take the long ones to a neighbor for each other
enum { ALL_SEND = 1 };                       // and may return too early where a process only receives
#else
static const int lengths[] = {0, 1, 6, 300};
enum { ALL_SEND = 0 };
#endif
enum { LENGTHS = LENGTHS_OF(lengths) };

static void of_lengths(const char* where, MPI_Comm comm, const struct Kind* kind, int count, int in, int out) {
    Number counts[NEAREST];
    Place places[NEAREST];
    MPI_Aint offsets[NEAREST];
    MPI_Datatype types[NEAREST];
    for (int i = 0; i < NEAREST; ++i) { /* the same for all: whose edge is whose is not looked at */
        counts[i] = count;
        places[i] = (NEAREST - 1 - i) * count;
        offsets[i] = i * count * WIDEST;
        types[i] = kind->type;
    }
    begin(count, "%s neighbor_allgatherv %s %d", where, kind->name, count);
    CALL(MPI_Neighbor_allgatherv)(given, count, kind->type, got, counts, places, kind->type, comm);
    end();
    begin(count, "%s neighbor_alltoallv %s %d", where, kind->name, count);
    CALL(MPI_Neighbor_alltoallv)(given, counts, places, kind->type, got, counts, places, kind->type, comm);
    end();
    begin(count, "%s neighbor_alltoallw %s %d", where, kind->name, count);
    CALL(MPI_Neighbor_alltoallw)(given, counts, offsets, types, got, counts, offsets, types, comm);
    note("%d in, %d out", in, out);
    end();
}

/// in, out: how many neighbors there are.
static void exchange(const char* where, MPI_Comm comm, int in, int out) {
    NEED(in <= NEAREST && out <= NEAREST);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int length = 0; length < LENGTHS; ++length) {
            const int count = lengths[length];
            begin(count, "%s neighbor_allgather %s %d", where, kinds[kind].name, count);
            CALL(MPI_Neighbor_allgather)(given, count, kinds[kind].type, got, count, kinds[kind].type, comm);
            end();
            begin(count, "%s neighbor_alltoall %s %d", where, kinds[kind].name, count);
            CALL(MPI_Neighbor_alltoall)(given, count, kinds[kind].type, got, count, kinds[kind].type, comm);
            end();
            of_lengths(where, comm, &kinds[kind], count, in, out);
        }
    }
}

static void on_grid(int dimensions, const int lengths_of[], const int periodic[]) {
    char name[60];
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, lengths_of, periodic, 0, &grid);
    if (grid == MPI_COMM_NULL) return;
    snprintf(name, sizeof name, "%s %d x %d", periodic[0] ? "periodic" : "open", lengths_of[0],
             dimensions > 1 ? lengths_of[1] : 1);
    exchange(name, grid, 2 * dimensions, 2 * dimensions);
    MPI_Comm_free(&grid);
}

/// Edges i to i + 1 twice, to itself, and i to i - 1.
static void on_adjacent(void) {
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 4, (int[]){last, last, rank, next}, MPI_UNWEIGHTED, 4,
                                   (int[]){next, next, rank, last}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    exchange("adjacent", graph, 4, 4);
    MPI_Comm_free(&graph);
}

/// Even processes send twice to the one after the next; others may have no neighbor. What comes from several processes
/// would have no order of its own.
static void on_graph(void) {
    const int to = (rank + 2) % size, number = rank % 2 && !ALL_SEND ? 0 : 2;
    int in, out, weighted;
    MPI_Comm graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &number, (int[]){to, to}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    exchange("graph", graph, in, out);
    MPI_Comm_free(&graph);
}

/// A graph that every process knows whole: a ring, both ways, and its own neighbor besides.
static void on_old_graph(void) {
    int ends[MOST], edges[3 * MOST];
    MPI_Comm graph;
    for (int i = 0; i < size; ++i) {
        ends[i] = 3 * (i + 1);
        edges[3 * i] = (i + 1) % size;
        edges[3 * i + 1] = (i + size - 1) % size;
        edges[3 * i + 2] = i;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &graph);
    exchange("old graph", graph, 3, 3);
    MPI_Comm_free(&graph);
}

void neighbors(void) {
    for (int length = 1; length <= 3 && length <= size; ++length) on_grid(1, &length, (int[]){1});
    on_grid(1, &size, (int[]){1});
    on_grid(1, &size, (int[]){0});
    if (size >= 2) on_grid(2, (int[]){2, size / 2}, (int[]){1, 1});
    if (size >= 4) on_grid(2, (int[]){size / 2, 2}, (int[]){0, 1});
    on_adjacent();
    on_graph();
    on_old_graph();
}
