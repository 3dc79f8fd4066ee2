/* A session, and then MPI_Init: one message over MPI_COMM_WORLD. */
#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Session session;
    int rank;
    char data[6] = {0};
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(data, 6, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 6, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    MPI_Session_finalize(&session);
    return 0;
}
