// SPDX-License-Identifier: Apache-2.0
// What MPI promises of point-to-point messages, call by call, on any number of ranks from two on: run with messages
// that take two paths (FAIRLEAD_CHAOS), and without. Each case looks at its data, its statuses and their order; a rank
// that finds one wrong ends the program. Arguments: rounds of every case, then the cases' names; none: all.
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 5, MIDDLE = 3000, LARGE = 120000 }; /* bytes: with the envelope, pulled, beyond what is copied */
static int rank, size, next_rank, last_rank;
static MPI_Comm world;

#define NEED(holds)                                                                          \
    do {                                                                                     \
        if (!(holds)) {                                                                      \
            fprintf(stderr, "rank %d, line %d: %s does not hold\n", rank, __LINE__, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                    \
        }                                                                                    \
    } while (0)

static int count_of(MPI_Status* status, MPI_Datatype type) {
    int count = -1;
    MPI_Get_count(status, type, &count);
    return count;
}

/// Bytes that tell a message from others.
static void write_bytes(unsigned char* bytes, int length, int sign) {
    for (int i = 0; i < length; ++i) bytes[i] = (unsigned char)(sign * 31 + i * 7 + i / 251);
}

static int are_bytes(const unsigned char* bytes, int length, int sign) {
    for (int i = 0; i < length; ++i)
        if (bytes[i] != (unsigned char)(sign * 31 + i * 7 + i / 251)) return 0;
    return 1;
}

static unsigned char* memory(int length) {
    unsigned char* bytes = malloc((size_t)length + 1);
    NEED(bytes != NULL);
    return bytes;
}

typedef int Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int Later(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void blocking_modes(void) {
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

static void later_modes(void) {
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

static void persistent(void) {
    enum { STARTS = 12 };
    int (*const makes[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
        MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Send_init};
    const int lengths[] = {SMALL, MIDDLE, SMALL, LARGE};
    const int space = STARTS * (LARGE + MPI_BSEND_OVERHEAD);
    void* buffer = memory(space);
    unsigned char *out[4], *in[4];
    MPI_Request requests[8];
    MPI_Status statuses[8];
    MPI_Buffer_attach(buffer, space);
    for (int i = 0; i < 4; ++i) {
        out[i] = memory(LARGE);
        in[i] = memory(LARGE);
        makes[i](out[i], lengths[i], MPI_BYTE, next_rank, i, world, &requests[i]);
        MPI_Recv_init(in[i], LARGE, MPI_BYTE, i == 1 ? MPI_ANY_SOURCE : last_rank, i, world, &requests[4 + i]);
    }
    for (int start = 0; start < STARTS; ++start) {
        for (int i = 0; i < 4; ++i) write_bytes(out[i], lengths[i], rank + start + i);
        MPI_Startall(4, requests + 4);
        for (int i = 0; i < 4; ++i) MPI_Start(&requests[i]);
        if (start % 2) {
            MPI_Waitall(8, requests, statuses);
        } else {
            for (int i = 7; i >= 0; --i) MPI_Wait(&requests[i], &statuses[i]);
        }
        for (int i = 0; i < 4; ++i) {
            NEED(requests[i] != MPI_REQUEST_NULL && requests[4 + i] != MPI_REQUEST_NULL);
            NEED(statuses[4 + i].MPI_SOURCE == last_rank && statuses[4 + i].MPI_TAG == i);
            NEED(count_of(&statuses[4 + i], MPI_BYTE) == lengths[i] &&
                 are_bytes(in[i], lengths[i], last_rank + start + i));
        }
        MPI_Waitall(8, requests, statuses); /* of inactive requests: at once, with nothing */
        NEED(statuses[5].MPI_SOURCE == MPI_ANY_SOURCE && count_of(&statuses[5], MPI_BYTE) == 0);
    }
    for (int i = 0; i < 8; ++i) MPI_Request_free(&requests[i]);
    for (int i = 0; i < 4; ++i) {
        free(out[i]);
        free(in[i]);
    }
    MPI_Buffer_detach(&buffer, &(int){0});
    free(buffer);
}

/// Everybody sends to everybody else with several tags; receives take any source, or any tag, or neither.
static void wildcards(void) {
    enum { EACH = 30, TAGS = 3 };
    const int total = EACH * (size - 1);
    int* seen = calloc((size_t)(size * TAGS), sizeof(int));
    int(*values)[2] = malloc((size_t)total * sizeof *values);
    MPI_Request* sends = malloc((size_t)total * sizeof *sends);
    int made = 0;
    for (int k = 0; k < EACH; ++k) {
        for (int hop = 1; hop < size; ++hop, ++made) {
            values[made][0] = k;
            values[made][1] = k % TAGS;
            MPI_Isend(values[made], 2, MPI_INT, (rank + hop) % size, k % TAGS, world, &sends[made]);
        }
    }
    /* By any tag: the next of its source. Half of each source's so. */
    int* number = calloc((size_t)size, sizeof(int));
    for (int k = 0; k < total / 2; ++k) {
        int got[2];
        MPI_Status status;
        MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
        NEED(got[0] == number[status.MPI_SOURCE]++ && got[1] == status.MPI_TAG);
        ++seen[status.MPI_SOURCE * TAGS + status.MPI_TAG];
    }
    /* The others, of one tag after the other, the last tag first: in order within it. */
    for (int tag = TAGS - 1; tag >= 0; --tag) {
        int left = 0;
        for (int from = 0; from < size; ++from) left += from != rank ? EACH / TAGS - seen[from * TAGS + tag] : 0;
        for (; left > 0; --left) {
            int got[2];
            MPI_Status status;
            MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, tag, world, &status);
            NEED(got[0] == seen[status.MPI_SOURCE * TAGS + tag]++ * TAGS + tag && got[1] == tag);
        }
    }
    MPI_Waitall(total, sends, MPI_STATUSES_IGNORE);
    free(seen);
    free(number);
    free(values);
    free(sends);
    MPI_Barrier(world);
}

/// Receives posted with and without wildcards meet messages in the order of posting, however they are completed.
static void posting_order(void) {
    enum { RECEIVES = 24 };
    int in[RECEIVES], out[RECEIVES], done = 0;
    MPI_Request receives[RECEIVES], sends[RECEIVES];
    MPI_Status statuses[RECEIVES], status;
    for (int way = 0; way < 6; ++way) {
        for (int i = 0; i < RECEIVES; ++i) {
            in[i] = -1;
            MPI_Irecv(&in[i], 1, MPI_INT, i % 3 ? last_rank : MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : 4, world,
                      &receives[i]);
        }
        for (int i = 0; i < RECEIVES; ++i) {
            out[i] = 100 * rank + i;
            MPI_Isend(&out[i], 1, MPI_INT, next_rank, 4, world, &sends[i]);
        }
        int index, flag = 0, number, indices[RECEIVES];
        done = 0;
        switch (way) {
            case 0:
                for (; done < RECEIVES; ++done) {
                    MPI_Waitany(RECEIVES, receives, &index, &status);
                    NEED(index >= 0 && index < RECEIVES && receives[index] == MPI_REQUEST_NULL);
                    NEED(status.MPI_SOURCE == last_rank && in[index] == 100 * last_rank + index);
                }
                MPI_Waitany(RECEIVES, receives, &index, &status);
                NEED(index == MPI_UNDEFINED);
                break;
            case 1:
                while (done < RECEIVES) {
                    MPI_Waitsome(RECEIVES, receives, &number, indices, statuses);
                    NEED(number > 0);
                    for (int i = 0; i < number; ++i, ++done) NEED(statuses[i].MPI_TAG == 4 && in[indices[i]] >= 0);
                }
                MPI_Waitsome(RECEIVES, receives, &number, indices, statuses);
                NEED(number == MPI_UNDEFINED);
                break;
            case 2:
                while (done < RECEIVES) {
                    MPI_Testany(RECEIVES, receives, &index, &flag, &status);
                    NEED(!flag || index != MPI_UNDEFINED);
                    done += flag;
                }
                MPI_Testany(RECEIVES, receives, &index, &flag, &status);
                NEED(flag && index == MPI_UNDEFINED);
                break;
            case 3:
                while (done < RECEIVES) {
                    MPI_Testsome(RECEIVES, receives, &number, indices, MPI_STATUSES_IGNORE);
                    done += number;
                }
                break;
            case 4:
                while (!flag) MPI_Testall(RECEIVES, receives, &flag, statuses);
                NEED(statuses[5].MPI_SOURCE == last_rank && count_of(&statuses[5], MPI_INT) == 1);
                break;
            default:
                for (int i = RECEIVES - 1; i >= 0; --i) {
                    for (flag = 0; !flag;) {
                        MPI_Request_get_status(receives[i], &flag, &status);
                    }
                    NEED(receives[i] != MPI_REQUEST_NULL && status.MPI_SOURCE == last_rank);
                    for (flag = 0; !flag;) MPI_Test(&receives[i], &flag, &status);
                    NEED(status.MPI_SOURCE == last_rank && status.MPI_TAG == 4);
                }
        }
        for (int i = 0; i < RECEIVES; ++i) NEED(receives[i] == MPI_REQUEST_NULL && in[i] == 100 * last_rank + i);
        MPI_Waitall(RECEIVES, sends, MPI_STATUSES_IGNORE);
        MPI_Barrier(world);
    }
}

static void datatypes(void) {
    MPI_Datatype column, swapped, pair;
    int out[64], in[64];
    MPI_Status status;
    MPI_Request request;
    for (int i = 0; i < 64; ++i) out[i] = 1000 * rank + i;
    /* A column of an 8 x 8 matrix to a row. */
    MPI_Type_vector(8, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(in, 8, MPI_INT, last_rank, 1, world, &request);
    MPI_Send(out + 2, 1, column, next_rank, 1, world);
    MPI_Wait(&request, &status);
    NEED(count_of(&status, MPI_INT) == 8);
    for (int i = 0; i < 8; ++i) NEED(in[i] == 1000 * last_rank + 8 * i + 2);
    /* A row to a column, whose type is freed at once. */
    memset(in, -1, sizeof in);
    MPI_Irecv(in, 1, column, last_rank, 2, world, &request);
    MPI_Type_free(&column);
    MPI_Ssend(out, 8, MPI_INT, next_rank, 2, world);
    MPI_Wait(&request, &status);
    for (int i = 0; i < 64; ++i) NEED(in[i] == (i % 8 ? -1 : 1000 * last_rank + i / 8));
    /* Without gaps, and in another order. */
    MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &swapped);
    MPI_Type_commit(&swapped);
    MPI_Sendrecv(out, 4, swapped, next_rank, 3, in, 8, MPI_INT, last_rank, 3, world, &status);
    for (int i = 0; i < 8; ++i) NEED(in[i] == 1000 * last_rank + (i ^ 1));
    /* A message that ends in the middle of an element. */
    memset(in, -1, sizeof in);
    MPI_Sendrecv(out, 5, MPI_INT, next_rank, 3, in, 4, swapped, last_rank, 3, world, &status);
    int elements = 0;
    MPI_Get_elements(&status, swapped, &elements);
    NEED(count_of(&status, swapped) == MPI_UNDEFINED && elements == 5);
    NEED(in[0] == 1000 * last_rank + 1 && in[1] == 1000 * last_rank && in[3] == 1000 * last_rank + 2);
    NEED(in[5] == 1000 * last_rank + 4 && in[4] == -1);
    MPI_Type_free(&swapped);
    /* Pairs with gaps, and large ones. */
    enum { PAIRS = 20000 };
    struct Pair {
        double first;
        char second;
    }* from = malloc(PAIRS * sizeof *from), *to = malloc(PAIRS * sizeof *to);
    const MPI_Aint places[2] = {offsetof(struct Pair, first), offsetof(struct Pair, second)};
    MPI_Datatype kinds[2] = {MPI_DOUBLE, MPI_CHAR}, packed;
    MPI_Type_create_struct(2, (int[]){1, 1}, places, kinds, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct Pair), &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < PAIRS; ++i) {
        from[i].first = i + rank / 8.0;
        from[i].second = (char)(i + rank);
    }
    MPI_Irecv(to, PAIRS, pair, MPI_ANY_SOURCE, 5, world, &request);
    MPI_Send(from, PAIRS, pair, next_rank, 5, world);
    MPI_Wait(&request, &status);
    NEED(count_of(&status, pair) == PAIRS);
    for (int i = 0; i < PAIRS; ++i) NEED(to[i].first == i + last_rank / 8.0 && to[i].second == (char)(i + last_rank));
    MPI_Type_free(&packed);
    MPI_Type_free(&pair);
    free(from);
    free(to);
}

static void probes(void) {
    enum { MESSAGES = 20 };
    int out[MESSAGES], got = -1, flag;
    MPI_Request sends[MESSAGES], receive;
    MPI_Status status;
    MPI_Message message;
    unsigned char* bytes = memory(LARGE);
    for (int i = 0; i < MESSAGES; ++i) {
        out[i] = i;
        MPI_Isend(&out[i], 1, MPI_INT, next_rank, i % 4, world, &sends[i]);
    }
    for (int i = 0; i < MESSAGES; ++i) {
        switch (i % 4) {
            case 0:
                MPI_Probe(MPI_ANY_SOURCE, 0, world, &status);
                NEED(status.MPI_SOURCE == last_rank && status.MPI_TAG == 0 && count_of(&status, MPI_INT) == 1);
                MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, &status);
                break;
            case 1:
                for (flag = 0; !flag;) MPI_Iprobe(last_rank, MPI_ANY_TAG, world, &flag, &status);
                NEED(status.MPI_TAG == 1 && count_of(&status, MPI_INT) == 1);
                MPI_Recv(&got, 1, MPI_INT, last_rank, MPI_ANY_TAG, world, &status);
                break;
            case 2:
                MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
                NEED(status.MPI_TAG == 2 && count_of(&status, MPI_INT) == 1 && message != MPI_MESSAGE_NULL);
                MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
                NEED(message == MPI_MESSAGE_NULL && status.MPI_TAG == 2 && status.MPI_SOURCE == last_rank);
                break;
            default:
                for (flag = 0; !flag;) MPI_Improbe(last_rank, 3, world, &flag, &message, &status);
                MPI_Imrecv(&got, 1, MPI_INT, &message, &receive);
                MPI_Wait(&receive, &status);
                NEED(status.MPI_TAG == 3 && status.MPI_SOURCE == last_rank && count_of(&status, MPI_INT) == 1);
        }
        NEED(got == i);
    }
    MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE);
    /* What a matched probe took is the program's: a later receive gets the next one. Synchronous, pulled when matched.
     */
    write_bytes(bytes, LARGE, rank);
    MPI_Issend(bytes, LARGE, MPI_BYTE, next_rank, 6, world, &sends[0]);
    MPI_Isend(bytes, MIDDLE, MPI_BYTE, next_rank, 6, world, &sends[1]);
    unsigned char* in = memory(LARGE);
    MPI_Mprobe(last_rank, 6, world, &message, &status);
    NEED(count_of(&status, MPI_BYTE) == LARGE);
    MPI_Recv(in, LARGE, MPI_BYTE, last_rank, 6, world, &status);
    NEED(count_of(&status, MPI_BYTE) == MIDDLE && are_bytes(in, MIDDLE, last_rank));
    MPI_Mrecv(in, LARGE, MPI_BYTE, &message, &status);
    NEED(count_of(&status, MPI_BYTE) == LARGE && are_bytes(in, LARGE, last_rank));
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &status);
    MPI_Barrier(world);
    free(bytes);
    free(in);
}

/// Every second of the posted receives is cancelled; the messages go to the others, in their order.
static void cancelling(void) {
    int in[5] = {0}, flag = 0;
    const int values[3] = {7, 8, 9};
    MPI_Request receives[5];
    MPI_Status status;
    for (int i = 0; i < 4; ++i)
        MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : last_rank, 8, world, &receives[i]);
    MPI_Recv_init(&in[4], 1, MPI_INT, last_rank, 8, world, &receives[4]);
    MPI_Start(&receives[4]);
    for (int i = 0; i < 5; i += 2) { /* nobody has sent yet */
        MPI_Cancel(&receives[i]);
        MPI_Wait(&receives[i], &status);
        MPI_Test_cancelled(&status, &flag);
        NEED(flag && (receives[i] == MPI_REQUEST_NULL) == (i < 4));
    }
    MPI_Barrier(world);
    for (int i = 0; i < 2; ++i) MPI_Send(&values[i], 1, MPI_INT, next_rank, 8, world);
    for (int i = 3; i > 0; i -= 2) {
        MPI_Wait(&receives[i], &status);
        MPI_Test_cancelled(&status, &flag);
        NEED(!flag && status.MPI_SOURCE == last_rank && in[i] == values[i / 2]);
    }
    /* What was cancelled starts again. */
    MPI_Start(&receives[4]);
    MPI_Send(&values[2], 1, MPI_INT, next_rank, 8, world);
    MPI_Wait(&receives[4], &status);
    MPI_Test_cancelled(&status, &flag);
    NEED(!flag && in[4] == 9);
    /* What is complete is not cancelled. */
    MPI_Irecv(&in[0], 1, MPI_INT, last_rank, 8, world, &receives[0]);
    MPI_Send(&values[0], 1, MPI_INT, next_rank, 8, world);
    for (flag = 0; !flag;) MPI_Request_get_status(receives[0], &flag, &status);
    MPI_Cancel(&receives[0]);
    MPI_Wait(&receives[0], &status);
    MPI_Test_cancelled(&status, &flag);
    NEED(!flag && in[0] == 7 && status.MPI_SOURCE == last_rank);
    MPI_Request_free(&receives[4]);
    MPI_Barrier(world);
}

/// A handle that is let go of: the message comes all the same.
static void letting_go(void) {
    int values[2] = {rank, rank + 1}, in[2] = {-1, -1};
    MPI_Request request;
    MPI_Irecv(&in[0], 1, MPI_INT, last_rank, 3, world, &request);
    MPI_Request_free(&request);
    NEED(request == MPI_REQUEST_NULL);
    MPI_Isend(&values[0], 1, MPI_INT, next_rank, 3, world, &request);
    MPI_Request_free(&request);
    MPI_Sendrecv(&values[1], 1, MPI_INT, next_rank, 3, &in[1], 1, MPI_INT, last_rank, 3, world, MPI_STATUS_IGNORE);
    NEED(in[1] == last_rank + 1);
    for (int flag; *(volatile int*)&in[0] != last_rank;)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}

static void exchanges(void) {
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

static void truncation(void) {
    char four[4] = "abc", two[2] = "", guard[3] = "xyz";
    MPI_Status status, statuses[2];
    MPI_Request requests[2];
    int class = MPI_SUCCESS;
    MPI_Comm own;
    MPI_Comm_dup(world, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* of calls that complete several requests */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Isend(four, 4, MPI_CHAR, next_rank, 1, own, &requests[0]);
    const int error = MPI_Recv(guard, 2, MPI_CHAR, last_rank, 1, own, &status);
    MPI_Error_class(error, &class);
    NEED(class == MPI_ERR_TRUNCATE && guard[2] == 'z');
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isend(four, 4, MPI_CHAR, next_rank, 1, own, &requests[0]);
    MPI_Irecv(two, 2, MPI_CHAR, last_rank, 1, own, &requests[1]);
    const int both = MPI_Waitall(2, requests, statuses);
    MPI_Error_class(both, &class);
    NEED(class == MPI_ERR_IN_STATUS);
    MPI_Error_class(statuses[1].MPI_ERROR, &class);
    NEED(class == MPI_ERR_TRUNCATE && statuses[0].MPI_ERROR == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_free(&own);
}

static int free_attribute(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)state;
    const int error = MPI_Comm_free(value);
    free(value);
    return error;
}

/// A communicator that is an attribute of another one goes with it.
static void attributes(void) {
    int key, got;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attribute, &key, NULL);
    for (int i = 0; i < 5; ++i) {
        MPI_Comm outer, *inner = malloc(sizeof *inner);
        MPI_Comm_dup(world, &outer);
        MPI_Comm_dup(outer, inner);
        MPI_Comm_set_attr(outer, key, inner);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, *inner, MPI_STATUS_IGNORE);
        NEED(got == i);
        MPI_Comm_free(&outer);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, 1, &got, 1, MPI_INT, last_rank, 1, world, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free_keyval(&key);
}

static void communicators(void) {
    MPI_Comm copy, halves, ring, between, merged, some;
    int value = rank, got = -1, other;
    MPI_Status status;
    MPI_Request request, sends[2];
    MPI_Comm_dup(world, &copy);
    /* The same envelope on two communicators. */
    const int one = 1, two = 2;
    MPI_Isend(&one, 1, MPI_INT, next_rank, 0, world, &sends[0]);
    MPI_Isend(&two, 1, MPI_INT, next_rank, 0, copy, &sends[1]);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &status);
    NEED(got == 2 && status.MPI_SOURCE == last_rank);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    NEED(got == 1);
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    /* Ranks of a part, backwards. */
    MPI_Comm_split(copy, rank % 2, -rank, &halves);
    int half_rank, half_size;
    MPI_Comm_rank(halves, &half_rank);
    MPI_Comm_size(halves, &half_size);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, halves, &request);
    MPI_Send(&value, 1, MPI_INT, (half_rank + 1) % half_size, 1, halves);
    MPI_Wait(&request, &status);
    NEED(status.MPI_SOURCE == (half_rank + half_size - 1) % half_size);
    NEED(got % 2 == rank % 2 && (half_size == 1 || got != rank));
    /* Between the parts: ranks of the other group. */
    MPI_Intercomm_create(halves, 0, world, rank % 2 ? (size - 1) / 2 * 2 : (size / 2 - 1) * 2 + 1, 17, &between);
    MPI_Comm_remote_size(between, &other);
    for (int i = 0; i < 5; ++i) {
        if (half_rank < other) {
            const int out = 10 * rank + i;
            MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, between, &request);
            MPI_Send(&out, 1, MPI_INT, half_rank, 1, between);
            MPI_Wait(&request, &status);
            NEED(status.MPI_SOURCE == half_rank && got % 10 == i && (got / 10) % 2 != rank % 2);
        }
    }
    MPI_Intercomm_merge(between, rank % 2, &merged);
    int merged_rank, merged_size;
    MPI_Comm_rank(merged, &merged_rank);
    MPI_Comm_size(merged, &merged_size);
    NEED(merged_size == size);
    MPI_Sendrecv(&merged_rank, 1, MPI_INT, (merged_rank + 1) % size, 2, &got, 1, MPI_INT, MPI_ANY_SOURCE, 2, merged,
                 &status);
    NEED(got == (merged_rank + size - 1) % size && status.MPI_SOURCE == got);
    /* A grid of one dimension. */
    MPI_Cart_create(world, 1, (int[]){size}, (int[]){1}, 0, &ring);
    int before, after;
    MPI_Cart_shift(ring, 0, 1, &before, &after);
    MPI_Sendrecv(&value, 1, MPI_INT, after, 0, &got, 1, MPI_INT, before, 0, ring, &status);
    NEED(got == before);
    /* By some of the ranks alone. */
    MPI_Group all, first;
    MPI_Comm_group(world, &all);
    MPI_Group_range_incl(all, 1, (int[][3]){{0, (size + 1) / 2 - 1, 1}}, &first);
    if (rank < (size + 1) / 2) {
        MPI_Comm_create_group(world, first, 3, &some);
        int some_size;
        MPI_Comm_size(some, &some_size);
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % some_size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, some, &status);
        NEED(got == (rank + some_size - 1) % some_size);
        MPI_Comm_free(&some);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&first);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
    MPI_Comm_free(&halves);
    MPI_Comm_free(&copy);
    /* Handles are used again, for communicators of another size. */
    for (int i = 0; i < 2 * size; ++i) {
        int part_rank, part_size;
        MPI_Comm_split(world, rank <= i % size, rank, &halves);
        MPI_Comm_dup(halves, &copy);
        MPI_Comm_rank(halves, &part_rank);
        MPI_Comm_size(halves, &part_size);
        MPI_Sendrecv(&rank, 1, MPI_INT, (part_rank + 1) % part_size, i, &got, 1, MPI_INT, MPI_ANY_SOURCE, i, halves,
                     &status);
        NEED(status.MPI_SOURCE == (part_rank + part_size - 1) % part_size);
        MPI_Sendrecv(&i, 1, MPI_INT, (part_rank + 1) % part_size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     copy, &status);
        NEED(got == i && status.MPI_SOURCE == (part_rank + part_size - 1) % part_size);
        MPI_Comm_free(&halves);
        MPI_Comm_free(&copy);
    }
    for (int i = 0; i < 20; ++i) {
        MPI_Comm_dup(world, &copy);
        MPI_Sendrecv(&i, 1, MPI_INT, next_rank, i, &got, 1, MPI_INT, last_rank, i, copy, &status);
        NEED(got == i);
        MPI_Comm_free(&copy);
    }
}

/// Legal, and dead if rank 1 slept in the library's barrier.
static void synchronous_and_barrier(void) {
    int value = 5, got = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 1) MPI_Irecv(&got, 1, MPI_INT, 0, 1, world, &request);
    if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 1, 1, world);
    MPI_Barrier(world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    NEED(rank != 1 || got == 5);
    /* A long message, whose receive comes after a collective call of both. */
    unsigned char* bytes = memory(LARGE);
    write_bytes(bytes, LARGE, 3);
    MPI_Request sending = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Isend(bytes, LARGE, MPI_BYTE, 1, 2, world, &sending);
    MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, world);
    NEED(got == 5 * size);
    if (rank == 1) {
        memset(bytes, 0, LARGE);
        MPI_Recv(bytes, LARGE, MPI_BYTE, 0, 2, world, MPI_STATUS_IGNORE);
        NEED(are_bytes(bytes, LARGE, 3));
    }
    MPI_Bcast(&got, 1, MPI_INT, 1, world);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    free(bytes);
}

/// Many that nobody wants yet do not keep the last one away.
static void unwanted(void) {
    enum { MANY = 3000 };
    int got;
    if (rank == 0) {
        for (int i = 0; i < MANY; ++i) MPI_Send(&i, 1, MPI_INT, 1, 1, world);
        MPI_Send(&(int){-1}, 1, MPI_INT, 1, 2, world);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
        NEED(got == -1);
        for (int i = 0; i < MANY; ++i) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
            NEED(got == i);
        }
    }
    MPI_Barrier(world);
}

static unsigned long long drawn(unsigned long long about) {
    about += 0x9E3779B97F4A7C15ULL;
    about = (about ^ about >> 30) * 0xBF58476D1CE4E5B9ULL;
    about = (about ^ about >> 27) * 0x94D049BB133111EBULL;
    return about ^ about >> 31;
}

/// What the k-th message from one rank to another is, both know.
static int random_tag(int from, int to, int k) {
    return (int)(drawn((unsigned long long)from * 1000003 + (unsigned long long)to * 10007 + (unsigned long long)k) %
                 4);
}
static int random_length(int from, int to, int k) {
    const unsigned long long way = drawn((unsigned long long)k * 77 + (unsigned long long)(from * 64 + to));
    return (int)(way % 16 == 0 ? (way >> 8) % LARGE : way % 4 == 0 ? (way >> 8) % MIDDLE : (way >> 8) % 64) + 4;
}

/// Everybody sends to everybody, itself too, messages of random lengths and tags; the receives that are open take any.
/// Of each source they get the messages in order: the k-th receive that got one of it has its k-th message.
static void random_messages(void) {
    enum { EACH = 120, OPEN = 8 };
    const int total = EACH * size;
    MPI_Request* sends = malloc((size_t)total * sizeof *sends);
    unsigned char** outs = malloc((size_t)total * sizeof *outs);
    int(*met)[2] = malloc((size_t)total * sizeof *met); /* source and k of what each receive got, as they were posted */
    MPI_Request open[OPEN];
    unsigned char* ins[OPEN];
    int posted = 0, sent = 0, got = 0, places[OPEN];
    int* next = calloc((size_t)size, sizeof *next);
    for (int i = 0; i < OPEN; ++i) {
        open[i] = MPI_REQUEST_NULL;
        ins[i] = memory(LARGE + 4);
    }
    while (got < total || sent < total) {
        for (int burst = 0; burst < 3 && sent < total; ++burst, ++sent) {
            const int to = (rank + sent) % size, k = sent / size, length = random_length(rank, to, k);
            outs[sent] = memory(length);
            write_bytes(outs[sent], length, rank + k);
            memcpy(outs[sent], &k, 4);
            (k % 5 ? MPI_Isend : MPI_Issend)(outs[sent], length, MPI_BYTE, to, random_tag(rank, to, k), world,
                                             &sends[sent]);
        }
        for (int i = 0; i < OPEN && posted < total; ++i) {
            if (open[i] != MPI_REQUEST_NULL) continue;
            MPI_Irecv(ins[i], LARGE + 4, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &open[i]);
            places[i] = posted++;
        }
        int index, flag;
        MPI_Status status;
        MPI_Testany(OPEN, open, &index, &flag, &status);
        if (flag && index != MPI_UNDEFINED) {
            int k;
            memcpy(&k, ins[index], 4);
            const int from = status.MPI_SOURCE, length = random_length(from, rank, k);
            NEED(k >= 0 && k < EACH);
            NEED(status.MPI_TAG == random_tag(from, rank, k) && count_of(&status, MPI_BYTE) == length);
            unsigned char* expected = memory(length);
            write_bytes(expected, length, from + k);
            NEED(memcmp(expected + 4, ins[index] + 4, (size_t)length - 4) == 0);
            free(expected);
            met[places[index]][0] = from;
            met[places[index]][1] = k;
            ++got;
        }
    }
    MPI_Waitall(total, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < total; ++i) NEED(met[i][1] == next[met[i][0]]++);
    for (int i = 0; i < total; ++i) free(outs[i]);
    for (int i = 0; i < OPEN; ++i) free(ins[i]);
    free(outs);
    free(sends);
    free(met);
    free(next);
    MPI_Barrier(world);
}

static const struct Case {
    const char* name;
    void (*run)(void);
} cases[] = {
    {"blocking modes", blocking_modes},
    {"later modes", later_modes},
    {"persistent", persistent},
    {"wildcards", wildcards},
    {"posting order", posting_order},
    {"datatypes", datatypes},
    {"probes", probes},
    {"cancelling", cancelling},
    {"letting go", letting_go},
    {"exchanges", exchanges},
    {"truncation", truncation},
    {"communicators", communicators},
    {"attributes", attributes},
    {"synchronous and barrier", synchronous_and_barrier},
    {"unwanted", unwanted},
    {"random messages", random_messages},
};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    NEED(size > 1);
    next_rank = (rank + 1) % size;
    last_rank = (rank + size - 1) % size;
    const int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int wanted = argc <= 2;
        for (int argument = 2; argument < argc; ++argument) wanted |= strcmp(argv[argument], cases[i].name) == 0;
        for (int round = 0; round < rounds && wanted; ++round) {
            cases[i].run();
            MPI_Barrier(world); /* a receive from any source must not meet what the next case sends */
        }
        if (wanted && rank == 0) {
            printf("%s\n", cases[i].name);
            fflush(stdout);
        }
    }
    MPI_Finalize();
    return 0;
}
