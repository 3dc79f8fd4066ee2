// SPDX-License-Identifier: Apache-2.0
// The last of 3 processes dies. One of the others is told so, and revokes the communicator on which the third waits for
// a message that never comes; both go on without the dead one. One comes to what they settle together while the other
// waits for a message of its. Each says which of its expectations were not met, as the library's own MPI_Finalize begins.
#include <mpi.h>
#include <mpi-ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 200000, DEAD = 2, NEVER = 9 };
static char out[LARGE], in[LARGE], late[LARGE];
static int rank, wrong;

static int tell(MPI_Comm comm, int key, void* attribute, void* extra) {
    printf("rank %d: %d\n", rank, wrong);
    fflush(stdout);
    return MPI_SUCCESS;
}

static int class_of(int error) {
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    return class;
}

// Rank 0 has sent what rank 1 waits for, on a communicator that nobody has revoked.
static MPI_Request debt = MPI_REQUEST_NULL;

static void owe(MPI_Comm comm, int sign) {
    memset(out, sign, sizeof out);
    if (rank == 0) {
        MPI_Isend(out, LARGE, MPI_CHAR, 1, 4, comm, &debt);
    } else {
        MPI_Recv(in, LARGE, MPI_CHAR, 0, 4, comm, MPI_STATUS_IGNORE);
        wrong |= 256 * (in[0] != sign || in[LARGE - 1] != sign);
    }
}

int main(int argc, char** argv) {
    int flag, key, survivors = 0, sum = 0;
    MPI_Request request;
    MPI_Comm left, beside;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &beside);
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 0; i < rounds; ++i) {  // messages of both kinds
        if (argc > 1) usleep(5000);
        MPI_Irecv(in, LARGE, MPI_CHAR, (rank + 2) % 3, 1, MPI_COMM_WORLD, &request);
        MPI_Send(out, i % 2 ? 10 : LARGE, MPI_CHAR, (rank + 1) % 3, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == DEAD) raise(SIGKILL);
    if (rank == 0) {
        wrong |=
            class_of(MPI_Recv(in, 1, MPI_CHAR, DEAD, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) != MPIX_ERR_PROC_FAILED;
        MPIX_Comm_revoke(MPI_COMM_WORLD);
    } else {
        MPI_Irecv(late, LARGE, MPI_CHAR, 0, NEVER, MPI_COMM_WORLD, &request);
        const int error = MPI_Recv(in, LARGE, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong |= 2 * (class_of(error) != MPIX_ERR_REVOKED);
        wrong |= 4 * (class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) != MPIX_ERR_REVOKED);
    }
    wrong |= 16 * (class_of(MPI_Barrier(MPI_COMM_WORLD)) != MPIX_ERR_REVOKED);
    for (int i = 1; i <= 4; ++i) {
        owe(beside, i);
        flag = 2 * rank + 1;
        // Nobody has acknowledged the failure: all are told of it, with what they agree on.
        wrong |= 512 * (class_of(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)) != MPIX_ERR_PROC_FAILED || flag != 1);
        MPI_Wait(&debt, MPI_STATUS_IGNORE);
    }
    owe(beside, 5);
    wrong |= 1024 * (MPIX_Comm_shrink(MPI_COMM_WORLD, &left) != MPI_SUCCESS);
    MPI_Wait(&debt, MPI_STATUS_IGNORE);
    MPI_Comm_size(left, &survivors);
    wrong |= 32 * (survivors != 2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, left);
    wrong |= 64 * (sum != 1);
    memset(out, 7, sizeof out);
    MPI_Sendrecv(out, LARGE, MPI_CHAR, 1 - rank, 5, in, LARGE, MPI_CHAR, 1 - rank, 5, left, MPI_STATUS_IGNORE);
    wrong |= 128 * (in[LARGE - 1] != 7);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Finalize();
    return wrong;
}
