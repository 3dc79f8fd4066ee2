// SPDX-License-Identifier: Apache-2.0
// One process calls all that is local or does not block, while the others wait to hear that it is through.
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

enum { GO = 7100, DATA, BEGUN = 18, MOST = 64 /* processes */ };

static int keep(MPI_Comm comm, int key, void* state, void* value, void* copy, int* flag) {
    (void)comm, (void)key, (void)state;
    *(void**)copy = value;
    *flag = 1;
    return MPI_SUCCESS;
}

static void on_itself(void) {
    MPI_Comm made[7], self = MPI_COMM_SELF;
    MPI_Group group;
    int one = 1, value = rank, got = -1;
    MPI_Comm_dup(self, &made[0]);
    MPI_Comm_split(self, 0, 0, &made[1]);
    MPI_Comm_split_type(self, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[2]);
    MPI_Cart_create(self, 1, &one, &one, 0, &made[3]);
    MPI_Comm_group(self, &group);
    MPI_Comm_create(self, group, &made[4]);
    MPI_Comm_create_group(world, group, 3, &made[5]);
    MPI_Graph_create(self, 1, &one, (int[]){0}, 0, &made[6]);
    MPI_Group_free(&group);
    for (int i = 0; i < 7; ++i) {
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, made[i], MPI_STATUS_IGNORE);
        NEED(got == rank);
        MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, made[i]);
        MPI_Barrier(made[i]);
        MPI_Comm_free(&made[i]);
    }
}

static void attributes_and_handlers(MPI_Comm comm) {
    int key, flag, *there;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler handler;
    MPI_Group group, part;
    MPI_Comm_create_keyval(keep, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &key);
    MPI_Comm_get_attr(comm, key, &there, &flag);
    NEED(flag && there == &key);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_set_name(comm, "alone");
    MPI_Comm_get_name(comm, name, &flag);
    NEED(strcmp(name, "alone") == 0);
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_group(comm, &group);
    MPI_Group_incl(group, 1, &rank, &part);
    MPI_Group_free(&part);
    MPI_Group_free(&group);
}

/// Requests of all kinds, begun and looked at, some let go.
static void requests(MPI_Comm comm, MPI_Request* receive, int* in) {
    static int out[8];
    static char buffer[8 * (sizeof(int) + MPI_BSEND_OVERHEAD)];
    int flag, index, value = rank, size_B;
    void* attached;
    MPI_Request some[3], cancelled;
    MPI_Status status;
    MPI_Irecv(in, 1, MPI_INT, next_rank, DATA, comm, receive);
    MPI_Irecv(&value, 1, MPI_INT, next_rank, DATA + 1, comm, &cancelled);
    MPI_Cancel(&cancelled);
    MPI_Wait(&cancelled, &status);
    MPI_Test_cancelled(&status, &flag);
    NEED(flag);
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < 8; ++i) out[i] = i;
    MPI_Bsend(&out[0], 1, MPI_INT, next_rank, 0, comm);
    MPI_Ibsend(&out[1], 1, MPI_INT, next_rank, 1, comm, &some[0]);
    MPI_Bsend_init(&out[2], 1, MPI_INT, next_rank, 2, comm, &some[1]);
    MPI_Start(&some[1]);
    MPI_Waitall(2, some, MPI_STATUSES_IGNORE);
    MPI_Request_free(&some[1]);
    MPI_Isend(&out[3], 1, MPI_INT, next_rank, 3, comm, &some[0]);
    MPI_Issend(&out[4], 1, MPI_INT, next_rank, 4, comm, &some[1]);
    MPI_Send_init(&out[5], 1, MPI_INT, next_rank, 5, comm, &some[2]);
    MPI_Startall(1, &some[2]);
    MPI_Testany(3, some, &index, &flag, &status);
    MPI_Request_get_status(some[1], &flag, &status);
    NEED(!flag);
    MPI_Testall(3, some, &flag, MPI_STATUSES_IGNORE);
    NEED(!flag);
    for (int i = 0; i < 3; ++i)
        if (some[i] != MPI_REQUEST_NULL) MPI_Request_free(&some[i]);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
    NEED(!flag);
    MPI_Test(receive, &flag, &status);
    NEED(!flag);
    MPI_Buffer_detach(&attached, &size_B);
}

#if HAS_FUNCTIONS_OF_MPI_4
/// Both ways at once, begun before the other process knows of it.
static void begin_exchange(MPI_Comm comm, MPI_Request begun[2], int values[3]) {
    values[0] = 90 + rank, values[1] = -1, values[2] = 70 + rank;
    const int other = rank == 0 ? 1 : 0;
    MPI_Isendrecv(&values[0], 1, MPI_INT, other, DATA + 2, &values[1], 1, MPI_INT, other, DATA + 2, comm, &begun[0]);
    MPI_Isendrecv_replace(&values[2], 1, MPI_INT, other, DATA + 3, other, DATA + 3, comm, &begun[1]);
}

static void end_exchange(MPI_Request begun[2], const int values[3]) {
    MPI_Waitall(2, begun, MPI_STATUSES_IGNORE);
    NEED(values[1] == 91 - rank && values[2] == 71 - rank);
}
#endif

static void take(MPI_Comm comm) {
    int got;
    for (int i = 0; i < 6; ++i) {
        MPI_Recv(&got, 1, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, i, comm, MPI_STATUS_IGNORE);
        NEED(got == i);
    }
}

/// What each collective operation that does not block gets.
struct Results {
    int sum, told, gathered[MOST], gathered_v[MOST], part, part_v, all[MOST], all_v[MOST], exchanged[MOST],
        exchanged_v[MOST], exchanged_w[MOST], reduced, block, block_v, up_to, before;
};

static void begin_collectives(MPI_Comm comm, MPI_Request begun[BEGUN], struct Results* got, MPI_Comm* copy) {
    static int out[MOST], ones[MOST], places[MOST], places_B[MOST];
    static MPI_Datatype types[MOST];
    NEED(size <= MOST);
    memset(got, -1, sizeof *got);
    for (int i = 0; i < size; ++i)
        out[i] = 100 * rank + i, ones[i] = 1, places[i] = i, places_B[i] = i * (int)sizeof(int), types[i] = MPI_INT;
    if (rank == 0) got->told = 41;
    got->before = 0;
    MPI_Ibarrier(comm, &begun[0]);
    MPI_Iallreduce(&rank, &got->sum, 1, MPI_INT, MPI_SUM, comm, &begun[1]);
    MPI_Comm_idup(comm, copy, &begun[2]);
    MPI_Ibcast(&got->told, 1, MPI_INT, 0, comm, &begun[3]);
    MPI_Igather(&rank, 1, MPI_INT, got->gathered, 1, MPI_INT, 0, comm, &begun[4]);
    MPI_Igatherv(&rank, 1, MPI_INT, got->gathered_v, ones, places, MPI_INT, 0, comm, &begun[5]);
    MPI_Iscatter(out, 1, MPI_INT, &got->part, 1, MPI_INT, 0, comm, &begun[6]);
    MPI_Iscatterv(out, ones, places, MPI_INT, &got->part_v, 1, MPI_INT, 0, comm, &begun[7]);
    MPI_Iallgather(&rank, 1, MPI_INT, got->all, 1, MPI_INT, comm, &begun[8]);
    MPI_Iallgatherv(&rank, 1, MPI_INT, got->all_v, ones, places, MPI_INT, comm, &begun[9]);
    MPI_Ialltoall(out, 1, MPI_INT, got->exchanged, 1, MPI_INT, comm, &begun[10]);
    MPI_Ialltoallv(out, ones, places, MPI_INT, got->exchanged_v, ones, places, MPI_INT, comm, &begun[11]);
    MPI_Ialltoallw(out, ones, places_B, types, got->exchanged_w, ones, places_B, types, comm, &begun[12]);
    MPI_Ireduce(&rank, &got->reduced, 1, MPI_INT, MPI_SUM, 0, comm, &begun[13]);
    MPI_Ireduce_scatter_block(out, &got->block, 1, MPI_INT, MPI_SUM, comm, &begun[14]);
    MPI_Ireduce_scatter(out, &got->block_v, ones, MPI_INT, MPI_SUM, comm, &begun[15]);
    MPI_Iscan(&rank, &got->up_to, 1, MPI_INT, MPI_SUM, comm, &begun[16]);
    MPI_Iexscan(&rank, &got->before, 1, MPI_INT, MPI_SUM, comm, &begun[17]);
}

static void check_collectives(const struct Results* got) {
    const int sum = size * (size - 1) / 2;
    NEED(got->sum == sum && got->told == 41);
    NEED(got->part == rank && got->part_v == rank);
    NEED(got->reduced == (rank == 0 ? sum : -1));
    NEED(got->block == 100 * sum + size * rank && got->block_v == got->block);
    NEED(got->up_to == rank * (rank + 1) / 2 && got->before == rank * (rank - 1) / 2);
    for (int i = 0; i < size; ++i) {
        NEED(got->gathered[i] == (rank == 0 ? i : -1) && got->gathered_v[i] == got->gathered[i]);
        NEED(got->all[i] == i && got->all_v[i] == i);
        NEED(got->exchanged[i] == 100 * i + rank);
        NEED(got->exchanged_v[i] == got->exchanged[i] && got->exchanged_w[i] == got->exchanged[i]);
    }
}

void alone(void) {
    for (int time = 0; time < 3; ++time) {
        MPI_Comm comm, copy, freed;
        MPI_Request begun[BEGUN], receive = MPI_REQUEST_NULL;
        int in = -1, value = 17;
        struct Results got;
#if HAS_FUNCTIONS_OF_MPI_4
        MPI_Request exchange[2];
        int values[3];
#endif
        MPI_Comm_dup(world, &comm);
        MPI_Comm_dup(world, &freed);
        if (rank == 0) {
            on_itself();
            attributes_and_handlers(comm);
            requests(comm, &receive, &in);
            begin_collectives(comm, begun, &got, &copy);
            MPI_Comm_free(&freed);
#if HAS_FUNCTIONS_OF_MPI_4
            begin_exchange(comm, exchange, values);
#endif
            for (int other = 1; other < size; ++other) MPI_Send(&time, 1, MPI_INT, other, GO, world);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, GO, world, MPI_STATUS_IGNORE);
            NEED(value == time);
            begin_collectives(comm, begun, &got, &copy);
            if (rank == 1) take(comm);
            if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, DATA, comm);
            MPI_Comm_free(&freed);
#if HAS_FUNCTIONS_OF_MPI_4
            if (rank == 1) begin_exchange(comm, exchange, values);
#endif
        }
#if HAS_FUNCTIONS_OF_MPI_4
        if (rank <= 1) end_exchange(exchange, values);
#endif
        MPI_Waitall(BEGUN, begun, MPI_STATUSES_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        check_collectives(&got);
        NEED(in == (rank == 0 ? time : -1));
        MPI_Comm_free(&comm);
        MPI_Comm_free(&copy);
    }
}
