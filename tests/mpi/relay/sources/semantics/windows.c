// SPDX-License-Identifier: Apache-2.0
// One-sided communication: whoever waits in it for another process's call may have to answer a message of that process.
#include <stdlib.h>

#include "semantics.h"

/// Each call of all is entered while a neighbour waits for a message: files.c.
#define OWING(call) \
    do {            \
        owe();      \
        call;       \
        settle();   \
    } while (0)

static void fences(void) {
    int *in = (int*)memory(2 * sizeof *in), out = 100 + rank, got = -1;
    MPI_Win win;
    in[0] = in[1] = -1;
    OWING(MPI_Win_create(in, 2 * sizeof *in, sizeof *in, MPI_INFO_NULL, world, &win));
    OWING(MPI_Win_fence(0, win));
    MPI_Put(&out, 1, MPI_INT, next_rank, 0, 1, MPI_INT, win);
    OWING(MPI_Win_fence(0, win));
    NEED(in[0] == 100 + last_rank && in[1] == -1);
    MPI_Get(&got, 1, MPI_INT, last_rank, 0, 1, MPI_INT, win);
    OWING(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    NEED(got == 100 + (last_rank + size - 1) % size);
    OWING(MPI_Win_free(&win));
    NEED(win == MPI_WIN_NULL);
    free(in);
}

/// Each accesses the next one's memory; the message that one sends before it posts is received here before the start.
static void groups(void) {
    int *in, out;
    MPI_Win win;
    MPI_Group all, from, to;
    MPI_Request request;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &last_rank, &from);
    MPI_Group_incl(all, 1, &next_rank, &to);
    MPI_Win_allocate(sizeof *in, sizeof *in, MPI_INFO_NULL, world, &in, &win);
    unsigned char *mine = memory(LARGE), *theirs = memory(LARGE);
    for (int i = 0; i < 6; ++i) {
        out = 10 * rank + i;
        write_bytes(mine, LARGE, rank + i);
        if (i % 2 == 0 && rank == 0) { /* waits in the start for who waits for its message */
            MPI_Isend(mine, LARGE, MPI_BYTE, next_rank, 5, world, &request);
        } else if (i % 2 == 0 && rank == 1) {
            MPI_Recv(theirs, LARGE, MPI_BYTE, 0, 5, world, MPI_STATUS_IGNORE);
            NEED(are_bytes(theirs, LARGE, i));
        }
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&out, 1, MPI_INT, next_rank, 0, 1, MPI_INT, win);
        if (i % 2 == 1 && rank == 1) { /* the other one waits for this access to end */
            MPI_Recv(theirs, LARGE, MPI_BYTE, next_rank, 6, world, MPI_STATUS_IGNORE);
            NEED(are_bytes(theirs, LARGE, next_rank + i));
        }
        if (i % 2 == 1 && rank == 2 % size) MPI_Isend(mine, LARGE, MPI_BYTE, 1, 6, world, &request);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        NEED(*in == 10 * last_rank + i);
        if (rank == (i % 2 ? 2 % size : 0)) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(mine);
    free(theirs);
    MPI_Win_free(&win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
}

/// Rank 0 has the lock that rank 1 waits for, and sends it a message first, which rank 1 is ready for.
static void lock_chain(MPI_Win win, int count) {
    unsigned char* bytes = memory(LARGE);
    MPI_Request request;
    if (rank == 0) {
        write_bytes(bytes, LARGE, count);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 1, world);
        MPI_Ssend(bytes, LARGE, MPI_BYTE, 1, 2, world);
        MPI_Win_unlock(0, win);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
        MPI_Irecv(bytes, LARGE, MPI_BYTE, 0, 2, world, &request);
        MPI_Win_lock(count % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        NEED(are_bytes(bytes, LARGE, count));
        MPI_Win_unlock(0, win);
    }
    free(bytes);
}

/// Rank 1 looks at memory until rank 0 has written there, who waits for its message.
static void spinning(MPI_Win win, int count) {
    unsigned char* bytes = memory(LARGE);
    const long one = 1;
    long seen = 0;
    MPI_Request request;
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        write_bytes(bytes, LARGE, count);
        MPI_Isend(bytes, LARGE, MPI_BYTE, 0, 3, world, &request);
        while (seen == 0) {
            MPI_Fetch_and_op(NULL, &seen, MPI_LONG, 1, 1, MPI_NO_OP, win);
            MPI_Win_flush(1, win);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Recv(bytes, LARGE, MPI_BYTE, 1, 3, world, MPI_STATUS_IGNORE);
        NEED(are_bytes(bytes, LARGE, count));
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win);
    }
    MPI_Win_unlock_all(win);
    free(bytes);
}

/// Counted under locks of every kind: no increment is lost.
static void counting(MPI_Win win) {
    long got;
    for (int i = 0; i < 10; ++i) {
        const int target = i % size;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_Get(&got, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
        ++got;
        MPI_Put(&got, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(target, win);
        MPI_Win_lock_all(0, win);
        MPI_Get(&got, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Win_unlock_all(win);
        NEED(got > 0 && got <= 10 * size);
    }
}

static void locks(void) {
    long* words;
    MPI_Win win;
    MPI_Win_allocate(2 * sizeof *words, sizeof *words, MPI_INFO_NULL, world, &words, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    words[0] = words[1] = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(world);
    counting(win);
    MPI_Barrier(world);
    long sum = 0, all = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    sum = words[0];
    MPI_Win_unlock(rank, win);
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, world);
    NEED(all == 10 * size);
    for (int count = 0; count < 6; ++count) {
        lock_chain(win, count);
        MPI_Barrier(world);
        spinning(win, count);
        MPI_Barrier(world);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
        words[1] = 0;
        MPI_Win_unlock(rank, win);
        MPI_Barrier(world);
    }
    MPI_Win_free(&win);
}

void windows(void) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
    return; /* without the plane, too, a put may arrive after the fence (4.0.2 of Debian 12) */
#endif
    fences();
    groups();
    locks();
}

/// On a communicator whose messages the plane does not carry, people wait for each other all the same.
void windows_of_copies(void) {
    MPI_Comm copy;
    MPI_Win win;
    MPI_Request request;
    int written = -1, got = -1;
    MPI_Comm_idup(world, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* MPICH 4.0 puts wrong data into what it allocates for a copy. */
    MPI_Win_create(&written, sizeof written, sizeof written, MPI_INFO_NULL, copy, &win);
    for (int time = 0; time < 3; ++time) {
        MPI_Win_fence(0, win);
        if (rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 3, world, &request);
        MPI_Barrier(world);
        if (rank == 0) MPI_Ssend(&time, 1, MPI_INT, 1, 3, world); /* to one who waits in the fence */
        MPI_Put(&rank, 1, MPI_INT, next_rank, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        NEED(written == last_rank);
        if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
        NEED(rank != 1 || got == time);
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&copy);
}

/// A second start within one is refused at once: nobody posts for it.
void wrong_starts(void) {
    MPI_Win win;
    MPI_Group all, from, to;
    int *in;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &last_rank, &from);
    MPI_Group_incl(all, 1, &next_rank, &to);
    MPI_Win_allocate(sizeof *in, sizeof *in, MPI_INFO_NULL, world, &in, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int time = 0; time < 2; ++time) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        NEED(MPI_Win_start(to, 0, win) != MPI_SUCCESS);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
#ifdef MPICH_VERSION /* Open MPI waits for the other process to post */
        MPI_Win_lock(MPI_LOCK_SHARED, next_rank, time ? MPI_MODE_NOCHECK : 0, win);
        NEED(MPI_Win_start(to, 0, win) != MPI_SUCCESS);
        MPI_Win_unlock(next_rank, win);
        MPI_Win_lock_all(0, win);
        NEED(MPI_Win_start(to, 0, win) != MPI_SUCCESS);
        MPI_Win_unlock_all(win);
#endif
    }
    MPI_Win_free(&win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
}
