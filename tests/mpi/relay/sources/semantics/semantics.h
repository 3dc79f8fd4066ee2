// SPDX-License-Identifier: Apache-2.0
// What the cases have in common: who they are, messages that are known again, and a check that ends the program.
#pragma once

#include <mpi.h>
#include <stdio.h>

/* Open MPI 5 has these functions, though it says 3.1. */
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
#define HAS_FUNCTIONS_OF_MPI_4 1
#endif

enum { SMALL = 5, MIDDLE = 3000, LARGE = 120000 }; /* bytes: with the envelope, pulled, beyond what is copied */

extern int rank, size, next_rank, last_rank;
extern MPI_Comm world;

#define NEED(holds)                                                                                       \
    do {                                                                                                  \
        if (!(holds)) {                                                                                   \
            fprintf(stderr, "rank %d, %s:%d: %s does not hold\n", rank, __FILE_NAME__, __LINE__, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                 \
        }                                                                                                 \
    } while (0)

int count_of(MPI_Status* status, MPI_Datatype type);

/// Bytes that tell a message from others.
void write_bytes(unsigned char* bytes, int length, int sign);
int are_bytes(const unsigned char* bytes, int length, int sign);

unsigned char* memory(int length);

/* modes.c */
void blocking_modes(void);
void later_modes(void);
void persistent(void);
void exchanges(void);
void buffers(void);
/* buffers.c */
void full_buffers(void);
void taken_back(void);
/* wildcards.c */
void wildcards(void);
void asserted(void);
void unwanted(void);
/* completion.c */
void posting_order(void);
void letting_go(void);
void synchronous_and_barrier(void);
void callbacks(void);
/* nobody.c */
void nobody(void);
/* probes.c */
void probes(void);
/* mixed.c */
void mixed_requests(void);
/* cancel.c */
void cancelling(void);
/* datatypes.c */
void datatypes(void);
void truncation(void);
void null_types(void);
void large_types(void);
void many_blocks(void);
void type_attributes(void);
/* errors.c */
void errors(void);
void wrong_exchanges(void);
void wrong_communicators(void);
void told_once(void);
void started_twice(void);
void wrong_messages(void);
void wrong_probes(void);
void left_open(void);
void error_fields(void);
void refused(void);
/* communicators.c */
void communicators(void);
void made_while_receiving(void);
void attributes(void);
void freed_first(void);
/* making.c */
void made_beside_messages(void);
void between_groups(void);
void windows_beside_messages(void);
void very_many(void);
void callbacks_on_itself(void);
void handles_again(void);
void windows_again(void);
void freed_inside(void);
/* local.c */
void freed_early(void);
void freed_in_turn(void);
void overlapping_copies(void);
void copies_of_copies(void);
void empty_statuses(void);
/* alone.c */
void alone(void);
/* files.c */
void owe(void); /* odd ranks have a message that their neighbours are still sending */
void settle(void);
void files(void);
/* windows.c */
void windows(void);
void windows_of_copies(void);
void wrong_starts(void);
/* agreements.c */
void agreements(void);
/* compound.c */
void later_exchanges(void);
void partitioned(void);
void persistent_collectives(void);
void status_of_several(void);
void beside_what_is_not_started(void);
void status_of_others(void);
/* random.c */
void random_messages(void);
