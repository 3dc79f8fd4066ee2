/* Programs whose communication is known exactly: the profile's tests run one case a launch, with 3 ranks. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static char data[3][1 << 20];

/* 0 sends to 1 in every mode; nothing goes to or comes from MPI_PROC_NULL; 2 only hears of it. */
static void modes(void) {
    static char buffer[1 << 16];
    MPI_Request request;
    MPI_Buffer_attach(buffer, sizeof buffer);
    if (rank == 0) {
        MPI_Send(data, 10, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(data, 3, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Bsend(data, 5, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(data, 7, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
        MPI_Send(data, 100, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
        MPI_Isend(data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(data, 100, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(data, 100, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, 100, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, 100, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 100, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(data, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    void* detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
    /* round the ring: rank + 1 ints, then a strided type of 4 * 2 ints in place */
    MPI_Datatype strided;
    MPI_Type_vector(4, 2, 3, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(data[0], rank + 1, MPI_INT, next, 5, data[1], 100, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(data, 1, strided, next, 6, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&strided);
    /* the freed handle may come again for a type of another size */
    MPI_Type_contiguous(5, MPI_CHAR, &strided);
    MPI_Type_commit(&strided);
    MPI_Sendrecv_replace(data, 1, strided, next, 6, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&strided);
}

/* 0 receives 1, 2, 3 ... bytes from 1 and 2 in turn, by every call that completes; 1 and 2 send with MPI_Isend. */
static void completions(void) {
    enum { CALLS = 8, EACH = 2 };
    MPI_Request requests[EACH];
    MPI_Status statuses[EACH];
    int flag, index, number, indices[EACH];
    if (rank != 0) {
        for (int call = 0; call < CALLS; ++call) {
            MPI_Isend(data, 10 * call + rank, MPI_CHAR, 0, call, MPI_COMM_WORLD, &requests[0]);
            MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        }
        return;
    }
    for (int call = 0; call < CALLS; ++call) {
        int with_status = call % 2;
        MPI_Status* one = with_status ? statuses : MPI_STATUS_IGNORE;
        MPI_Status* all = with_status ? statuses : MPI_STATUSES_IGNORE;
        MPI_Irecv(data[1], 100, MPI_CHAR, 1, call, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(data[2], 100, MPI_CHAR, MPI_ANY_SOURCE, call, MPI_COMM_WORLD, &requests[1]);
        int left = EACH;
        switch (call) {
            case 0:
                for (int i = 0; i < EACH; ++i) MPI_Wait(&requests[i], one);
                break;
            case 1:
                for (int i = 0; i < EACH; ++i)
                    for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, one);
                break;
            case 2:
                for (int i = 0; i < EACH; ++i) MPI_Waitany(EACH, requests, &index, one);
                MPI_Waitany(EACH, requests, &index, one); /* all are null: MPI_UNDEFINED */
                break;
            case 3:
                for (int i = 0; i < EACH; ++i)
                    for (flag = 0; !flag;) MPI_Testany(EACH, requests, &index, &flag, one);
                break;
            case 4:
                MPI_Waitall(EACH, requests, all);
                break;
            case 5:
                for (flag = 0; !flag;) MPI_Testall(EACH, requests, &flag, all);
                break;
            case 6:
                for (; left > 0; left -= number) MPI_Waitsome(EACH, requests, &number, indices, all);
                MPI_Waitsome(EACH, requests, &number, indices, all);
                break;
            case 7:
                for (; left > 0; left -= number) MPI_Testsome(EACH, requests, &number, indices, all);
                break;
        }
    }
}

/* Five rounds of persistent messages round the ring, 64 ints each; completed while inactive too; one that is freed. */
static void persistent(void) {
    MPI_Request requests[3];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Send_init(data[0], 64, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(data[1], 100, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(data[2], 100, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[2]);
    for (int round = 0; round < 5; ++round) {
        MPI_Startall(2, requests);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[2]);
    MPI_Send(data, 3, MPI_CHAR, next, 2, MPI_COMM_WORLD);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
}

/* Matched probes: 0 gets 11 bytes from 1 and 22 from 2, whoever comes first; a cancelled receive. */
static void matched(void) {
    if (rank != 0) {
        MPI_Send(data, 11 * rank, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Message message;
    MPI_Status status;
    MPI_Request request;
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(data, 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    for (int flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Imrecv(data, 100, MPI_CHAR, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(data, 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Irecv(data, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Ranks of other communicators: the world backwards, and an intercommunicator between {0} and {1, 2}. */
static void communicators(void) {
    MPI_Comm backwards, local, inter;
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &backwards);
    if (rank == 0) MPI_Send(data, 9, MPI_CHAR, 0, 1, backwards); /* to world rank 2 */
    if (rank == 2) MPI_Recv(data, 9, MPI_CHAR, MPI_ANY_SOURCE, 1, backwards, MPI_STATUS_IGNORE);
    MPI_Comm_free(&backwards);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 2, &inter);
    if (rank == 0) {
        MPI_Send(data, 5, MPI_CHAR, 1, 3, inter); /* to world rank 2 */
        MPI_Recv(data, 9, MPI_CHAR, MPI_ANY_SOURCE, 4, inter, MPI_STATUS_IGNORE);
        MPI_Bcast(data, 100, MPI_CHAR, MPI_ROOT, inter);
    } else {
        if (rank == 2) MPI_Recv(data, 9, MPI_CHAR, 0, 3, inter, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(data, 6, MPI_CHAR, 0, 4, inter);
        MPI_Bcast(data, 100, MPI_CHAR, 0, inter);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
}

/* Every collective once, and some in place. Blocks are of 10 ints, vectors of rank + 1. */
static void collectives(void) {
    static int send[300], receive[300];
    int counts[3] = {1, 2, 3}, displacements[3] = {0, 10, 20}, equal[3] = {4, 4, 4};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Barrier(world);
    MPI_Bcast(send, 10, MPI_INT, 1, world);
    MPI_Gather(send, 10, MPI_INT, receive, 10, MPI_INT, 1, world);
    MPI_Gatherv(send, rank + 1, MPI_INT, receive, counts, displacements, MPI_INT, 1, world);
    MPI_Scatter(send, 10, MPI_INT, receive, 10, MPI_INT, 1, world);
    MPI_Scatterv(send, counts, displacements, MPI_INT, receive, rank + 1, MPI_INT, 1, world);
    MPI_Allgather(send, 10, MPI_INT, receive, 10, MPI_INT, world);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, receive, counts, displacements, MPI_INT, world);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, receive, 10, MPI_INT, world);
    MPI_Alltoallv(send, equal, displacements, MPI_INT, receive, equal, displacements, MPI_INT, world);
    MPI_Alltoallw(send, equal, displacements, types, receive, equal, displacements, types, world);
    MPI_Reduce(send, receive, 10, MPI_INT, MPI_SUM, 1, world);
    MPI_Allreduce(MPI_IN_PLACE, receive, 10, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter(send, receive, counts, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(send, receive, 10, MPI_INT, MPI_SUM, world);
    MPI_Scan(send, receive, 10, MPI_INT, MPI_SUM, world);
    MPI_Exscan(send, receive, 10, MPI_INT, MPI_SUM, world);
    MPI_Iallreduce(send, receive, 0, MPI_INT, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPI_Igather(MPI_IN_PLACE, 0, MPI_INT, receive, 10, MPI_INT, 1, world, &request);
    } else {
        MPI_Igather(send, 10, MPI_INT, NULL, 0, MPI_INT, 1, world, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm ring;
    int dimension = 3, periodic = 1;
    MPI_Cart_create(world, 1, &dimension, &periodic, 0, &ring);
    MPI_Neighbor_allgather(send, 10, MPI_INT, receive, 10, MPI_INT, ring);
    MPI_Neighbor_alltoall(send, 10, MPI_INT, receive, 10, MPI_INT, ring);
    MPI_Comm_free(&ring);
}

/* One-sided: 0 puts 10 ints into 1 and gets 5 from 2. */
static void one_sided(void) {
    MPI_Win window;
    int value = 1, result;
    MPI_Win_create(data[2], 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(data, 10, MPI_INT, 1, 0, 10, MPI_INT, window);
        MPI_Get(data, 5, MPI_INT, 2, 0, 5, MPI_INT, window);
        MPI_Put(data, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, window);
    }
    MPI_Win_fence(0, window);
    if (rank == 1) MPI_Fetch_and_op(&value, &result, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Datatypes that nobody looks at: of what MPI_NO_OP would give, and of no elements, where the library takes them. */
static void null_types(void) {
    MPI_Win window;
    int result[3], next = (rank + 1) % ranks;
    MPI_Win_create(data[2], 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, result, 3, MPI_INT, next, 0, 3, MPI_INT, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    MPI_Get_accumulate(data[0], 2, MPI_INT, result, 3, MPI_INT, next, 0, 3, MPI_INT, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    MPI_Fetch_and_op(NULL, result, MPI_INT, next, 0, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
#ifndef OPEN_MPI
    int none[3] = {0};
    MPI_Datatype types[3] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Request request;
    MPI_Alltoallw(data[0], none, none, types, data[1], none, none, types, MPI_COMM_WORLD);
    MPI_Ialltoallw(data[0], none, none, types, data[1], none, none, types, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}

/* Calls that a callback makes belong to the call that calls it. */
static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void nested(void) {
    MPI_Op op;
    int size, value = rank, sum;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_size(MPI_INT, &size);
    MPI_Pcontrol(1);
}

#if MPI_VERSION >= 4
/* What MPI 4 added: large counts, both directions in one request, partitions, persistent collectives. */
static void mpi4(void) {
    MPI_Request requests[2];
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Count count = 1000;
    MPI_Isendrecv(data[0], 10, MPI_CHAR, next, 1, data[1], 100, MPI_CHAR, before, 1, MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(data[0], 20, MPI_CHAR, next, 1, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Send_c(data, count, MPI_INT, 1, 2, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv_c(data, count, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* five partitions of 30 bytes, twice, from 0 to 2 */
    if (rank == 0) {
        MPI_Psend_init(data[0], 5, 30, MPI_CHAR, 2, 3, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
        for (int round = 0; round < 2; ++round) {
            MPI_Start(requests);
            MPI_Pready_range(0, 4, requests[0]);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(requests);
    } else if (rank == 2) {
        MPI_Precv_init(data[1], 5, 30, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
        for (int round = 0; round < 2; ++round) {
            MPI_Start(requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(requests);
    }
    static int in[300], out[300];
    MPI_Allreduce_init(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Gather_init(in, 10, MPI_INT, out + 100, 10, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; ++round) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
    MPI_Allreduce_c(MPI_IN_PLACE, out, count / 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
#endif

/* One message, and then the end that the case is called after. */
static void one_message(void) {
    if (rank == 0) MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char* name;
    void (*run)(void);
} cases[] = {
    {"modes", modes},           {"completions", completions}, {"persistent", persistent}, {"matched", matched},
    {"communicators", communicators}, {"collectives", collectives}, {"one_sided", one_sided}, {"nested", nested},
    {"null_types", null_types},
#if MPI_VERSION >= 4
    {"mpi4", mpi4},
#endif
    {"finalize", one_message},  {"abort", one_message},       {"exit", one_message},      {"kill", one_message},
};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(argv[1], cases[i].name) == 0) cases[i].run();
    }
    if (strcmp(argv[1], "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 3);
        pause(); /* MPICH 5 may return before its launcher ends the process */
    }
    if (strcmp(argv[1], "exit") == 0) exit(4);
    if (strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
    MPI_Finalize();
    return 0;
}
