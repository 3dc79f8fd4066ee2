/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints what an NPB 3.4 program prints at its end. argv[1] "wrong": its verification failed.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    const char* verdict = argc > 1 && !strcmp(argv[1], "wrong") ? "UNSUCCESSFUL" : "  SUCCESSFUL";
    if (!rank) {
        printf("\n\n CG Benchmark Completed.\n");
        printf(" Class           =             %12s\n", CLASS);
        printf(" Size            =             %12d\n", 1400);
        printf(" Iterations      =             %12d\n", sum);
        printf(" Time in seconds =             %12.2f\n", 1.25);
        printf(" Total processes =             %12d\n", size);
        printf(" Active processes=             %12d\n", size);
        printf(" Mop/s total     =             %12.2f\n", 53.2);
        printf(" Mop/s/process   =             %12.2f\n", 53.2 / size);
        printf(" Operation type  =           floating point\n");
        printf(" Verification    =             %s\n", verdict);
        printf(" Version         =                    3.4.3\n");
    }
    MPI_Finalize();
    return 0;
}
