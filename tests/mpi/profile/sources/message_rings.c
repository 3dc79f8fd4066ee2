/* Messages from rank 0 to rank 1 in every way that their order of matching is, or is not, known. The tag says which. */
#include <mpi.h>
#include <string.h>

static char data[8][8];

static void receive(int source, int tag) { MPI_Recv(data[0], 8, MPI_CHAR, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void send_some(int tag, int number) {
    for (int i = 0; i < number; ++i) MPI_Send(data[i], 8, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
}

static void sends(void) {
    MPI_Request request;
    send_some(1, 3);
    send_some(2, 3);
    send_some(3, 2);
    MPI_Send_init(data[0], 8, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Isend(data[0], 8, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    send_some(6, 2);
    for (int i = 0; i < 10000; ++i) send_some(7, 1);
}

static void receives(void) {
    MPI_Request requests[3];
    MPI_Status statuses[2];
    MPI_Message message;
    for (int i = 0; i < 3; ++i) MPI_Irecv(data[i], 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[i]);
    for (int i = 2; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE); /* not in the order of matching */
    receive(MPI_ANY_SOURCE, 2);
    receive(0, 2);
    MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(data[0], 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) MPI_Irecv(data[i], 8, MPI_CHAR, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(2, requests, statuses);
    MPI_Recv_init(data[0], 8, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &requests[0]);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    receive(0, 5);
    MPI_Irecv(data[0], 8, MPI_CHAR, 0, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    receive(0, 6);
    receive(0, 6);
    for (int i = 0; i < 10000; ++i) receive(0, 7);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(data, 0, sizeof data);
    if (rank == 0) {
        sends();
    } else if (rank == 1) {
        receives();
    }
    MPI_Finalize();
    return 0;
}
