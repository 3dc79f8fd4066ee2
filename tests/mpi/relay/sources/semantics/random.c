// SPDX-License-Identifier: Apache-2.0
// Random messages against a model of MPI's matching. Everybody sends to everybody, itself too, on two communicators;
// receives take any source, any tag, both or neither, some are cancelled, some messages are taken by matched probes.
//
// The model (MPI 4.1, section 3.5): go through the receives of a communicator as they were posted. Each has the first
// message of its source, among those that no earlier receive has, that it accepts. Every message is met once.
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

enum { EACH = 30, COMMUNICATORS = 2, TAGS = 4, OPEN = 8, WINDOW = 24, HEADER = 3 * (int)sizeof(int) };

/// One receive, as it was posted, and what it met.
typedef struct {
    int source, tag;       /* that it accepts */
    int met_source, met_k; /* -1: it was cancelled */
} Receive;

typedef struct {
    MPI_Request request;
    unsigned char* bytes;
    int communicator, place; /* among the receives of it */
} Slot;

static MPI_Comm comms[COMMUNICATORS];
static Receive* posted[COMMUNICATORS];
static int posts[COMMUNICATORS], room[COMMUNICATORS], round_number, met;
static unsigned long long dice;

static unsigned long long mixed(unsigned long long about) {
    about += 0x9E3779B97F4A7C15ULL;
    about = (about ^ about >> 30) * 0xBF58476D1CE4E5B9ULL;
    about = (about ^ about >> 27) * 0x94D049BB133111EBULL;
    return about ^ about >> 31;
}

static int drawn(int below) {
    return (int)((dice = mixed(dice)) % (unsigned)below);
}

/// What the k-th message from one rank to another on a communicator is, both know.
static unsigned long long about(int from, int to, int communicator, int k) {
    return mixed(mixed(mixed((unsigned)(from * size + to)) + (unsigned)communicator) +
                 ((unsigned long long)round_number << 32) + (unsigned)k);
}

static int tag_of(int from, int to, int communicator, int k) {
    return (int)(about(from, to, communicator, k) % TAGS);
}

static int length_of(int from, int to, int communicator, int k) {
    const unsigned long long way = about(from, to, communicator, k) >> 8;
    const int most = way % 64 == 0 ? LARGE : way % 8 == 0 ? MIDDLE : 64;
    return HEADER + (int)((way >> 8) % (unsigned)(most - HEADER));
}

static int post(int communicator, int source, int tag) {
    if (posts[communicator] == room[communicator]) {
        room[communicator] = 2 * room[communicator] + 256;
        posted[communicator] = realloc(posted[communicator], (size_t)room[communicator] * sizeof(Receive));
        NEED(posted[communicator] != NULL);
    }
    posted[communicator][posts[communicator]] = (Receive){source, tag, -1, -1};
    return posts[communicator]++;
}

/// A receive has met a message: it is what its source sent.
static void meet(int communicator, int place, const unsigned char* bytes, MPI_Status* status) {
    int header[3];
    memcpy(header, bytes, HEADER);
    const int from = status->MPI_SOURCE, k = header[0], length = length_of(from, rank, communicator, k);
    NEED(header[1] == communicator && header[2] == from && k >= 0 && k < EACH);
    NEED(status->MPI_TAG == tag_of(from, rank, communicator, k) && count_of(status, MPI_BYTE) == length);
    NEED(are_bytes(bytes + HEADER, length - HEADER, from + k));
    posted[communicator][place].met_source = from;
    posted[communicator][place].met_k = k;
    ++met;
}

static void open_receives(Slot* slots) {
    for (int i = 0; i < OPEN; ++i) {
        if (slots[i].request != MPI_REQUEST_NULL) continue;
        const int all = i < COMMUNICATORS; /* these take anything: others may wait for what never comes */
        const int communicator = all ? i : drawn(COMMUNICATORS);
        const int source = all || drawn(2) ? MPI_ANY_SOURCE : drawn(size);
        const int tag = all || drawn(2) ? MPI_ANY_TAG : drawn(TAGS);
        slots[i].communicator = communicator;
        slots[i].place = post(communicator, source, tag);
        MPI_Irecv(slots[i].bytes, LARGE, MPI_BYTE, source, tag, comms[communicator], &slots[i].request);
    }
}

static void test_receives(Slot* slots) {
    MPI_Request requests[OPEN];
    MPI_Status statuses[OPEN];
    int number, indices[OPEN];
    for (int i = 0; i < OPEN; ++i) requests[i] = slots[i].request;
    MPI_Testsome(OPEN, requests, &number, indices, statuses);
    for (int i = 0; i < OPEN; ++i) slots[i].request = requests[i];
    for (int i = 0; i < number; ++i) {
        const Slot* slot = &slots[indices[i]];
        meet(slot->communicator, slot->place, slot->bytes, &statuses[i]);
    }
}

/// True if it was cancelled in time; else it has met a message.
static int cancel(Slot* slot) {
    MPI_Status status;
    int cancelled;
    MPI_Cancel(&slot->request);
    MPI_Wait(&slot->request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    if (!cancelled) meet(slot->communicator, slot->place, slot->bytes, &status);
    return cancelled;
}

/// A matched probe is a receive that is posted if there is a message for it.
static void probe(unsigned char* bytes) {
    const int communicator = drawn(COMMUNICATORS), source = drawn(2) ? MPI_ANY_SOURCE : drawn(size);
    const int tag = drawn(2) ? MPI_ANY_TAG : drawn(TAGS);
    MPI_Message message;
    MPI_Status status;
    int found;
    MPI_Improbe(source, tag, comms[communicator], &found, &message, &status);
    if (!found) return;
    const int place = post(communicator, source, tag);
    MPI_Mrecv(bytes, LARGE, MPI_BYTE, &message, &status);
    meet(communicator, place, bytes, &status);
}

/// The messages of one rank, on their way and to come.
typedef struct {
    MPI_Request requests[WINDOW];
    unsigned char* bytes[WINDOW];
    int left, *next; /* by destination and communicator */
} Outgoing;

static void send_one(Outgoing* out, int place) {
    int to = drawn(size * COMMUNICATORS);
    while (out->next[to] == EACH) to = (to + 1) % (size * COMMUNICATORS);
    const int k = out->next[to]++, communicator = to % COMMUNICATORS;
    to /= COMMUNICATORS;
    const int header[3] = {k, communicator, rank}, length = length_of(rank, to, communicator, k);
    unsigned char* bytes = out->bytes[place] = memory(length);
    memcpy(bytes, header, HEADER);
    write_bytes(bytes + HEADER, length - HEADER, rank + k);
    (k % 5 ? MPI_Isend : MPI_Issend)(bytes, length, MPI_BYTE, to, tag_of(rank, to, communicator, k),
                                     comms[communicator], &out->requests[place]);
    --out->left;
}

static void send_some(Outgoing* out) {
    int number, indices[WINDOW];
    MPI_Testsome(WINDOW, out->requests, &number, indices, MPI_STATUSES_IGNORE);
    for (int i = 0; i < (number == MPI_UNDEFINED ? 0 : number); ++i) {
        free(out->bytes[indices[i]]);
        out->bytes[indices[i]] = NULL;
    }
    for (int place = 0, burst = 0; place < WINDOW && burst < 3 && out->left > 0; ++place) {
        if (out->requests[place] != MPI_REQUEST_NULL) continue;
        send_one(out, place);
        ++burst;
    }
}

/// Each receive has the first message of its source that it accepts and no earlier one has; and none is left over.
static void compare_with_model(int communicator) {
    char* taken = calloc((size_t)size * EACH, 1);
    for (int i = 0; i < posts[communicator]; ++i) {
        const Receive* receive = &posted[communicator][i];
        const int from = receive->met_source;
        if (from < 0) continue;
        NEED(receive->source == MPI_ANY_SOURCE || receive->source == from);
        int k = 0;
        while (taken[from * EACH + k] ||
               (receive->tag != MPI_ANY_TAG && receive->tag != tag_of(from, rank, communicator, k)))
            NEED(++k < EACH);
        NEED(receive->met_k == k);
        taken[from * EACH + k] = 1;
    }
    for (int i = 0; i < size * EACH; ++i) NEED(taken[i]);
    free(taken);
}

void random_messages(void) {
    const int total = EACH * size * COMMUNICATORS;
    Slot slots[OPEN];
    Outgoing out = {.left = total, .next = calloc((size_t)(size * COMMUNICATORS), sizeof(int))};
    unsigned char* probed = memory(LARGE);
    dice = mixed((unsigned)rank) + (unsigned)++round_number;
    met = 0;
    comms[0] = world;
    MPI_Comm_dup(world, &comms[1]);
    for (int i = 0; i < OPEN; ++i) slots[i] = (Slot){.request = MPI_REQUEST_NULL, .bytes = memory(LARGE)};
    for (int i = 0; i < WINDOW; ++i) out.requests[i] = MPI_REQUEST_NULL;
    while (met < total || out.left > 0) {
        if (out.left > 0) send_some(&out);
        open_receives(slots);
        if (drawn(8) == 0) probe(probed);
        if (drawn(32) == 0) cancel(&slots[COMMUNICATORS + drawn(OPEN - COMMUNICATORS)]);
        test_receives(slots);
    }
    MPI_Waitall(WINDOW, out.requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WINDOW; ++i) free(out.bytes[i]);
    for (int i = 0; i < OPEN; ++i) {
        if (slots[i].request != MPI_REQUEST_NULL) NEED(cancel(&slots[i])); /* all messages were met */
        free(slots[i].bytes);
    }
    for (int i = 0; i < COMMUNICATORS; ++i) {
        compare_with_model(i);
        posts[i] = 0;
    }
    free(probed);
    free(out.next);
    MPI_Comm_free(&comms[1]);
}
