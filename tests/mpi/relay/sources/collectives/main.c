// SPDX-License-Identifier: Apache-2.0
// Every blocking collective call, on many kinds of communicators, data and places. Each rank writes what came out of
// each, a line a call, into a file of its own: DIRECTORY/RANK. Whatever carries the program, the files are the same.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives.h"

/// MPICH itself cuts off messages of such a type above 8 KiB (4.0, within a host), or crashes (5.0). In its trees one
/// process sends what several have given: with more than four processes that is soon too much.
static int longest_with_holes(void) {
#ifdef MPICH_NUMVERSION
    return size > 4 ? 8192 / 14 / size : 200;
#else
    return ELEMENTS;
#endif
}

struct Kind kinds[KINDS];
int rank, size;
unsigned char *given, *got;

static FILE* lines;
static char label[200];
static uint64_t state;
static size_t reach_B; /* of what the call may touch */

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

static uint64_t hash(const unsigned char* bytes, size_t length) {
    uint64_t value = 14695981039346656037u, word;
    for (size_t i = 0; i < length; i += sizeof word) {
        word = 0;
        memcpy(&word, bytes + i, length - i < sizeof word ? length - i : sizeof word);
        value = (value ^ word) * 1099511628211u;
        value ^= value >> 32;
    }
    return value;
}

static uint64_t draw(void) {
    state += 0x9E3779B97F4A7C15u;
    return mix(state);
}

void begin(int count, const char* format, ...) {
    reach_B = (size_t)count * MOST * WIDEST + MARGIN_B;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    state = hash((const unsigned char*)label, strlen(label)) + (uint64_t)rank;
    for (size_t i = 0; i < reach_B; i += sizeof state) {
        const uint64_t value = draw();
        memcpy(given + i, &value, sizeof value);
    }
    memset(got, 0x5A, reach_B);
}

static double number(void) {
    const double magnitudes[] = {1.0, 1e-7, 1e5, 1e-3};
    const uint64_t value = draw();
    return ((double)(value >> 40) / 65536.0 - 100.0) * magnitudes[value % 4];
}

void fill_doubles(void* where, int count) {
    for (int i = 0; i < count; ++i) ((double*)where)[i] = number();
}

void fill_floats(void* where, int count) {
    for (int i = 0; i < count; ++i) ((float*)where)[i] = (float)number();
}

void end(void) {
    fprintf(lines, "%s: %016llx %016llx\n", label, (unsigned long long)hash(given, reach_B),
            (unsigned long long)hash(got, reach_B));
}

void note(const char* format, ...) {
    va_list arguments;
    fprintf(lines, "%s: ", label);
    va_start(arguments, format);
    vfprintf(lines, format, arguments);
    va_end(arguments);
    fprintf(lines, "\n");
}

static void make_kinds(void) {
    MPI_Datatype strided, pair, wide, nothing;
    MPI_Type_vector(2, 1, 2, MPI_INT, &strided);
    MPI_Type_create_resized(strided, 0, 16, &wide);
    MPI_Type_create_struct(2, (int[]){3, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_SHORT, MPI_DOUBLE}, &pair);
    MPI_Type_free(&strided);
    MPI_Type_create_resized(pair, 0, WIDEST, &strided);
    MPI_Type_free(&pair);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&wide);
    MPI_Type_commit(&strided);
    MPI_Type_commit(&nothing);
    kinds[0] = (struct Kind){"int", MPI_INT, sizeof(int), ELEMENTS};
    kinds[1] = (struct Kind){"strides", wide, 16, ELEMENTS};
    kinds[2] = (struct Kind){"holes", strided, WIDEST, longest_with_holes()};
    kinds[3] = (struct Kind){"bytes", MPI_BYTE, 1, ELEMENTS};
    kinds[4] = (struct Kind){"nothing", nothing, 0, ELEMENTS};
}

static void on_parts(void) {
    MPI_Comm backwards, odd;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    moves("backwards", backwards);
    reductions("backwards", backwards);
    MPI_Comm_free(&backwards);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd);
    moves("half", odd);
    reductions("half", odd);
    MPI_Comm_free(&odd);
}

int main(int argc, char** argv) {
    char path[500];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    NEED(argc > 1 && size <= MOST);
    snprintf(path, sizeof path, "%s/%d", argv[1], rank);
    NEED((lines = fopen(path, "w")) != NULL);
    setvbuf(lines, NULL, _IOLBF, 0);
    NEED((given = malloc(2 * (size_t)ROOM)) != NULL);
    got = given + ROOM;
    make_kinds();
#ifdef REDUCTIONS
    reductions("world", MPI_COMM_WORLD);
#else
    moves("world", MPI_COMM_WORLD);
    reductions("world", MPI_COMM_WORLD);
#ifndef SHORT
    on_parts();
#endif
    /* Neighbors first: after collective calls between groups, Open MPI 4.1 by itself sometimes hangs in
       MPI_Dist_graph_create (3 processes: a quarter of the runs). */
    neighbors();
    between_groups();
    mistakes();
#endif
    beside_messages();
    for (int i = 0; i < KINDS; ++i)
        if (kinds[i].type != MPI_INT && kinds[i].type != MPI_BYTE) MPI_Type_free(&kinds[i].type);
    free(given);
    fclose(lines);
    MPI_Finalize();
    return 0;
}
