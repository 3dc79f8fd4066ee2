/* MPI without MPI_Init: a session, and one message over a communicator made of it. */
#include <mpi.h>

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;
    char data[6] = {0};
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "profile", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) MPI_Send(data, 6, MPI_CHAR, 1, 1, comm);
    if (rank == 1) MPI_Recv(data, 6, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
