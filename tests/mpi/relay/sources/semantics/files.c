// SPDX-License-Identifier: Apache-2.0
// Files of all ranks: each collective call is entered by even ranks while the odd ones wait for a message of theirs
// which goes nowhere as long as its sender sleeps.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "semantics.h"

static unsigned char *owed, *wanted;
static MPI_Request debt = MPI_REQUEST_NULL;

void owe(void) {
    owed = memory(LARGE);
    wanted = memory(LARGE);
    if (rank % 2 == 0 && rank + 1 < size) {
        write_bytes(owed, LARGE, rank);
        MPI_Isend(owed, LARGE, MPI_BYTE, rank + 1, 77, world, &debt);
    } else if (rank % 2) {
        MPI_Recv(wanted, LARGE, MPI_BYTE, rank - 1, 77, world, MPI_STATUS_IGNORE);
        NEED(are_bytes(wanted, LARGE, rank - 1));
    }
}

void settle(void) {
    MPI_Wait(&debt, MPI_STATUS_IGNORE);
    free(owed);
    free(wanted);
}

#define OWING(call)                  \
    do {                             \
        owe();                       \
        NEED((call) == MPI_SUCCESS); \
        settle();                    \
    } while (0)

enum { BLOCK = 1000 };

static void access_all(MPI_File file) {
    unsigned char out[BLOCK], in[BLOCK];
    MPI_Status status;
    write_bytes(out, BLOCK, rank);
    OWING(MPI_File_set_view(file, rank * BLOCK, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_write_all(file, out, BLOCK, MPI_BYTE, &status));
    NEED(count_of(&status, MPI_BYTE) == BLOCK);
    OWING(MPI_File_sync(file));
    OWING(MPI_File_set_view(file, next_rank * BLOCK, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_read_at_all(file, 0, in, BLOCK, MPI_BYTE, &status));
    NEED(count_of(&status, MPI_BYTE) == BLOCK && are_bytes(in, BLOCK, next_rank));
    OWING(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_write_at_all_begin(file, last_rank * BLOCK, out, BLOCK, MPI_BYTE));
    NEED(MPI_File_write_at_all_end(file, out, &status) == MPI_SUCCESS);
    OWING(MPI_File_sync(file));
    MPI_Barrier(world);
    OWING(MPI_File_sync(file));
    NEED(MPI_File_read_at(file, rank * BLOCK, in, BLOCK, MPI_BYTE, &status) == MPI_SUCCESS);
    NEED(are_bytes(in, BLOCK, next_rank));
}

static void step(MPI_File file) {
    OWING(MPI_File_sync(file));
    MPI_Barrier(world);
    OWING(MPI_File_sync(file));
}

/* By every other collective form: a block of each process in turn, further on each time. */
static void access_by_forms(MPI_File file) {
    unsigned char out[BLOCK], in[BLOCK];
    MPI_Status status;
    MPI_Request request;
    const MPI_Offset own = rank * BLOCK, next = next_rank * BLOCK;
    write_bytes(out, BLOCK, rank + 1);
#ifndef OPEN_MPI /* among five ranks it leaves a message of its own behind, also without the plane */
    OWING(MPI_File_preallocate(file, (MPI_Offset)size * BLOCK));
#endif
    OWING(MPI_File_set_view(file, own, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_write_all_begin(file, out, BLOCK, MPI_BYTE));
    NEED(MPI_File_write_all_end(file, out, &status) == MPI_SUCCESS && count_of(&status, MPI_BYTE) == BLOCK);
    step(file);
    OWING(MPI_File_set_view(file, next, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_read_all(file, in, BLOCK, MPI_BYTE, &status));
    NEED(count_of(&status, MPI_BYTE) == BLOCK && are_bytes(in, BLOCK, next_rank + 1));
    OWING(MPI_File_seek(file, 0, MPI_SEEK_SET));
    memset(in, 0, BLOCK);
    OWING(MPI_File_read_all_begin(file, in, BLOCK, MPI_BYTE));
    NEED(MPI_File_read_all_end(file, in, &status) == MPI_SUCCESS && are_bytes(in, BLOCK, next_rank + 1));
    step(file);
    OWING(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    write_bytes(out, BLOCK, rank + 2);
    OWING(MPI_File_write_at_all(file, own, out, BLOCK, MPI_BYTE, &status));
    NEED(count_of(&status, MPI_BYTE) == BLOCK);
    step(file);
    OWING(MPI_File_read_at_all_begin(file, next, in, BLOCK, MPI_BYTE));
    NEED(MPI_File_read_at_all_end(file, in, &status) == MPI_SUCCESS && are_bytes(in, BLOCK, next_rank + 2));
    step(file);
    write_bytes(out, BLOCK, rank + 3);
    OWING(MPI_File_set_view(file, own, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_iwrite_all(file, out, BLOCK, MPI_BYTE, &request));
    NEED(MPI_Wait(&request, &status) == MPI_SUCCESS && count_of(&status, MPI_BYTE) == BLOCK);
    step(file);
    OWING(MPI_File_set_view(file, next, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OWING(MPI_File_iread_all(file, in, BLOCK, MPI_BYTE, &request));
    NEED(MPI_Wait(&request, &status) == MPI_SUCCESS && are_bytes(in, BLOCK, next_rank + 3));
    memset(in, 0, BLOCK);
    OWING(MPI_File_iread_at_all(file, 0, in, BLOCK, MPI_BYTE, &request));
    NEED(MPI_Wait(&request, &status) == MPI_SUCCESS && are_bytes(in, BLOCK, next_rank + 3));
}

static void access_ordered(MPI_File file) {
    int in = -1;
    MPI_Offset bytes;
    step(file);
    OWING(MPI_File_set_size(file, 0));
    OWING(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    OWING(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OWING(MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    OWING(MPI_File_sync(file));
    MPI_Barrier(world);
    MPI_File_get_size(file, &bytes);
    NEED(bytes == (MPI_Offset)(size * sizeof(int)));
    OWING(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OWING(MPI_File_read_ordered(file, &in, 1, MPI_INT, MPI_STATUS_IGNORE));
    NEED(in == rank);
    const int later = rank + 10;
    step(file);
    OWING(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OWING(MPI_File_write_ordered_begin(file, &later, 1, MPI_INT));
    NEED(MPI_File_write_ordered_end(file, &later, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    step(file);
    OWING(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    OWING(MPI_File_read_ordered_begin(file, &in, 1, MPI_INT));
    NEED(MPI_File_read_ordered_end(file, &in, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    NEED(in == later);
}

/* Several collective writes, which one process carries out, are under way at once. */
static void write_many(const char* name) {
    enum { MANY = 8, PIECE = 50000 };
    static unsigned char out[MANY][PIECE], in[PIECE];
    MPI_Request requests[MANY + 1];
    MPI_Status statuses[MANY + 1];
    MPI_Info info;
    MPI_File file;
    int received = -1;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "cb_nodes", "1");
    NEED(MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) == MPI_SUCCESS);
    MPI_Irecv(&received, 1, MPI_INT, last_rank, 78, world, &requests[MANY]);
    for (int i = 0; i < MANY; i++) {
        write_bytes(out[i], PIECE, rank + i);
        NEED(MPI_File_iwrite_at_all(file, ((MPI_Offset)i * size + rank) * PIECE, out[i], PIECE, MPI_BYTE,
                                    &requests[i]) == MPI_SUCCESS);
    }
    MPI_Send(&rank, 1, MPI_INT, next_rank, 78, world);
    NEED(MPI_Waitall(MANY + 1, requests, statuses) == MPI_SUCCESS && received == last_rank);
    for (int i = 0; i < MANY; i++) {
        NEED(requests[i] == MPI_REQUEST_NULL && count_of(&statuses[i], MPI_BYTE) == PIECE);
        NEED(MPI_File_read_at(file, ((MPI_Offset)i * size + rank) * PIECE, in, PIECE, MPI_BYTE, MPI_STATUS_IGNORE) ==
             MPI_SUCCESS);
        NEED(are_bytes(in, PIECE, rank + i));
    }
    NEED(MPI_File_close(&file) == MPI_SUCCESS);
    MPI_Info_free(&info);
}

/* Several writes, then reads, of one process by itself. */
static void access_alone(const char* name) {
    enum { MANY = 10, PIECE = 4096 };
    static unsigned char out[MANY][PIECE], in[MANY][PIECE];
    char own[600];
    MPI_Request requests[MANY];
    MPI_Status statuses[MANY];
    MPI_File file;
    snprintf(own, sizeof own, "%s-%d", name, rank);
    NEED(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                       &file) == MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        write_bytes(out[i], PIECE, rank + i);
        NEED(MPI_File_iwrite(file, out[i], PIECE, MPI_BYTE, &requests[i]) == MPI_SUCCESS);
    }
    NEED(MPI_Waitall(MANY, requests, statuses) == MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) NEED(requests[i] == MPI_REQUEST_NULL && count_of(&statuses[i], MPI_BYTE) == PIECE);
    for (int i = 0; i < MANY; i++) {
        NEED(MPI_File_iread_at(file, (MPI_Offset)i * PIECE, in[i], PIECE, MPI_BYTE, &requests[i]) == MPI_SUCCESS);
    }
    NEED(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) NEED(are_bytes(in[i], PIECE, rank + i));
    NEED(MPI_File_close(&file) == MPI_SUCCESS);
}

void files(void) {
    char name[512];
    const char* directory = getenv("FILES_IN"); /* which all ranks share */
    MPI_File file;
    snprintf(name, sizeof name, "%s/fairlead-semantics-%d", directory ? directory : "/tmp", (int)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, world);
    OWING(MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    access_all(file);
    access_by_forms(file);
    access_ordered(file);
    OWING(MPI_File_close(&file));
    NEED(file == MPI_FILE_NULL);
    write_many(name);
    access_alone(name);
    /* One process alone; and one that is not there. */
    NEED(MPI_File_open(world, "/tmp/fairlead-no-such-directory/file", MPI_MODE_RDWR, MPI_INFO_NULL, &file) != 0);
    if (rank == 0) {
        NEED(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
        MPI_File_close(&file);
        NEED(MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);
    }
}
