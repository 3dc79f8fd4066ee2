// SPDX-License-Identifier: Apache-2.0
// Requests of every kind in one array, completed by each call that completes some of several: what is null or not
// started is passed over, and each of the others is told of once.
#include <string.h>

#include "semantics.h"

enum { NONE, IDLE, NOBODY, OWN, AGAIN, LONG, ANY, OUT, SUM, GENERAL, OUT_AGAIN, ALL };
enum { TAG = 60, WAYS = 4 };

static int no_status(void* state, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_BYTE, *(int*)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = TAG;
    return MPI_SUCCESS;
}
static int no_release(void* state) {
    (void)state;
    return MPI_SUCCESS;
}
static int no_cancel(void* state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

/// Some of the requests that are left; returns how many.
static int complete_some(int way, MPI_Request requests[], int indices[], MPI_Status statuses[]) {
    int number = 0, flag = 0;
    switch (way) {
        case 0:
            MPI_Waitsome(ALL, requests, &number, indices, statuses);
            NEED(number > 0 || number == MPI_UNDEFINED);
            break;
        case 1:
            MPI_Testsome(ALL, requests, &number, indices, statuses);
            break;
        case 2:
            MPI_Waitany(ALL, requests, indices, statuses);
            number = indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
            break;
        default:
            MPI_Testany(ALL, requests, indices, &flag, statuses);
            number = !flag ? 0 : indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
    }
    return number;
}

void mixed_requests(void) {
    static unsigned char out[LARGE], in[LARGE];
    int own = -1, again = -1, any = -1, sum = -1, size_of_general = 3, unused;
    MPI_Request requests[ALL], sends[2];
    MPI_Comm copy;
    MPI_Comm_dup(world, &copy);
    MPI_Recv_init(&unused, 1, MPI_INT, last_rank, TAG + 9, world, &requests[IDLE]);
    MPI_Recv_init(&again, 1, MPI_INT, last_rank, TAG, world, &requests[AGAIN]);
    MPI_Ssend_init(&rank, 1, MPI_INT, next_rank, TAG + 1, copy, &requests[OUT_AGAIN]);
    for (int time = 0; time < 3 * WAYS; ++time) {
        int told[ALL] = {0}, left = ALL - 2;
        memset(in, 0, LARGE);
        write_bytes(out, LARGE, rank + time);
        own = again = any = sum = -1;
        requests[NONE] = MPI_REQUEST_NULL;
        MPI_Irecv(&unused, 1, MPI_INT, MPI_PROC_NULL, TAG, world, &requests[NOBODY]);
        MPI_Irecv(&own, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &requests[OWN]);
        MPI_Start(&requests[AGAIN]);
        MPI_Irecv(in, LARGE, MPI_BYTE, last_rank, TAG + 2, world, &requests[LONG]);
        MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, TAG + 1, copy, &requests[ANY]);
        MPI_Isend(out, LARGE, MPI_BYTE, next_rank, TAG + 2, world, &requests[OUT]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy, &requests[SUM]);
        MPI_Grequest_start(no_status, no_release, no_cancel, &size_of_general, &requests[GENERAL]);
        MPI_Start(&requests[OUT_AGAIN]);
        MPI_Isend(&time, 1, MPI_INT, next_rank, TAG, world, &sends[0]);
        MPI_Isend(&time, 1, MPI_INT, 0, TAG, MPI_COMM_SELF, &sends[1]);
        MPI_Grequest_complete(requests[GENERAL]);
        while (left > 0) {
            int indices[ALL];
            MPI_Status statuses[ALL];
            const int number = complete_some(time % WAYS, requests, indices, statuses);
            NEED(number != MPI_UNDEFINED);
            for (int i = 0; i < number; ++i, --left) {
                const int index = indices[i];
                MPI_Status* const status = &statuses[i];
                NEED(index > IDLE && index < ALL && !told[index]++);
                NEED((requests[index] == MPI_REQUEST_NULL) == (index != AGAIN && index != OUT_AGAIN));
                if (index == OWN) NEED(own == time && status->MPI_SOURCE == 0);
                if (index == AGAIN) NEED(again == time && status->MPI_SOURCE == last_rank && status->MPI_TAG == TAG);
                if (index == ANY) NEED(any == last_rank && count_of(status, MPI_INT) == 1);
                if (index == LONG) NEED(count_of(status, MPI_BYTE) == LARGE && are_bytes(in, LARGE, last_rank + time));
                if (index == SUM) NEED(sum == size * (size - 1) / 2);
                if (index == GENERAL) NEED(count_of(status, MPI_BYTE) == 3 && status->MPI_TAG == TAG);
            }
        }
        int indices[ALL];
        MPI_Status statuses[ALL];
        NEED(complete_some(time % WAYS, requests, indices, statuses) == MPI_UNDEFINED);
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[IDLE]);
    MPI_Request_free(&requests[AGAIN]);
    MPI_Request_free(&requests[OUT_AGAIN]);
    MPI_Comm_free(&copy);
}
