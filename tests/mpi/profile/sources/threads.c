/* Threads that are inside MPI at once: each of 4 exchanges 500 messages of its number + 1 bytes with its like on the
   other rank, receives first. Then as many again one after the other, so that their counters pass on. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 4, MESSAGES = 500, AT_ONCE = 10 };
static int rank;
static pthread_barrier_t all_here; /* so that all four have called MPI before the first of them ends */
static int together = 1;

static void* exchange(void* argument) {
    int number = (int)(size_t)argument;
    char in[AT_ONCE][8], out[8] = {0};
    MPI_Request requests[2 * AT_ONCE];
    for (int done = 0; done < MESSAGES; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; ++i) {
            int source = i % 2 ? MPI_ANY_SOURCE : 1 - rank;
            MPI_Irecv(in[i], 8, MPI_CHAR, source, number, MPI_COMM_WORLD, &requests[i]);
            MPI_Isend(out, number + 1, MPI_CHAR, 1 - rank, number, MPI_COMM_WORLD, &requests[AT_ONCE + i]);
        }
        MPI_Waitall(2 * AT_ONCE, requests, MPI_STATUSES_IGNORE);
    }
    if (together) pthread_barrier_wait(&all_here);
    return NULL;
}

int main(int argc, char** argv) {
    int level;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, exchange, (void*)i);
    for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    together = 0;
    for (size_t i = 0; i < THREADS; ++i) {
        pthread_create(&threads[i], NULL, exchange, (void*)i);
        pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
