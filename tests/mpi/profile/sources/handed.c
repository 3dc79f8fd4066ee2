/* What rank 1 has asked for in one thread, and gets in another one; rank 0 sends it. The tag says which. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static char data[8];
static MPI_Request request;
static pthread_barrier_t tested;

static void late(void) { usleep(250000); }

static void work(void) {
    clock_t end = clock() + CLOCKS_PER_SEC / 50; /* 20 ms of this process */
    while (clock() < end) {
    }
}

/* Tests it when it has computed between other tests, and lives on. */
static void* test(void* nothing) {
    MPI_Request never;
    int flag;
    MPI_Irecv(data + 4, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &never);
    MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
    work();
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Cancel(&never);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&tested);
    pthread_barrier_wait(&tested);
    return nothing;
}

static void* probe(void* nothing) {
    int flag;
    MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return nothing;
}

static void* probe_and_receive(void* nothing) {
    MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return nothing;
}

int main(int argc, char** argv) {
    int rank, level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int tag = 1; tag <= 2; ++tag) {
            MPI_Barrier(MPI_COMM_WORLD);
            late();
            MPI_Send(data, 8, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        pthread_barrier_init(&tested, NULL, 2);
        MPI_Irecv(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        pthread_create(&thread, NULL, test, NULL);
        pthread_barrier_wait(&tested);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        pthread_barrier_wait(&tested);
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, probe, NULL); /* takes over what that one has counted in */
        pthread_join(thread, NULL);
        late();
        pthread_create(&thread, NULL, probe_and_receive, NULL);
        pthread_join(thread, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
