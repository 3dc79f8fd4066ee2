// SPDX-License-Identifier: Apache-2.0
// A thread is busy with error handlers while another one looks at a receive that nobody sends to yet. "set": it sets
// some and asks for them, and what it has set is there. "inherit": it makes communicators, which have that of the one
// they are made of.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 2000, MADE = 4000 };
static volatile int over;
static long wrong;
static MPI_Errhandler handlers[2];

static void one(MPI_Comm* comm, int* error, ...) { (void)comm, (void)error; }
static void another(MPI_Comm* comm, int* error, ...) { (void)comm, (void)error; }

static int has(MPI_Comm comm, MPI_Errhandler wanted) {
    MPI_Errhandler is;
    MPI_Comm_get_errhandler(comm, &is);
    const int same = is == wanted;
    MPI_Errhandler_free(&is);
    return same;
}

static void* set_and_ask(void* argument) {
    (void)argument;
    for (int i = 0; i < TIMES; ++i) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[i % 2]);
        usleep(20);
        wrong += !has(MPI_COMM_WORLD, handlers[i % 2]);
    }
    over = 1;
    return NULL;
}

static void* inherit(void* argument) {
    (void)argument;
    for (int i = 0; i < MADE; ++i) {
        MPI_Comm made;
        MPI_Request request;
        if (i % 4 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &made);
        if (i % 4 == 1) MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
        if (i % 4 == 2) MPI_Comm_dup(MPI_COMM_SELF, &made);
        if (i % 4 == 3) {
            MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        wrong += !has(made, handlers[0]);
        MPI_Comm_free(&made);
    }
    over = 1;
    return NULL;
}

int main(int argc, char** argv) {
    int level, rank, in = -1, done, looks = 0;
    pthread_t thread;
    MPI_Request request;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(one, &handlers[0]);
    MPI_Comm_create_errhandler(another, &handlers[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[0]);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers[0]);
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
    pthread_create(&thread, NULL, strcmp(argv[1], "set") == 0 ? set_and_ask : inherit, NULL);
    while (!over) {
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
        if (++looks % 64 == 0) usleep(1);
    }
    pthread_join(thread, NULL);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    if (level != MPI_THREAD_MULTIPLE) fprintf(stderr, "rank %d: the library has no MPI_THREAD_MULTIPLE\n", rank);
    if (wrong != 0) fprintf(stderr, "rank %d: %ld error handlers were not what they had to be\n", rank, wrong);
    return wrong != 0 || level != MPI_THREAD_MULTIPLE;
}
