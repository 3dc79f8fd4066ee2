// Rank 0 sends a message and then waits, outside MPI, for a file that rank 1 makes when it has the message.
// Usage: send_and_wait_outside DIRECTORY: rank 0 makes "ready" there before it sends, and sends when "go" is there.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static char path[4096];

static const char* in(const char* directory, const char* name) {
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void make(const char* directory, const char* name) {
    FILE* file = fopen(in(directory, name), "w");
    if (file != NULL) fclose(file);
}

static void wait_for(const char* directory, const char* name) {
    while (access(in(directory, name), F_OK) != 0) usleep(1000);
}

int main(int argc, char** argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2000; ++round) {  // until agents know where the ranks are, and have rerouted the pair
        if (rank == 0) MPI_Send(&round, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        const int sent = 42;
        make(argv[1], "ready");
        wait_for(argv[1], "go");
        MPI_Send(&sent, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
        make(argv[1], "sent");
        wait_for(argv[1], "received");
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        make(argv[1], "received");
        printf("received %d\n", value);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
