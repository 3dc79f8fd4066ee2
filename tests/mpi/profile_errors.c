/* Receives that end with an error, MPI_ERRORS_RETURN: rank 1 sends, rank 0 gets. The tag says what completes. */
#include <mpi.h>
#include <string.h>

enum { MESSAGES = 10, BYTES = 32, CALLS = 6 };
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

/* From anybody, too long; and then in order. */
static void in_order(int tag, int rank) {
    MPI_Request request;
    for (int i = 0; i < 3; ++i) {
        if (rank == 1) MPI_Send(data[i], BYTES, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Irecv(data[i], i == 0 ? 3 : BYTES, MPI_CHAR, i == 0 ? MPI_ANY_SOURCE : 1, tag, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
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
    in_order(CALLS + 1, rank);
    MPI_Finalize();
    return 0;
}
