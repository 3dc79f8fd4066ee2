// SPDX-License-Identifier: Apache-2.0
// Rank 0 sends so many messages of so many bytes as fast as it can; rank 1 takes none before 3 s, then all. Both say by
// how much their memory has grown.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long most_KiB(void) {
    char line[256];
    long size_KiB = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &size_KiB);
    fclose(status);
    return size_KiB;
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int messages = atoi(argv[1]), size_B = atoi(argv[2]);
    int* bytes = calloc(1, (size_t)size_B);
    sleep(1); /* until agents know where ranks are */
    MPI_Barrier(MPI_COMM_WORLD);
    const long before_KiB = most_KiB();
    if (rank == 1) {
        const double begin_s = MPI_Wtime();
        for (int flag; MPI_Wtime() - begin_s < 3;) { /* in MPI, but taking none of them */
            MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            usleep(100);
        }
    }
    for (int i = 0; i < messages && rank < 2; ++i) {
        bytes[0] = i;
        if (rank == 0) MPI_Send(bytes, size_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(bytes, size_B, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (bytes[0] != i) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank < 2) printf("grown by %ld MiB\n", (most_KiB() - before_KiB) / 1024);
    MPI_Finalize();
    return 0;
}
