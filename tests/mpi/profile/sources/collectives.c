/* One rank enters a collective call 150 ms after the others. In which order, the test knows; between the
   calls all meet. Section k makes its call on a communicator of its own, so that the test can tell them apart. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define SECTIONS 12

static int rank, in[64], out[64], ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};

static void late(int who) {
    if (rank == who) usleep(150000);
}

static void section(int number, MPI_Comm comm) {
    MPI_Request request;
    MPI_Comm odd;
    switch (number) {
        case 0:
            late(1);
            MPI_Barrier(comm);
            break;
        case 1:
            late(1);
            MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, comm);
            break;
        case 2:
            late(1);
            MPI_Alltoallv(in, ones, places, MPI_INT, out, ones, places, MPI_INT, comm);
            break;
        case 3: /* a late root */
            late(1);
            MPI_Bcast(in, 4, MPI_INT, 1, comm);
            break;
        case 4: /* the root is early: it waits for one */
            late(2);
            MPI_Gather(in, 4, MPI_INT, out, 4, MPI_INT, 0, comm);
            break;
        case 5: /* who enters late is needed by those behind it */
            late(1);
            MPI_Scan(in, out, 4, MPI_INT, MPI_SUM, comm);
            break;
        case 6:
            late(1);
            MPI_Iallreduce(in, out, 4, MPI_INT, MPI_SUM, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 7: /* the others work until long after it has entered */
            late(1);
            MPI_Ibarrier(comm, &request);
            if (rank != 1) usleep(350000);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            break;
        case 8: /* of ranks 0 and 2 only, in the other order */
            MPI_Comm_split(comm, rank % 2, -rank, &odd);
            late(2);
            MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, odd);
            MPI_Comm_free(&odd);
            break;
        case 9: /* nothing is moved */
            late(1);
            MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, comm);
            break;
        case 10: /* starts may come in any order: not kept */
            late(1);
#if MPI_VERSION >= 4
            MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
#endif
            break;
        case 11: /* completed together with a message */
            late(1);
            if (rank == 1) MPI_Send(in, 1, MPI_INT, 0, 7, comm);
            MPI_Iallreduce(in, out, 4, MPI_INT, MPI_SUM, comm, &request);
            if (rank == 0) {
                MPI_Request both[2] = {request};
                MPI_Irecv(in, 1, MPI_INT, 1, 7, comm, &both[1]);
                MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            } else {
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            break;
    }
}

int main(int argc, char** argv) {
    MPI_Comm comm[SECTIONS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int number = 0; number < SECTIONS; ++number) MPI_Comm_dup(MPI_COMM_WORLD, &comm[number]);
    for (int number = 0; number < SECTIONS; ++number) {
        MPI_Barrier(MPI_COMM_WORLD);
        section(number, comm[number]);
    }
    for (int number = 0; number < 10; ++number) { /* a phase: sizes of the one differ */
        int first = number % 2;
        int counts[3] = {1 + first, 1 + first, 1 + first}, displacements[3] = {0, 2, 4};
        MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoallv(in, counts, displacements, MPI_INT, out, counts, displacements, MPI_INT, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
