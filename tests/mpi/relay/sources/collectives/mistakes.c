// SPDX-License-Identifier: Apache-2.0
// Calls that are refused, of which nobody waits for another one; and those whose members have messages to wait for
// first.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives.h"

static int class_of(int error) {
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    return class;
}

#ifdef MPICH_NUMVERSION
/// MPICH refuses data that comes from where the result goes: at one process only of those calls that have a root.
static void from_where_it_goes(void) {
    int* const in = (int*)given;
    Number counts[MOST];
    Place places[MOST];
    MPI_Datatype types[MOST];
    for (int i = 0; i < size; ++i) {
        counts[i] = 1;
        places[i] = i;
        types[i] = MPI_INT;
    }
    if (rank == 0) { /* alone: nobody else makes the call */
        note("gather %d", class_of(CALL(MPI_Gather)(in, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD)));
        note("gatherv %d", class_of(CALL(MPI_Gatherv)(in, 1, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD)));
        note("scatter %d", class_of(CALL(MPI_Scatter)(in, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD)));
        note("scatterv %d",
             class_of(CALL(MPI_Scatterv)(in, counts, places, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD)));
        note("reduce %d", class_of(CALL(MPI_Reduce)(in, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD)));
        note("allreduce %d", class_of(CALL(MPI_Allreduce)(in, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)));
        note("scan %d", class_of(CALL(MPI_Scan)(in, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)));
        note("exscan %d", class_of(CALL(MPI_Exscan)(in, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)));
        note("block %d", class_of(CALL(MPI_Reduce_scatter_block)(in, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)));
        note("scattered %d", class_of(CALL(MPI_Reduce_scatter)(in, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD)));
        note("allgather %d", class_of(CALL(MPI_Allgather)(in, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD)));
        note("allgatherv %d",
             class_of(CALL(MPI_Allgatherv)(in, 1, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD)));
        note("alltoall %d", class_of(CALL(MPI_Alltoall)(in, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD)));
        note("alltoallv %d",
             class_of(CALL(MPI_Alltoallv)(in, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD)));
        note("alltoallw %d",
             class_of(CALL(MPI_Alltoallw)(in, counts, places, types, in, counts, places, types, MPI_COMM_WORLD)));
    }
    /* The last one's own block is elsewhere: this is no mistake. */
    int all[MOST];
    for (int i = 0; i < size; ++i) all[i] = i;
    const int* const own = rank == size - 1 && size > 1 ? all : &rank;
    CALL(MPI_Gather)(own, 1, MPI_INT, all, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == size - 1; ++i) note("%d", all[i]);
}
#endif

/// Who was refused makes the call again, as it should be; the others make it once.
static void made_again(void) {
    int* const in = (int*)given;
    int sum = 0;
    if (rank == 0) {
        note("root %d", class_of(CALL(MPI_Reduce)(in, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD)));
    }
    CALL(MPI_Reduce)(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    note("sum %d", sum);
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
/// The first process begins a call before the barrier, the others after it: MPI forbids it, Open MPI 4 lets it pass.
static void in_another_order(void) {
    int sum = 0;
    MPI_Request request;
    if (rank == 0) MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    note("in another order %d", sum);
}
#endif

void mistakes(void) {
    int sum = 0;
    begin(0, "mistakes");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0 && size > 1) { /* alone: nobody else makes the call */
        note("count %d", class_of(CALL(MPI_Bcast)(given, -1, MPI_INT, 0, MPI_COMM_WORLD)));
        note("root %d", class_of(CALL(MPI_Reduce)(given, got, 1, MPI_INT, MPI_SUM, size, MPI_COMM_WORLD)));
        note("count %d", class_of(CALL(MPI_Allgather)(given, -1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD)));
        note("count %d", class_of(CALL(MPI_Alltoall)(given, 1, MPI_INT, got, -1, MPI_INT, MPI_COMM_WORLD)));
        note("count %d", class_of(CALL(MPI_Gather)(given, 1, MPI_INT, got, -1, MPI_INT, 0, MPI_COMM_WORLD)));
        note("type %d", class_of(CALL(MPI_Scatter)(given, 1, MPI_DATATYPE_NULL, got, 1, MPI_INT, 0, MPI_COMM_WORLD)));
        note("operation %d", class_of(CALL(MPI_Scan)(given, got, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD)));
    }
#ifdef MPICH_NUMVERSION
    from_where_it_goes();
#endif
    made_again();
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
    in_another_order();
#endif
    /* Everybody. */
    note("type %d", class_of(CALL(MPI_Bcast)(given, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD)));
    note("operation %d", class_of(CALL(MPI_Allreduce)(given, got, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD)));
    note("communicator %d", class_of(CALL(MPI_Bcast)(given, 1, MPI_INT, 0, MPI_COMM_NULL)));
    note("communicator %d", class_of(MPI_Barrier(MPI_COMM_NULL)));
    note("topology %d", class_of(CALL(MPI_Neighbor_allgather)(given, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD)));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    note("sum %d", sum);
}

/// Some enter the call at once, others only when they have the message of one that is in it.
void beside_messages(void) {
    enum { TIMES = 40, LONG_B = 120000 };
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    unsigned char* const long_out = malloc(2 * LONG_B);
    unsigned char* const long_in = long_out + LONG_B;
    NEED(long_out != NULL);
    for (int i = 0; i < TIMES; ++i) {
        const int length = i % 2 ? LONG_B : 100;
        int early = -1, late = rank, sum = -1;
        MPI_Request requests[2], meanwhile;
        begin(0, "beside messages %d", i);
        memset(long_out, rank + i, (size_t)length);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &meanwhile);
        MPI_Isend(long_out, length, MPI_BYTE, next, i, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(long_in, length, MPI_BYTE, i % 3 ? last : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &requests[1]);
        if ((rank + i) % 2) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        CALL(MPI_Exscan)(&rank, &early, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CALL(MPI_Bcast)(&late, 1, MPI_INT, i % size, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&meanwhile, MPI_STATUS_IGNORE);
        note("%d %d %d", early, late, sum);
        NEED(long_in[0] == (unsigned char)(last + i) && memcmp(long_in, long_in + 1, (size_t)length - 1) == 0);
    }
    free(long_out);
}
