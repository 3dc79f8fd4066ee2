// SPDX-License-Identifier: Apache-2.0
// Messages to and from nobody (MPI_PROC_NULL): every call is over at once, and says so.
#include <string.h>

#include "semantics.h"

enum { TAG = 5, KEPT = 17 };
/* MPICH 4 and 5 leave the statuses of such requests as they are. */
#ifdef OPEN_MPI
enum { TELLS_OF_REQUESTS = 1 };
#else
enum { TELLS_OF_REQUESTS = 0 };
#endif

static int is_of_nobody(MPI_Status* status) {
    int cancelled = 1;
    MPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == MPI_PROC_NULL && status->MPI_TAG == MPI_ANY_TAG && !cancelled &&
           count_of(status, MPI_BYTE) == 0;
}

#define NEED_NOBODY(call)                            \
    do {                                             \
        MPI_Status status;                           \
        memset(&status, 77, sizeof status);          \
        call;                                        \
        NEED(is_of_nobody(&status) && byte == KEPT); \
    } while (0)

static void one_by_one(void) {
    unsigned char byte = KEPT;
    int flag = 0;
    MPI_Request request;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Send(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world);
    MPI_Ssend(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world);
    MPI_Rsend(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world);
    MPI_Bsend(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world); /* which needs no buffer then */
    NEED_NOBODY(MPI_Recv(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world, &status));
    NEED_NOBODY(MPI_Probe(MPI_PROC_NULL, TAG, world, &status));
    NEED_NOBODY(MPI_Iprobe(MPI_PROC_NULL, TAG, world, &flag, &status));
    NEED(flag);
    NEED_NOBODY(MPI_Mprobe(MPI_PROC_NULL, TAG, world, &message, &status));
    NEED(message == MPI_MESSAGE_NO_PROC);
    NEED_NOBODY(MPI_Mrecv(&byte, 1, MPI_BYTE, &message, &status));
    NEED(message == MPI_MESSAGE_NULL);
    flag = 0;
    NEED_NOBODY(MPI_Improbe(MPI_PROC_NULL, TAG, world, &flag, &message, &status));
    NEED(flag && message == MPI_MESSAGE_NO_PROC);
    MPI_Imrecv(&byte, 1, MPI_BYTE, &message, &request);
    NEED_NOBODY(MPI_Wait(&request, &status));
    NEED_NOBODY(
        MPI_Sendrecv(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, &byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world, &status));
    NEED_NOBODY(MPI_Sendrecv_replace(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, MPI_PROC_NULL, TAG, world, &status));
}

/// Beside messages that are somebody's.
static void beside_others(int time) {
    enum { NONE_IN, IN, OUT, NONE_OUT, ALL };
    unsigned char byte = KEPT;
    int in = -1;
    MPI_Request requests[ALL];
    MPI_Status statuses[ALL];
    MPI_Irecv(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world, &requests[NONE_IN]);
    MPI_Irecv(&in, 1, MPI_INT, time % 2 ? last_rank : MPI_ANY_SOURCE, TAG, world, &requests[IN]);
    MPI_Isend(&rank, 1, MPI_INT, next_rank, TAG, world, &requests[OUT]);
    MPI_Isend(&rank, 1, MPI_INT, MPI_PROC_NULL, TAG, world, &requests[NONE_OUT]);
    MPI_Waitall(ALL, requests, statuses);
    NEED(byte == KEPT && (!TELLS_OF_REQUESTS || is_of_nobody(&statuses[NONE_IN])));
    NEED(in == last_rank && statuses[IN].MPI_SOURCE == last_rank && count_of(&statuses[IN], MPI_INT) == 1);
}

static void again_and_again(void) {
    enum { MODES = 4, ALL };
    int (*const makes[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
        MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
    unsigned char byte = KEPT;
    MPI_Request requests[ALL];
    MPI_Status statuses[ALL];
    for (int i = 0; i < MODES; ++i) makes[i](&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world, &requests[i]);
    MPI_Recv_init(&byte, 1, MPI_BYTE, MPI_PROC_NULL, TAG, world, &requests[MODES]);
    for (int start = 0; start < 3; ++start) {
        MPI_Startall(ALL, requests);
        MPI_Waitall(ALL, requests, statuses);
        NEED(byte == KEPT && (!TELLS_OF_REQUESTS || is_of_nobody(&statuses[MODES])));
    }
    for (int i = 0; i < ALL; ++i) MPI_Request_free(&requests[i]);
}

void nobody(void) {
    for (int time = 0; time < 5; ++time) {
        one_by_one();
        beside_others(time);
        again_and_again();
        MPI_Barrier(world);
    }
}
