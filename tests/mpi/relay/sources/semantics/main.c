// SPDX-License-Identifier: Apache-2.0
// What MPI promises of point-to-point messages, call by call, on any number of ranks from two on: run with messages
// that take two paths (FAIRLEAD_CHAOS), and without. Each case looks at its data, its statuses and their order; a rank
// that finds one wrong ends the program. Arguments: rounds of every case, then the cases' names; none: all.
#include <stdlib.h>
#include <string.h>

#include "semantics.h"

int rank, size, next_rank, last_rank;
MPI_Comm world;

int count_of(MPI_Status* status, MPI_Datatype type) {
    int count = -1;
    MPI_Get_count(status, type, &count);
    return count;
}

void write_bytes(unsigned char* bytes, int length, int sign) {
    for (int i = 0; i < length; ++i) bytes[i] = (unsigned char)(sign * 31 + i * 7 + i / 251);
}

int are_bytes(const unsigned char* bytes, int length, int sign) {
    for (int i = 0; i < length; ++i)
        if (bytes[i] != (unsigned char)(sign * 31 + i * 7 + i / 251)) return 0;
    return 1;
}

unsigned char* memory(int length) {
    unsigned char* bytes = malloc((size_t)length + 1);
    NEED(bytes != NULL);
    return bytes;
}

static const struct Case {
    const char* name;
    void (*run)(void);
} cases[] = {
    {"blocking modes", blocking_modes},
    {"later modes", later_modes},
    {"persistent", persistent},
    {"wildcards", wildcards},
    {"asserted", asserted},
    {"posting order", posting_order},
    {"datatypes", datatypes},
    {"null types", null_types},
    {"large types", large_types},
    {"many blocks", many_blocks},
    {"type attributes", type_attributes},
    {"probes", probes},
    {"nobody", nobody},
    {"cancelling", cancelling},
    {"letting go", letting_go},
    {"mixed requests", mixed_requests},
    {"exchanges", exchanges},
    {"buffers", buffers},
    {"full buffers", full_buffers},
    {"taken back", taken_back},
    {"truncation", truncation},
    {"errors", errors},
    {"wrong exchanges", wrong_exchanges},
    {"wrong communicators", wrong_communicators},
    {"told once", told_once},
    {"started twice", started_twice},
    {"wrong messages", wrong_messages},
    {"wrong probes", wrong_probes},
    {"left open", left_open},
    {"error fields", error_fields},
    {"refused", refused},
    {"communicators", communicators},
    {"made while receiving", made_while_receiving},
    {"made beside messages", made_beside_messages},
    {"between groups", between_groups},
    {"very many", very_many},
    {"attributes", attributes},
    {"callbacks on itself", callbacks_on_itself},
    {"handles again", handles_again},
    {"windows again", windows_again},
    {"freed inside", freed_inside},
    {"freed first", freed_first},
    {"freed early", freed_early},
    {"freed in turn", freed_in_turn},
    {"overlapping copies", overlapping_copies},
    {"copies of copies", copies_of_copies},
    {"empty statuses", empty_statuses},
    {"alone", alone},
    {"callbacks", callbacks},
    {"files", files},
    {"windows", windows},
    {"windows of copies", windows_of_copies},
    {"windows beside messages", windows_beside_messages},
    {"wrong starts", wrong_starts},
    {"agreements", agreements},
    {"later exchanges", later_exchanges},
    {"partitioned", partitioned},
    {"persistent collectives", persistent_collectives},
    {"status of several", status_of_several},
    {"beside what is not started", beside_what_is_not_started},
    {"status of others", status_of_others},
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
