/* A library that Python opens late, and for itself alone, as it does with extension modules that use MPI. */
#include <mpi.h>

/* Functions of MPI 4: there or not, by the MPI library. A module that is built for several asks like this. */
extern int send_c(void) __asm__("MPI_Send_c") __attribute__((weak));
extern int session_init(void) __asm__("MPI_Session_init") __attribute__((weak));
extern int get_status_all(void) __asm__("MPI_Request_get_status_all") __attribute__((weak));

int has_newer_functions(void) {
    return (send_c != 0) | (session_init != 0) << 1 | (get_status_all != 0) << 2;
}

void run(void) {
    int rank;
    char data[9] = {0};
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(data, 9, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 9, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
