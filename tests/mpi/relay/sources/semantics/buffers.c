// SPDX-License-Identifier: Apache-2.0
// Buffered sends: what is refused for want of room, and when there is room again.
#include <stdlib.h>

#include "semantics.h"

enum { NUMBER = 31, ROUNDS = 50 };

static MPI_Comm comm; /* its errors are returned */
static unsigned char *out, *in;

static int class_of(int error) {
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    return class;
}

static void receive(int source, int length, int sign) {
    MPI_Status status;
    NEED(MPI_Recv(in, LARGE, MPI_BYTE, source, NUMBER, comm, &status) == MPI_SUCCESS);
    NEED(count_of(&status, MPI_BYTE) == length && are_bytes(in, length, sign));
}

static void detach(int space) {
    void* buffer = NULL;
    int size_B = 0;
    MPI_Buffer_detach(&buffer, &size_B);
    NEED(buffer != NULL && size_B == space);
    free(buffer);
}

static int attach(int length) {
    const int space = length + MPI_BSEND_OVERHEAD;
    MPI_Buffer_attach(memory(space), space);
    return space;
}

/// Whether it was accepted.
static int fits(int error) {
    NEED(error == MPI_SUCCESS || class_of(error) == MPI_ERR_BUFFER);
    return error == MPI_SUCCESS;
}

/// Of those that are not received the first one fits. The next ones do not, unless the library has a place for it
/// elsewhere, as in a connection between hosts; not so to oneself. Once it is received, there is room again.
static void one_at_a_time(int to, int from) {
    MPI_Request request, persistent;
    int sent = 0, coming = 0;
    const int space = attach(LARGE);
    write_bytes(out, LARGE, rank);
    NEED(MPI_Bsend_init(out, LARGE, MPI_BYTE, to, NUMBER, comm, &persistent) == MPI_SUCCESS);
    NEED(MPI_Bsend(out, LARGE, MPI_BYTE, to, NUMBER, comm) == MPI_SUCCESS);
    sent = 1 + fits(MPI_Bsend(out, LARGE, MPI_BYTE, to, NUMBER, comm));
    if (fits(MPI_Ibsend(out, LARGE, MPI_BYTE, to, NUMBER, comm, &request))) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ++sent;
    }
    if (fits(MPI_Start(&persistent))) {
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        ++sent;
    }
    NEED(to != rank || sent == 1);
    MPI_Sendrecv(&sent, 1, MPI_INT, to, NUMBER + 1, &coming, 1, MPI_INT, from, NUMBER + 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < coming; ++i) receive(from, LARGE, from);
    MPI_Barrier(comm);
    NEED(MPI_Start(&persistent) == MPI_SUCCESS);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
    receive(from, LARGE, from);
    MPI_Barrier(comm);
    NEED(MPI_Bsend(out, LARGE, MPI_BYTE, to, NUMBER, comm) == MPI_SUCCESS);
    receive(from, LARGE, from);
    detach(space);
}

/// Whoever knows that a message was received has its room back, however the message and that knowledge travelled.
static void again_and_again(int length) {
    const int space = attach(length);
    for (int i = 0; i < ROUNDS; ++i) {
        write_bytes(out, length, rank + i);
        NEED(MPI_Bsend(out, length, MPI_BYTE, next_rank, NUMBER, comm) == MPI_SUCCESS);
        receive(last_rank, length, last_rank + i);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, last_rank, NUMBER + 1, NULL, 0, MPI_BYTE, next_rank, NUMBER + 1, comm,
                     MPI_STATUS_IGNORE);
    }
    detach(space);
}

/// Many wait for their receives; the room of the one that has been received is there again.
static void beside_many(void) {
    enum { MANY = 24, WAITING = NUMBER + 2 };
    const int space = attach((MANY + 1) * (LARGE + MPI_BSEND_OVERHEAD) - MPI_BSEND_OVERHEAD);
    write_bytes(out, LARGE, rank);
    for (int i = 0; i < MANY; ++i) {
        NEED(MPI_Bsend(out, LARGE, MPI_BYTE, rank, WAITING, comm) == MPI_SUCCESS);
    }
    for (int i = 0; i < 3; ++i) {
        NEED(MPI_Bsend(out, LARGE, MPI_BYTE, rank, NUMBER, comm) == MPI_SUCCESS);
        receive(rank, LARGE, rank);
    }
    for (int i = 0; i < MANY; ++i) MPI_Recv(in, LARGE, MPI_BYTE, rank, WAITING, comm, MPI_STATUS_IGNORE);
    detach(space);
}

/// Also where the plane carries nothing.
static void to_oneself(void) {
    const int space = attach(LARGE);
    write_bytes(out, LARGE, rank);
    MPI_Bsend(out, LARGE, MPI_BYTE, 0, NUMBER, MPI_COMM_SELF);
    MPI_Recv(in, LARGE, MPI_BYTE, 0, NUMBER, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    NEED(are_bytes(in, LARGE, rank));
    detach(space);
}

#if MPI_VERSION > 4 || MPI_VERSION == 4 && MPI_SUBVERSION >= 1
static void of_a_communicator(void) {
    const int space = LARGE + MPI_BSEND_OVERHEAD, general = attach(LARGE);
    MPI_Request request;
    int flag = 1, size_B = 0;
    void* buffer = memory(space);
    write_bytes(out, LARGE, rank);
    MPI_Comm_attach_buffer(comm, buffer, space);
    NEED(MPI_Bsend(out, LARGE, MPI_BYTE, rank, NUMBER, comm) == MPI_SUCCESS);
    NEED(!fits(MPI_Bsend(out, LARGE, MPI_BYTE, rank, NUMBER, comm)));
    MPI_Buffer_flush(); /* the process's is empty */
    MPI_Comm_iflush_buffer(comm, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    NEED(!flag);
    receive(rank, LARGE, rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    NEED(MPI_Bsend(out, LARGE, MPI_BYTE, rank, NUMBER, comm) == MPI_SUCCESS);
    receive(rank, LARGE, rank);
    MPI_Comm_detach_buffer(comm, &buffer, &size_B);
    NEED(size_B == space);
    free(buffer);
    MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
    for (int i = 0; i < 3; ++i) NEED(MPI_Bsend(out, LARGE, MPI_BYTE, next_rank, NUMBER, comm) == MPI_SUCCESS);
    for (int i = 0; i < 3; ++i) receive(last_rank, LARGE, last_rank);
    MPI_Comm_detach_buffer(comm, &buffer, &size_B);
    detach(general);
}
#endif

static void take_back(int space, int time) {
#if MPI_VERSION > 4 || MPI_VERSION == 4 && MPI_SUBVERSION >= 1
    if (time % 2) MPI_Buffer_flush();
#else
    (void)time;
#endif
    detach(space);
}

/// Even ranks take their buffer back while the message in it waits for the odd ones, which wait for another message of
/// theirs. The buffered one is on a communicator of which the plane carries nothing.
void taken_back(void) {
    enum { TIMES = 4 };
    MPI_Request request;
    const int sends = rank % 2 == 0 && rank + 1 < size;
    MPI_Comm_idup(world, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    out = memory(LARGE);
    in = memory(LARGE);
    if (sends) MPI_Bsend_init(out, LARGE, MPI_BYTE, rank + 1, NUMBER, comm, &request);
    for (int time = 0; time < TIMES; ++time) {
        const int space = attach(LARGE);
        write_bytes(out, LARGE, rank + time);
        if (sends) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        owe();
        if (rank % 2) receive(rank - 1, LARGE, rank - 1 + time);
        take_back(space, time);
        settle();
    }
    /* One that was made on it may be started after it is freed. */
    MPI_Comm copy = comm;
    const int space = attach(LARGE);
    write_bytes(out, LARGE, rank);
    MPI_Request coming = MPI_REQUEST_NULL;
    if (rank % 2) MPI_Irecv(in, LARGE, MPI_BYTE, rank - 1, NUMBER, comm, &coming);
    MPI_Comm_free(&copy);
    if (sends) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Wait(&coming, MPI_STATUS_IGNORE);
    NEED(rank % 2 == 0 || are_bytes(in, LARGE, rank - 1));
    detach(space);
    free(out);
    free(in);
}

void full_buffers(void) {
    out = memory(LARGE);
    in = memory(LARGE);
    MPI_Comm_dup(world, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    NEED(class_of(MPI_Bsend(out, LARGE, MPI_BYTE, next_rank, NUMBER, comm)) == MPI_ERR_BUFFER); /* there is none */
    one_at_a_time(rank, rank);
    one_at_a_time(next_rank, last_rank);
    again_and_again(SMALL);
    again_and_again(MIDDLE);
    again_and_again(LARGE);
    beside_many();
    to_oneself();
#if MPI_VERSION > 4 || MPI_VERSION == 4 && MPI_SUBVERSION >= 1
    of_a_communicator();
#endif
    MPI_Comm_free(&comm);
    free(out);
    free(in);
}
