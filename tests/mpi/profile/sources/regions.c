/* Regions by MPI_Pcontrol: what each holds is known exactly. 2 ranks. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void message(int bytes) {
    static char data[1000];
    if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1) {
        MPI_Pcontrol(1, (char*)16); /* as without a name: the register holds anything */
        MPI_Pcontrol(-1, "never begun");
    }
    message(1);
    for (int step = 0; step < 3; ++step) {
        MPI_Pcontrol(1, "step");
        message(10);
        MPI_Pcontrol(1, "inner");
        message(100);
        usleep(20000);
        MPI_Pcontrol(-1, "inner");
        MPI_Pcontrol(1, "step"); /* inside itself */
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(-1, "step");
        MPI_Pcontrol(0);
        MPI_Pcontrol(-1, "step");
        message(1);
    }
    MPI_Pcontrol(1, "a name of more than 47 bytes, which is cut where it is too long");
    message(5);
    if (argc > 1) _exit(0);
    MPI_Finalize();
    return 0;
}
