// SPDX-License-Identifier: Apache-2.0
// Sends of all modes, blocking and not, persistent ones, and exchanges.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "semantics.h"

typedef int Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int Later(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

void blocking_modes(void) {
    Send* const sends[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
    const int lengths[] = {0, SMALL, MIDDLE, LARGE};
    const int space = 4 * LARGE + 100 * MPI_BSEND_OVERHEAD;
    void* buffer = memory(space);
    unsigned char* bytes = memory(LARGE);
    MPI_Buffer_attach(buffer, space);
    for (int mode = 0; mode < 4; ++mode) {
        for (int i = 0; i < 4; ++i) {
            MPI_Request receive;
            MPI_Status status;
            unsigned char* got = memory(LARGE);
            MPI_Irecv(got, LARGE, MPI_BYTE, last_rank, mode, world, &receive);
            if (mode == 3) MPI_Barrier(world); /* a ready send wants its receive to be there */
            write_bytes(bytes, lengths[i], rank + mode);
            sends[mode](bytes, lengths[i], MPI_BYTE, next_rank, mode, world);
            memset(bytes, 0, LARGE);
            MPI_Wait(&receive, &status);
            NEED(receive == MPI_REQUEST_NULL);
            NEED(status.MPI_SOURCE == last_rank && status.MPI_TAG == mode && count_of(&status, MPI_BYTE) == lengths[i]);
            NEED(are_bytes(got, lengths[i], last_rank + mode));
            free(got);
        }
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
    free(bytes);
}

void later_modes(void) {
    Later* const sends[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
    const int space = 8 * LARGE + 100 * MPI_BSEND_OVERHEAD;
    void* buffer = memory(space);
    unsigned char *out[12], *in[12];
    MPI_Request requests[24];
    MPI_Status statuses[24];
    const int lengths[] = {SMALL, MIDDLE, LARGE};
    MPI_Buffer_attach(buffer, space);
    for (int i = 0; i < 12; ++i) {
        in[i] = memory(LARGE);
        MPI_Irecv(in[i], LARGE, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : last_rank, i % 3 ? 9 : MPI_ANY_TAG, world,
                  &requests[12 + i]);
    }
    MPI_Barrier(world);
    for (int i = 0; i < 12; ++i) {
        out[i] = memory(LARGE);
        write_bytes(out[i], lengths[i % 3], rank + i);
        sends[i / 3](out[i], lengths[i % 3], MPI_BYTE, next_rank, 9, world, &requests[i]);
    }
    MPI_Waitall(24, requests, statuses);
    for (int i = 0; i < 12; ++i) {
        NEED(requests[i] == MPI_REQUEST_NULL && requests[12 + i] == MPI_REQUEST_NULL);
        NEED(statuses[12 + i].MPI_SOURCE == last_rank && statuses[12 + i].MPI_TAG == 9);
        NEED(count_of(&statuses[12 + i], MPI_BYTE) == lengths[i % 3]);
        NEED(are_bytes(in[i], lengths[i % 3], last_rank + i));
        free(in[i]);
        free(out[i]);
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
}

void persistent(void) {
    enum { STARTS = 12, MODES = 5, ALL = 2 * MODES };
    int (*const makes[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
        MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Send_init, MPI_Rsend_init};
    const int lengths[] = {SMALL, MIDDLE, SMALL, LARGE, MIDDLE};
    const int space = STARTS * (LARGE + MPI_BSEND_OVERHEAD);
    void* buffer = memory(space);
    unsigned char *out[MODES], *in[MODES];
    MPI_Request requests[ALL];
    MPI_Status statuses[ALL];
    MPI_Buffer_attach(buffer, space);
    for (int i = 0; i < MODES; ++i) {
        out[i] = memory(LARGE);
        in[i] = memory(LARGE);
        makes[i](out[i], lengths[i], MPI_BYTE, next_rank, i, world, &requests[i]);
        MPI_Recv_init(in[i], LARGE, MPI_BYTE, i == 1 ? MPI_ANY_SOURCE : last_rank, i, world, &requests[MODES + i]);
    }
    for (int start = 0; start < STARTS; ++start) {
        for (int i = 0; i < MODES; ++i) write_bytes(out[i], lengths[i], rank + start + i);
        MPI_Startall(MODES, requests + MODES);
        MPI_Barrier(world); /* a ready send wants its receive to be there */
        for (int i = 0; i < MODES; ++i) MPI_Start(&requests[i]);
        if (start % 2) {
            MPI_Waitall(ALL, requests, statuses);
        } else {
            for (int i = ALL - 1; i >= 0; --i) MPI_Wait(&requests[i], &statuses[i]);
        }
        for (int i = 0; i < MODES; ++i) {
            NEED(requests[i] != MPI_REQUEST_NULL && requests[MODES + i] != MPI_REQUEST_NULL);
            NEED(statuses[MODES + i].MPI_SOURCE == last_rank && statuses[MODES + i].MPI_TAG == i);
            NEED(count_of(&statuses[MODES + i], MPI_BYTE) == lengths[i] &&
                 are_bytes(in[i], lengths[i], last_rank + start + i));
        }
        MPI_Waitall(ALL, requests, statuses); /* of inactive requests: at once, with nothing */
        NEED(statuses[MODES].MPI_SOURCE == MPI_ANY_SOURCE && count_of(&statuses[MODES], MPI_BYTE) == 0);
    }
    for (int i = 0; i < ALL; ++i) MPI_Request_free(&requests[i]);
    for (int i = 0; i < MODES; ++i) {
        free(out[i]);
        free(in[i]);
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
}

void exchanges(void) {
    unsigned char *one = memory(LARGE), *two = memory(LARGE);
    MPI_Status status;
    for (int length = 1; length <= LARGE; length *= 10) {
        write_bytes(one, length, rank);
        MPI_Sendrecv(one, length, MPI_BYTE, next_rank, 1, two, LARGE, MPI_BYTE, MPI_ANY_SOURCE, 1, world, &status);
        NEED(status.MPI_SOURCE == last_rank && count_of(&status, MPI_BYTE) == length &&
             are_bytes(two, length, last_rank));
        MPI_Sendrecv_replace(one, length, MPI_BYTE, next_rank, 2, last_rank, 2, world, &status);
        NEED(count_of(&status, MPI_BYTE) == length && are_bytes(one, length, last_rank));
    }
    /* At the ends of a line there is nobody. */
    const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    write_bytes(one, SMALL, rank);
    memset(two, 0, SMALL);
    MPI_Sendrecv(one, SMALL, MPI_BYTE, up, 1, two, SMALL, MPI_BYTE, down, 1, world, &status);
    NEED(status.MPI_SOURCE == down && (rank == 0 ? two[0] == 0 : are_bytes(two, SMALL, rank - 1)));
    MPI_Sendrecv_replace(one, SMALL, MPI_BYTE, up, 1, down, 1, world, &status);
    NEED(are_bytes(one, SMALL, rank == 0 ? 0 : rank - 1));
    /* To oneself. */
    MPI_Sendrecv(one, SMALL, MPI_BYTE, rank, 5, two, SMALL, MPI_BYTE, MPI_ANY_SOURCE, 5, world, &status);
    NEED(status.MPI_SOURCE == rank && memcmp(one, two, SMALL) == 0);
    free(one);
    free(two);
    MPI_Barrier(world);
}

static long most_memory_KiB(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// A buffer bounds what is on its way: taken back, it is empty but for what standard sends may leave behind (32 MiB),
/// to which the memory that rank and agent share is added (two rings of 4 MiB, each mapped twice). 100 MiB are sent.
void buffers(void) {
    enum { TIMES = 200, LENGTH = 1 << 19, MOST_KiB = 60 << 10 };
    const int space = LENGTH + MPI_BSEND_OVERHEAD;
    unsigned char* bytes = memory(LENGTH);
    void* buffer = memory(space);
    write_bytes(bytes, LENGTH, 1);
    memset(buffer, 1, (size_t)space);
    const long before_KiB = most_memory_KiB();
    if (rank == 1) usleep(300000); /* a slow receiver */
    for (int time = 0; time < TIMES && rank == 0; ++time) {
        MPI_Buffer_attach(buffer, space);
        MPI_Bsend(bytes, LENGTH, MPI_BYTE, 1, time, world);
        MPI_Buffer_detach(&buffer, &(int){0});
    }
    for (int time = 0; time < TIMES && rank == 1; ++time) {
        memset(bytes, 0, LENGTH);
        MPI_Recv(bytes, LENGTH, MPI_BYTE, 0, time, world, MPI_STATUS_IGNORE);
        NEED(are_bytes(bytes, LENGTH, 1));
    }
    NEED(rank != 0 || most_memory_KiB() - before_KiB < MOST_KiB);
    free(buffer);
    free(bytes);
}
