// SPDX-License-Identifier: Apache-2.0
// Communicators of every kind, windows and files, made while messages wait on their parent; very many communicators at
// a time; and callbacks that communicate on the communicator that is copied or freed.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "semantics.h"

enum { KINDS = 10, WAITING = 4, TAG = 40 };

static MPI_Comm make(MPI_Comm parent, int kind) {
    MPI_Comm made = MPI_COMM_NULL, ring;
    MPI_Group group;
    const int one = 1;
    int index[64], edges[64];
    switch (kind) {
        case 0:
            MPI_Comm_dup(parent, &made);
            break;
        case 1:
            MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &made);
            break;
        case 2:
            MPI_Comm_split(parent, 0, rank, &made);
            break;
        case 3:
            MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
            MPI_Comm_free(&made); /* of some, between hosts */
            MPI_Comm_split_type(parent, MPI_UNDEFINED, rank, MPI_INFO_NULL, &made);
            NEED(made == MPI_COMM_NULL);
            MPI_Comm_split(parent, 1, rank, &made);
            break;
        case 4:
            MPI_Cart_create(parent, 1, &size, &one, 0, &made);
            break;
        case 5:
            MPI_Cart_create(parent, 1, &size, &one, 0, &ring);
            MPI_Cart_sub(ring, &one, &made);
            MPI_Comm_free(&ring);
            break;
        case 6:
            for (int i = 0; i < size; ++i) index[i] = i + 1, edges[i] = (i + 1) % size;
            MPI_Graph_create(parent, size, index, edges, 0, &made);
            break;
        case 7:
            MPI_Dist_graph_create_adjacent(parent, 1, &last_rank, MPI_UNWEIGHTED, 1, &next_rank, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &made);
            break;
        case 8:
            MPI_Dist_graph_create(parent, 1, &rank, &one, &next_rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
            break;
        default:
            MPI_Comm_group(parent, &group);
            MPI_Comm_create(parent, group, &made);
            MPI_Group_free(&group);
    }
    return made;
}

/// Of those that wait, the last ones first; on what was made meanwhile, a message with the same envelope.
void made_beside_messages(void) {
    MPI_Comm parent;
    int in, out[WAITING];
    MPI_Request sends[WAITING + 1];
    MPI_Status status;
    MPI_Comm_dup(world, &parent);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < WAITING; ++i) {
            out[i] = 100 * kind + i;
            MPI_Isend(&out[i], 1, MPI_INT, next_rank, TAG + i, parent, &sends[i]);
        }
        MPI_Comm made = make(parent, kind);
        int members;
        MPI_Comm_size(made, &members);
        NEED(members == size);
        MPI_Isend(&kind, 1, MPI_INT, next_rank, TAG, made, &sends[WAITING]);
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, made, &status);
        NEED(in == kind && status.MPI_SOURCE == last_rank && status.MPI_TAG == TAG);
        for (int i = WAITING - 1; i >= 0; --i) {
            if (i % 2) MPI_Probe(MPI_ANY_SOURCE, TAG + i, parent, &status);
            MPI_Recv(&in, 1, MPI_INT, i % 2 ? last_rank : MPI_ANY_SOURCE, TAG + i, parent, &status);
            NEED(in == 100 * kind + i && status.MPI_SOURCE == last_rank);
        }
        MPI_Waitall(WAITING + 1, sends, MPI_STATUSES_IGNORE);
        MPI_Comm_free(&made);
    }
    MPI_Comm_free(&parent);
}

/// Between groups: who does not lead its own need not name the other one.
void between_groups(void) {
#if MPICH_NUMVERSION >= 50000000 /* other libraries look at it, or do not have the function */
    MPI_Group all, first, others;
    MPI_Comm made;
    const int zero = 0;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Group_excl(all, 1, &zero, &others);
    for (int time = 0; time < 3; ++time) {
        int got = -1, peers;
        MPI_Intercomm_create_from_groups(rank == 0 ? first : others, 0,
                                         rank == 0   ? others
                                         : rank == 1 ? first
                                                     : all,
                                         0, "between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &made);
        MPI_Comm_remote_size(made, &peers);
        NEED(peers == (rank == 0 ? size - 1 : 1));
        if (rank > 0) {
            MPI_Recv(&got, 1, MPI_INT, 0, TAG, made, MPI_STATUS_IGNORE);
            NEED(got == time);
        }
        for (int other = 0; rank == 0 && other < peers; ++other) MPI_Send(&time, 1, MPI_INT, other, TAG, made);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&others);
    MPI_Group_free(&all);
#endif
}

/// A message that waits while windows are made.
void windows_beside_messages(void) {
    MPI_Comm parent;
    int in;
    MPI_Request send;
    MPI_Comm_dup(world, &parent);
    for (int time = 0; time < 4; ++time) {
        MPI_Win window;
        int own;
        MPI_Isend(&time, 1, MPI_INT, next_rank, TAG, parent, &send);
        MPI_Win_create(&own, sizeof own, 1, MPI_INFO_NULL, parent, &window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, parent, MPI_STATUS_IGNORE);
        NEED(in == time);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&parent);
}

/// Each has messages that wait while those of the others are received.
void very_many(void) {
    enum { COMMS = 100, TIMES = 2 };
    static MPI_Comm comms[COMMS];
    static MPI_Request sends[2 * COMMS];
    static int out[COMMS];
    for (int i = 0; i < COMMS; ++i) {
        if (i % 10 == 9) {
            MPI_Comm_split(world, rank % 2, -rank, &comms[i]);
        } else {
            MPI_Comm_dup(i % 3 == 1 && i % 10 ? comms[i / 10 * 10] : world, &comms[i]);
        }
        out[i] = 1000 * rank + i;
    }
    for (int time = 0; time < TIMES; ++time) {
        for (int i = 0; i < COMMS; ++i) {
            int self, members;
            MPI_Comm_rank(comms[i], &self);
            MPI_Comm_size(comms[i], &members);
            MPI_Isend(&out[i], 1, MPI_INT, (self + 1) % members, 1, comms[i], &sends[2 * i]);
            MPI_Isend(&time, 1, MPI_INT, (self + 1) % members, 2, comms[i], &sends[2 * i + 1]);
        }
        for (int i = COMMS - 1; i >= 0; --i) {
            int in = -1, got_time = -1, self, members;
            MPI_Status status;
            MPI_Comm_rank(comms[i], &self);
            MPI_Comm_size(comms[i], &members);
            if ((i + time) % 3 == 0) MPI_Probe(MPI_ANY_SOURCE, 2, comms[i], &status);
            MPI_Recv(&got_time, 1, MPI_INT, MPI_ANY_SOURCE, 2, comms[i], &status);
            NEED(got_time == time && status.MPI_SOURCE == (self + members - 1) % members);
            MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, MPI_ANY_TAG, comms[i], &status);
            NEED(in % 1000 == i && status.MPI_TAG == 1);
            NEED(i % 10 == 9 ? in / 1000 % 2 == rank % 2 : in / 1000 == last_rank);
        }
        MPI_Waitall(2 * COMMS, sends, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < COMMS; ++i) MPI_Comm_free(&comms[i]);
}

static int gone_round;

static void go_round(MPI_Comm comm) {
    int got = -1, sum = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, next_rank, TAG, &got, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, &status);
    NEED(got == last_rank && status.MPI_SOURCE == last_rank);
    MPI_Isend(&rank, 1, MPI_INT, next_rank, TAG, comm, &request);
    MPI_Mprobe(last_rank, TAG, comm, &message, &status);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    NEED(got == last_rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    NEED(sum == size * (size - 1) / 2);
    ++gone_round;
}

static int round_as_it_is_copied(MPI_Comm comm, int key, void* state, void* value, void* copy, int* flag) {
    (void)key, (void)state, (void)value, (void)copy;
    *flag = 0;
    go_round(comm);
    return MPI_SUCCESS;
}

#ifdef OMPI_MAJOR_VERSION
static int round_as_it_goes(MPI_Comm comm, int key, void* value, void* state) {
    (void)key, (void)value, (void)state;
    go_round(comm);
    return MPI_SUCCESS;
}

enum { AS_IT_GOES = 1 };
#else
#define round_as_it_goes MPI_COMM_NULL_DELETE_FN
enum { AS_IT_GOES = 0 };  // MPICH calls back only once its own requests on the communicator are complete
#endif

static int met_as_it_goes(MPI_Comm comm, int key, void* value, void* state) {
    (void)key, (void)value, (void)state;
    MPI_Barrier(comm);
    return MPI_SUCCESS;
}

/// A communicator is used while it goes; the next one has its handle, and other members.
void handles_again(void) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, met_as_it_goes, &key, NULL);
    for (int time = 0; time < 15; ++time) {
        MPI_Comm own, part;
        int parts, place, got = -1;
        MPI_Comm_dup(world, &own);
        MPI_Comm_set_attr(own, key, NULL);
        MPI_Comm_free(&own);
        MPI_Comm_split(world, rank % 2, -rank, &part);
        MPI_Comm_size(part, &parts);
        MPI_Comm_rank(part, &place);
        MPI_Barrier(part);
        MPI_Sendrecv(&place, 1, MPI_INT, (place + 1) % parts, TAG, &got, 1, MPI_INT, (place + parts - 1) % parts, TAG,
                     part, MPI_STATUS_IGNORE);
        NEED(got == (place + parts - 1) % parts);
        MPI_Comm_free(&part);
    }
    MPI_Comm_free_keyval(&key);
}

static int window_goes_with_it(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    return MPI_Win_free(value);
}

/// A window that is freed with a communicator; the next one has its handle, and is one process's alone.
void windows_again(void) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, window_goes_with_it, &key, NULL);
    for (int time = 0; time < 15; ++time) {
        MPI_Comm own;
        MPI_Win window, alone;
        int memory = 0;
        MPI_Comm_dup(world, &own);
        MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, world, &window);
        MPI_Comm_set_attr(own, key, &window);
        MPI_Comm_free(&own);
#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION >= 5 /* Open MPI 4.1 makes none of one process */
        if (rank == time % size) {
            MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_SELF, &alone);
            MPI_Win_fence(0, alone);
            MPI_Win_free(&alone);
        }
#endif
        MPI_Barrier(world);
    }
    MPI_Comm_free_keyval(&key);
}

static int file_goes_with_it(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    return MPI_File_close(value);
}

/// Windows and files that are freed with a communicator. Even ranks do that while odd ones wait for a message of theirs.
void freed_inside(void) {
    int keys[2], memory = 0;
    char name[512];
    const char* directory = getenv("FILES_IN"); /* which all ranks share */
    snprintf(name, sizeof name, "%s/fairlead-semantics-%d", directory ? directory : "/tmp", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, world);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, window_goes_with_it, &keys[0], NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, file_goes_with_it, &keys[1], NULL);
    for (int time = 0; time < 8; ++time) {
        MPI_Comm own;
        MPI_Win window;
        MPI_File file;
        MPI_Comm_dup(world, &own);
        if (time % 2) {
            MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
            MPI_Comm_set_attr(own, keys[1], &file);
        } else {
            MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, world, &window);
            MPI_Comm_set_attr(own, keys[0], &window);
        }
        owe();
        MPI_Comm_free(&own);
        settle();
        NEED(time % 2 ? file == MPI_FILE_NULL : window == MPI_WIN_NULL);
    }
    for (int i = 0; i < 2; ++i) MPI_Comm_free_keyval(&keys[i]);
}

/// Messages of an attribute's callbacks on the communicator itself, which others may send before it is copied or freed
/// here.
void callbacks_on_itself(void) {
    int key;
    MPI_Comm_create_keyval(round_as_it_is_copied, round_as_it_goes, &key, NULL);
    for (int time = 0; time < 15; ++time) {
        MPI_Comm own, copy;
        MPI_Comm_dup(world, &own);
        MPI_Comm_set_attr(own, key, NULL);
        for (int i = 0; i < time; ++i) {
            int got = -1;
            MPI_Sendrecv(&i, 1, MPI_INT, next_rank, TAG, &got, 1, MPI_INT, last_rank, TAG, own, MPI_STATUS_IGNORE);
            NEED(got == i);
        }
        gone_round = 0;
        MPI_Comm_dup(own, &copy);
        NEED(gone_round == 1);
        MPI_Comm_free(&own);
        NEED(gone_round == 1 + AS_IT_GOES);
        MPI_Comm_free(&copy);
    }
    MPI_Comm_free_keyval(&key);
}
