// SPDX-License-Identifier: Apache-2.0
// What the relay plane takes for granted of an MPI library (docs/explanation/relay-plane.md), tried on two ranks. Rank 1
// says a line for each that holds; the first that does not ends the program.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 4 << 20, TAG = 7, OTHER = 8 };
static int rank;

static void need(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void said(const char* what) {
    if (rank == 1) printf("%s\n", what);
}

/// Whether the request is over, without freeing it.
static int over(MPI_Request request, MPI_Status* status) {
    int flag = 0;
    PMPI_Request_get_status(request, &flag, status);
    return flag;
}

static int was_cancelled(const MPI_Status* status) {
    int flag = 0;
    PMPI_Test_cancelled(status, &flag);
    return flag;
}

/// Lets the library take in what arrives, without any receive.
static void progress(void) {
    int flag;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

/// Receives are taken back youngest first; a message that comes in between meets the oldest.
static void cancelling(void) {
    int got[3] = {-1, -1, -1}, value = 42;
    MPI_Request receives[3];
    MPI_Status status;
    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < 3; ++i)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
    PMPI_Cancel(&receives[2]);
    need(over(receives[2], &status), "the outcome of a cancellation is not there at once");
    need(was_cancelled(&status), "an unmatched receive was not cancelled");
    MPI_Barrier(MPI_COMM_WORLD);
    while (!over(receives[0], &status)) progress();
    PMPI_Cancel(&receives[1]);
    need(over(receives[1], &status) && was_cancelled(&status), "the second receive was not cancelled");
    PMPI_Cancel(&receives[0]);
    need(over(receives[0], &status) && !was_cancelled(&status), "a complete receive was cancelled");
    need(status.MPI_SOURCE == 0 && status.MPI_TAG == TAG && got[0] == 42, "the oldest receive got something else");
    need(receives[2] != MPI_REQUEST_NULL, "a cancelled request went away by itself");
    MPI_Wait(&receives[2], &status);
    need(was_cancelled(&status) && receives[2] == MPI_REQUEST_NULL, "completing a cancelled request does not free it");
    MPI_Wait(&receives[1], MPI_STATUS_IGNORE);
    MPI_Wait(&receives[0], MPI_STATUS_IGNORE);
    said("cancelling");
}

/// A long message that is matched is not given back, and says its source when it is complete. That it is matched shows
/// a later message of its sender that a probe finds: messages of one source arrive in order.
static void cancelling_what_is_matched(char* buffer) {
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) {
        memset(buffer, 5, LARGE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Isend(buffer, LARGE, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_CHAR, 1, OTHER, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    memset(buffer, 0, LARGE);
    MPI_Irecv(buffer, LARGE, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int there = 0; !there;) PMPI_Iprobe(0, OTHER, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    PMPI_Cancel(&request);
    while (!over(request, &status)) progress();
    need(!was_cancelled(&status), "a matched receive was cancelled");
    need(status.MPI_SOURCE == 0, "its source is not known");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    need(buffer[0] == 5 && buffer[LARGE - 1] == 5, "its message is not whole");
    MPI_Recv(NULL, 0, MPI_CHAR, 0, OTHER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    said("cancelling what is matched");
}

/// Envelopes come without a receive, in order, whatever their length, and are received in any order.
static void pulling(char* buffer) {
    const int lengths[4] = {8, LARGE, 0, 100000}, tags[4] = {TAG, OTHER, TAG, OTHER};
    if (rank == 0) {
        MPI_Request sends[4];
        for (int i = 0; i < 4; ++i) {
            memset(buffer + i * LARGE, i + 1, LARGE);
            MPI_Isend(buffer + i * LARGE, lengths[i], MPI_CHAR, 1, tags[i], MPI_COMM_WORLD, &sends[i]);
        }
        for (int i = 0; i < 4; ++i) MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
        return;
    }
    MPI_Message messages[4];
    for (int i = 0; i < 4; ++i) {
        int flag = 0, length = -1;
        MPI_Status status;
        while (!flag) PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &messages[i], &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        need(status.MPI_SOURCE == 0 && status.MPI_TAG == tags[i] && length == lengths[i], "pulled out of order");
    }
    for (int i = 3; i >= 0; --i) {
        PMPI_Mrecv(buffer, lengths[i], MPI_CHAR, &messages[i], MPI_STATUS_IGNORE);
        need(lengths[i] == 0 || (buffer[0] == i + 1 && buffer[lengths[i] - 1] == i + 1), "a pulled message is another");
    }
    said("pulling");
}

/// So they do where the program has said that it receives from no source and with no tag but named ones.
static void pulling_in_spite_of_hints(void) {
    enum { COMMS = 8 };
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_source", "true");
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    for (int i = 0; i < COMMS; ++i) {
        MPI_Comm comm;
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, TAG + i, comm);
        } else {
            MPI_Message message;
            MPI_Status status;
            int flag = 0, got = -1;
            while (!flag) PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &message, &status);
            PMPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            need(got == i && status.MPI_SOURCE == 0 && status.MPI_TAG == TAG + i, "a pulled message is another");
        }
        MPI_Comm_free(&comm);
    }
    MPI_Info_free(&info);
    said("pulling in spite of hints");
}

/// A genuine MPI_Message for a message that came another way.
static void message_to_oneself(void) {
    MPI_Comm self;
    PMPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Request request;
    PMPI_Isend(NULL, 0, MPI_BYTE, 0, 0, self, &request);
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = 0;
    while (!flag) PMPI_Improbe(0, 0, self, &flag, &message, MPI_STATUS_IGNORE);
    need(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC, "no genuine message");
    PMPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Comm_free(&self);
    said("a message to oneself");
}

static int query(void* state, MPI_Status* status) {
    (void)state;
    status->MPI_SOURCE = 0;
    status->MPI_TAG = TAG;
    PMPI_Status_set_elements(status, MPI_INT, 3);
    PMPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}
static int release(void* state) {
    (void)state;
    return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/// A generalized request among native ones says what a receive would.
static void generalized(void) {
    MPI_Request requests[2];
    MPI_Status status;
    int value = rank, got = -1, index = -1, flag = 0, count = 0;
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD, &requests[0]);
    PMPI_Grequest_start(query, release, cancel, NULL, &requests[1]);
    PMPI_Testany(2, requests, &index, &flag, &status);
    need(!flag, "a request was complete too early");
    PMPI_Grequest_complete(requests[1]);
    PMPI_Testany(2, requests, &index, &flag, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    need(flag && index == 1 && status.MPI_SOURCE == 0 && status.MPI_TAG == TAG && count == 3, "its status is another");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, TAG, MPI_COMM_WORLD);
    MPI_Status both[2];
    MPI_Waitall(2, requests, both);
    need(got == 1 - rank, "the native one got something else");
    said("generalized requests");
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char* buffer = malloc((size_t)4 * LARGE);
    cancelling();
    cancelling_what_is_matched(buffer);
    pulling(buffer);
    pulling_in_spite_of_hints();
    message_to_oneself();
    generalized();
    free(buffer);
    MPI_Finalize();
    return 0;
}
