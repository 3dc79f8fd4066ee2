// SPDX-License-Identifier: Apache-2.0
// The last of 3 processes dies. The others are told so by their own calls, and go on without it to MPI_Finalize. Each
// says which of its expectations were not met, as the library's own MPI_Finalize begins: the plane's part of it is over.
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 200000, DEAD = 2 };
static char out[LARGE], in[LARGE];
static int rank, wrong;

static int tell(MPI_Comm comm, int key, void* attribute, void* extra) {
    printf("rank %d: %d\n", rank, wrong);
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int class = MPI_SUCCESS, error, key;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 0; i < rounds; ++i) {  // messages of both kinds
        if (argc > 1) usleep(5000);
        MPI_Irecv(in, LARGE, MPI_CHAR, (rank + 2) % 3, 1, MPI_COMM_WORLD, &request);
        MPI_Send(out, i % 2 ? 10 : LARGE, MPI_CHAR, (rank + 1) % 3, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == DEAD) raise(SIGKILL);
    error = MPI_Recv(in, 1, MPI_CHAR, DEAD, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    wrong |= class != MPIX_ERR_PROC_FAILED;
    error = MPI_SUCCESS;
    for (int i = 0; i < 20 && error == MPI_SUCCESS; ++i) error = MPI_Send(out, LARGE, MPI_CHAR, DEAD, 3, MPI_COMM_WORLD);
    MPI_Error_class(error, &class);
    wrong |= 2 * (class != MPIX_ERR_PROC_FAILED);
    for (int i = 0; i < 20; ++i) {
        memset(in, 0, sizeof in);
        memset(out, i + 1, sizeof out);
        MPI_Irecv(in, LARGE, MPI_CHAR, 1 - rank, 4, MPI_COMM_WORLD, &request);
        MPI_Send(out, LARGE, MPI_CHAR, 1 - rank, 4, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong |= 4 * (in[LARGE - 1] != i + 1);
    }
    // From any source: it is interrupted until the program says that it knows.
    MPI_Irecv(in, 1, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
    MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
    wrong |= 16 * (class != MPIX_ERR_PROC_FAILED_PENDING || request == MPI_REQUEST_NULL);
    MPI_Error_class(MPI_Waitall(1, &request, &status), &class);
    wrong |= 32 * (class != MPI_ERR_IN_STATUS || request == MPI_REQUEST_NULL);
    MPI_Error_class(MPI_Recv(in + 1, 1, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
    wrong |= 64 * (class != MPIX_ERR_PROC_FAILED);
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    MPI_Sendrecv(out, 1, MPI_CHAR, 1 - rank, 7, in + 1, 1, MPI_CHAR, 1 - rank, 7, MPI_COMM_WORLD, &status);
    out[0] = 99;
    MPI_Send(out, 1, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);  // Open MPI may still tell the error that it told before
    wrong |= 128 * (in[0] != 99 || status.MPI_SOURCE != 1 - rank);
    error = MPI_Barrier(MPI_COMM_WORLD);
    wrong |= 8 * (error == MPI_SUCCESS);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Finalize();
    return wrong;
}
