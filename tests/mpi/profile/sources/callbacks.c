// SPDX-License-Identifier: Apache-2.0
// A callback ends a receive that the program began; then others get the receive's handle.
#include <mpi.h>
#include <stddef.h>

enum { MANY = 20, NEVER = 900 };

static int end_receive(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    MPI_Request* request = value;
    MPI_Cancel(request);
    return MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    int key, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_receive, &key, NULL);
    for (int i = 0; i < MANY; ++i) {
        MPI_Comm own;
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, NEVER, MPI_COMM_WORLD, &request);
        MPI_Comm_set_attr(own, key, &request);
        MPI_Comm_free(&own);
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
    return 0;
}
