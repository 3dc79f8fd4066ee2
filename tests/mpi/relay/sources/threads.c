// SPDX-License-Identifier: Apache-2.0
// Threads that are inside MPI at once: each of 4 sends numbered messages to its like on the next rank, on a
// communicator of its own and on one that all share (where its tag tells it), and gets those of the rank before in
// their order. Then each makes communicators, and takes messages of its own from one that all share by probes. Then
// each counts under locks of a window that all share, in places that others' threads lock, too.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, MESSAGES = 200, AT_ONCE = 10 };
static int rank, size;
static MPI_Comm own[THREADS];
static MPI_Comm copies[THREADS], more[THREADS]; /* of which the library alone knows what is sent there */

static void need(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* exchange(void* argument) {
    const int number = (int)(size_t)argument;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int out[2 * AT_ONCE], in[2 * AT_ONCE];
    MPI_Request requests[4 * AT_ONCE];
    MPI_Status statuses[4 * AT_ONCE];
    for (int done = 0; done < MESSAGES; done += AT_ONCE) {
        for (int i = 0; i < 2 * AT_ONCE; ++i) {
            const MPI_Comm comm = i % 2 ? own[number] : MPI_COMM_WORLD;
            out[i] = 10000 * rank + 1000 * number + done + i;
            MPI_Irecv(&in[i], 1, MPI_INT, i % 3 ? MPI_ANY_SOURCE : from, i % 2 ? MPI_ANY_TAG : number, comm,
                      &requests[2 * i]);
            MPI_Isend(&out[i], 1, MPI_INT, to, number, comm, &requests[2 * i + 1]);
        }
        MPI_Waitall(4 * AT_ONCE, requests, statuses);
        for (int i = 0; i < 2 * AT_ONCE; ++i) {
            need(in[i] == 10000 * from + 1000 * number + done + i, "a message is not the next one");
            need(statuses[2 * i].MPI_SOURCE == from && statuses[2 * i].MPI_TAG == number, "its status is another's");
        }
        int value = number, next = -1;
        MPI_Sendrecv(&value, 1, MPI_INT, to, 100 + number, &next, 1, MPI_INT, from, 100 + number, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        need(next == number, "an exchange went wrong");
        MPI_Barrier(own[number]);
    }
    return NULL;
}

enum { MADE = 12 };

/// The threads of a process make and free communicators at the same time, take messages by matched probes, and cancel.
static void* make(void* argument) {
    const int number = (int)(size_t)argument;
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < MADE; ++i) {
        MPI_Comm made;
        MPI_Message message;
        MPI_Request sending, cancelled;
        MPI_Status status;
        int out = 1000 * number + i, in = -1, never, flag = 0, sum = 0;
        MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 900 + number, MPI_COMM_WORLD, &cancelled);
        MPI_Isend(&out, 1, MPI_INT, to, 300 + number, MPI_COMM_WORLD, &sending);
        switch (i % 6) {
#if MPI_VERSION >= 4
            case 0: {
                char name[32];
                snprintf(name, sizeof name, "%d of thread %d", i, number);
                MPI_Comm_create_from_group(all, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
                break;
            }
#endif
            case 1:
                MPI_Comm_dup(own[number], &made);
                break;
            case 2:
                MPI_Comm_split(own[number], 0, rank, &made);
                break;
#if !defined(MPICH_NUMVERSION) || MPICH_NUMVERSION >= 40100000 /* else it crashes without the plane, too */
            case 3:
                MPI_Comm_create_group(copies[number], all, 5000, &made);
                break;
#endif
            case 4:
                MPI_Comm_dup(copies[number], &made);
                break;
            default:
                MPI_Comm_create_group(MPI_COMM_WORLD, all, 5000 + 100 * number + i, &made);
        }
        MPI_Mprobe(i % 2 ? from : MPI_ANY_SOURCE, 300 + number, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
        need(in == 1000 * number + i && status.MPI_SOURCE == from, "a probe took another thread's message");
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&out, 1, MPI_INT, to, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, made, &status);
        need(in == out && status.MPI_SOURCE == from, "a message of another communicator");
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, made);
        need(sum == size * number, "a sum of another communicator");
        MPI_Cancel(&cancelled);
        MPI_Wait(&cancelled, &status);
        MPI_Test_cancelled(&status, &flag);
        need(flag, "a receive that nobody sends to is not cancelled");
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&all);
    return NULL;
}

enum { COUNTS = 40 };
static MPI_Win window;

/// The threads of a process lock different targets at the same time.
static void* count(void* argument) {
    const int number = (int)(size_t)argument;
    for (int i = 0; i < COUNTS; ++i) {
        int got;
        MPI_Win_lock(i % 4 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, number, 0, window);
        MPI_Get(&got, 1, MPI_INT, number, 0, 1, MPI_INT, window);
        MPI_Win_flush(number, window);
        ++got;
        if (i % 4) MPI_Put(&got, 1, MPI_INT, number, 0, 1, MPI_INT, window);
        MPI_Win_unlock(number, window);
    }
    return NULL;
}

static void lock_together(pthread_t threads[]) {
    int* counted;
    const int number = size < THREADS ? size : THREADS;
    MPI_Win_allocate(sizeof *counted, sizeof *counted, MPI_INFO_NULL, MPI_COMM_WORLD, &counted, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    *counted = 0;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < number; ++i) pthread_create(&threads[i], NULL, count, (void*)(size_t)i);
    for (int i = 0; i < number; ++i) pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    need(*counted == (rank < number ? size * COUNTS * 3 / 4 : 0), "an increment under a lock is lost");
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
}

int main(int argc, char** argv) {
    int level;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    need(level == MPI_THREAD_MULTIPLE, "the library has no MPI_THREAD_MULTIPLE");
    for (int i = 0; i < THREADS; ++i) {
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_idup(copies[i], &more[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, exchange, (void*)i);
    for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, make, (void*)i);
    for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
#if !defined(MPICH_NUMVERSION) || MPICH_NUMVERSION >= 40100000 /* else increments are lost without the plane, too */
    lock_together(threads);
#endif
    for (int i = 0; i < THREADS; ++i) {
        MPI_Comm_free(&own[i]);
        MPI_Comm_free(&copies[i]);
        MPI_Comm_free(&more[i]);
    }
    if (rank == 0) printf("threads\n");
    MPI_Finalize();
    return 0;
}
