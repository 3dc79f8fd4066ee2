// Rank 0 sends messages to each of the ranks from FIRST on, one rank after another, until one is not complete at once.
// They take none of them before there is a file, and are outside MPI until then. Usage: hold FIRST FILE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { INTS = 8192, MOST = 2000 };

static long most_KiB(void) {
    char line[256];
    long size_KiB = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &size_KiB);
    fclose(status);
    return size_KiB;
}

static void send_all(int first, int size, const char* path) {
    const long before_KiB = most_KiB();
    int at_once = 0, *sent = calloc((size_t)size, sizeof *sent);
    MPI_Request* requests = malloc((size_t)size * sizeof *requests);
    for (int to = first; to < size; ++to) {
        int* out = calloc(INTS, sizeof *out);
        for (int over = 1; over && sent[to] < MOST; at_once += over) {
            out[0] = out[INTS - 1] = sent[to]++;
            MPI_Isend(out, INTS, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[to]);
            MPI_Test(&requests[to], &over, MPI_STATUS_IGNORE);
        }
    }
    printf("%d at once, grown by %ld MiB\n", at_once, (most_KiB() - before_KiB) / 1024);
    fflush(stdout);
    fclose(fopen(path, "w"));
    for (int to = first; to < size; ++to) MPI_Send(&sent[to], 1, MPI_INT, to, 2, MPI_COMM_WORLD);
    MPI_Waitall(size - first, requests + first, MPI_STATUSES_IGNORE);
}

static void receive_all(const char* path) {
    int messages, *in = calloc(INTS, sizeof *in);
    while (access(path, F_OK) != 0) usleep(10000);
    MPI_Recv(&messages, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < messages; ++i) {
        MPI_Recv(in, INTS, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in[0] != i || in[INTS - 1] != i) MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sleep(1); /* until agents know where ranks are */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) send_all(atoi(argv[1]), size, argv[2]);
    if (rank >= atoi(argv[1])) receive_all(argv[2]);
    MPI_Finalize();
    return 0;
}
