/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of launchers start. Ranks pass a token around and add their number; rank 0 says the sum, one line for
 * every rank's host, what it read on stdin, and what GREETING is. Then as argv[1] says:
 *   exit CODE   all ranks end with CODE
 *   wait        all ranks wait to be ended
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 64 };

static void tell(int size, long token, const char* names) {
    char line[128] = "";
    const char* greeting = getenv("GREETING");
    printf("sum %ld\n", token);
    for (int rank = 0; rank < size; ++rank) printf("rank %d on %s\n", rank, names + rank * NAME);
    printf("greeting %s\n", greeting ? greeting : "(none)");
    /* Open MPI 5.0 does not pass on the end of stdin: a line says that it is the last. */
    while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n")) printf("stdin %s", line);
    fflush(stdout);
}

static void leave(int code) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40100000
    /* MPICH 4.0 over UCX hangs in MPI_Finalize when ranks get there at different times (`fairlead doctor` warns). */
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(code);
#else
    MPI_Finalize();
    exit(code);
#endif
}

int main(int argc, char** argv) {
    int rank, size;
    long token = 0;
    char name[NAME] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank) MPI_Recv(&token, 1, MPI_LONG, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    if (size > 1) MPI_Send(&token, 1, MPI_LONG, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (!rank && size > 1) MPI_Recv(&token, 1, MPI_LONG, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    gethostname(name, NAME - 1);
    char* names = calloc((size_t)size, NAME);
    MPI_Gather(name, NAME, MPI_CHAR, names, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!rank) tell(size, token, names);
    free(names);
    if (argc > 1 && !strcmp(argv[1], "wait")) pause();
    leave(argc > 2 ? atoi(argv[2]) : 0);
}
