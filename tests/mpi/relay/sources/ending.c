// SPDX-License-Identifier: Apache-2.0
// A communicator is freed while a persistent receive is left on it: its attribute goes then, or in MPI_Finalize at the
// latest. The attribute's callback exchanges messages with the neighbors. Another one frees a window in MPI_Finalize.
#include <mpi.h>
#include <stdio.h>

static int rank, size, called;

static int exchange(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)value, (void)state;
    for (int i = 0; i < 40; ++i) {
        int out = 100 * rank + i, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT, (rank + size - 1) % size, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in != 100 * ((rank + size - 1) % size) + i) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ++called;
    return MPI_SUCCESS;
}

static int window_goes(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    return MPI_Win_free(value);
}

int main(int argc, char** argv) {
    int key, window_key, value;
    MPI_Win window;
    MPI_Comm comms[3];
    MPI_Request left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, exchange, &key, NULL);
    for (int i = 0; i < 3; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        MPI_Comm_set_attr(comms[i], key, &value);
        MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comms[i], &left);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, window_goes, &window_key, NULL);
    MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_set_attr(MPI_COMM_SELF, window_key, &window);
    MPI_Finalize();
    printf("%d\n", called);
    return 0;
}
