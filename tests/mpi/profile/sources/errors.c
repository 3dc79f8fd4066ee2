/* Receives that end with an error, MPI_ERRORS_RETURN: rank 1 sends, rank 0 gets. The tag says what completes. */
#include <mpi.h>
#include <string.h>

enum { MESSAGES = 10, BYTES = 32, CALLS = 6, SENDRECV = 10, SENDRECV_REPLACE = 11, WAYS = 12, NO_INDEX = 13 };
static char data[MESSAGES][BYTES];

/* One call. MPI_REQUEST_NULL stands where a request is complete. */
static void complete(int call, MPI_Request requests[]) {
    MPI_Status statuses[MESSAGES];
    int index, flag, number, indices[MESSAGES];
    switch (call) {
        case 1:
            MPI_Waitany(MESSAGES, requests, &index, MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Testany(MESSAGES, requests, &index, &flag, statuses);
            break;
        case 3:
            MPI_Waitsome(MESSAGES, requests, &number, indices, MPI_STATUSES_IGNORE);
            break;
        case 4:
            MPI_Testsome(MESSAGES, requests, &number, indices, statuses);
            break;
        case 5:
            MPI_Waitall(MESSAGES, requests, statuses);
            break;
        case 6:
            MPI_Testall(MESSAGES, requests, &flag, MPI_STATUSES_IGNORE);
            break;
    }
}

static int are_open(const MPI_Request requests[]) {
    int open = 0;
    for (int i = 0; i < MESSAGES; ++i) open += requests[i] != MPI_REQUEST_NULL;
    return open;
}

/* The first does not fit. The last one is sent only when others are complete. */
static void receive(int call) {
    MPI_Request requests[MESSAGES];
    int asked = 0;
    for (int i = 0; i < MESSAGES; ++i)
        MPI_Irecv(data[i], i == 0 ? 3 : BYTES, MPI_CHAR, i % 2 ? MPI_ANY_SOURCE : 1, call, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    while (are_open(requests)) {
        complete(call, requests);
        if (!asked && (are_open(requests) < MESSAGES || call == 6)) {
            MPI_Send(NULL, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            asked = 1;
        }
    }
    if (!asked) MPI_Send(NULL, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
}

static void send(int call) {
    MPI_Barrier(MPI_COMM_WORLD);
    /* Those of MPI_Waitall do not wait for each other: a library may return only when all are there. */
    if (call == 5)
        for (int i = 0; i < MESSAGES; ++i) MPI_Send(data[i], BYTES, MPI_CHAR, 0, call, MPI_COMM_WORLD);
    else
        for (int i = 0; i < MESSAGES - 1; ++i) MPI_Send(data[i], BYTES, MPI_CHAR, 0, call, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (call != 5) MPI_Send(data[MESSAGES - 1], BYTES, MPI_CHAR, 0, call, MPI_COMM_WORLD);
}

/* Too long, in a way of its own for each tag; and then in order. */
static void too_long(int tag) {
    MPI_Request request;
    MPI_Message message;
    switch (tag) {
        case 7:
            MPI_Irecv(data[0], 3, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 8:
            MPI_Recv(data[0], 3, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 9:
            MPI_Recv(data[0], 3, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case SENDRECV:
            MPI_Sendrecv(data[1], BYTES, MPI_CHAR, 1, tag, data[0], 3, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case SENDRECV_REPLACE:
            MPI_Sendrecv_replace(data[0], 3, MPI_CHAR, 1, tag, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 12:
            MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(data[0], 3, MPI_CHAR, &message, MPI_STATUS_IGNORE);
            break;
    }
}

static void in_order(int tag, int rank) {
    if (rank == 1) {
        for (int i = 0; i < 3; ++i) MPI_Send(data[i], BYTES, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
        if (tag == SENDRECV || tag == SENDRECV_REPLACE)
            MPI_Recv(data[0], BYTES, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        too_long(tag);
        for (int i = 1; i < 3; ++i) MPI_Recv(data[i], BYTES, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* There is no place for the index, which the library says; and the request is complete afterwards as ever. By the
 * standard ABI, MPICH writes it all the same. */
static void no_index(int rank) {
    MPI_Request request;
    int flag;
    if (rank == 1) MPI_Send(data[0], BYTES, MPI_CHAR, 0, NO_INDEX, MPI_COMM_WORLD);
    if (rank != 0) return;
    MPI_Irecv(data[0], BYTES, MPI_CHAR, 1, NO_INDEX, MPI_COMM_WORLD, &request);
#ifndef MPI_ABI
    MPI_Testany(1, &request, NULL, &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(1, &request, NULL, MPI_STATUS_IGNORE);
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memset(data, 0, sizeof data);
    for (int call = 1; call <= CALLS; ++call) {
        if (rank == 0) receive(call);
        if (rank == 1) send(call);
    }
    for (int tag = CALLS + 1; tag <= WAYS; ++tag) in_order(tag, rank);
    no_index(rank);
    MPI_Finalize();
    return 0;
}
