// SPDX-License-Identifier: Apache-2.0
// What the cases have in common: a name for each call, data that follow from the name, and a line for what came out.
#pragma once

#include <mpi.h>
#include <stddef.h>

/* -DLARGE: by the functions with large counts. */
#ifdef LARGE
typedef MPI_Count Number;
typedef MPI_Aint Place;
typedef MPI_Aint Offset; /* of alltoallw among neighbors: bytes in both */
#define CALL(name) name##_c
#else
typedef int Number;
typedef int Place;
#define CALL(name) name
#endif

/* -DREDUCTIONS: reductions alone. -DLATER: those that are not among the first collective calls of a communicator. */

/* -DSHORT: without the longest blocks. */
#ifdef SHORT
#define LENGTHS_OF(lengths) (sizeof(lengths) / sizeof *(lengths)-1)
#else
#define LENGTHS_OF(lengths) (sizeof(lengths) / sizeof *(lengths))
#endif

enum { MOST = 9, ELEMENTS = 2500, WIDEST = 24, MARGIN_B = 512, ROOM = MOST * ELEMENTS * WIDEST + MARGIN_B };

struct Kind {
    const char* name;
    MPI_Datatype type;
    size_t extent_B;
    int longest; /* elements in a block */
};
enum { KINDS = 5 };
extern struct Kind kinds[KINDS]; /* of any bytes: whole numbers, strides, one with holes, bytes, and nothing at all */

extern int rank, size; /* in MPI_COMM_WORLD */
extern unsigned char *given, *got;

#define NEED(holds)                                                                                  \
    do {                                                                                             \
        if (!(holds)) {                                                                              \
            fprintf(stderr, "rank %d, %s:%d: %s does not hold\n", rank, __FILE__, __LINE__, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                            \
        }                                                                                            \
    } while (0)

/// The next call, of blocks of so many elements: fills `given` and `got` with bytes, those of `given` by name and rank.
void begin(int count, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// Numbers that show in which order they were added, in place of those bytes.
void fill_doubles(void* where, int count);
void fill_floats(void* where, int count);
/// A line for what there is now in `given` and `got`.
void end(void);
/// Something else that belongs to the result.
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* moves.c */
void moves(const char* name, MPI_Comm comm);
/* reductions.c */
void reductions(const char* name, MPI_Comm comm);
/* between.c */
void between_groups(void);
/* neighbors.c */
void neighbors(void);
/* mistakes.c */
void mistakes(void);
void beside_messages(void);
