/* Two parents start one child, each sends it 7 bytes; the child answers both with 3. */
#include <mpi.h>

int main(int argc, char** argv) {
    MPI_Comm other;
    char data[9] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (other == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
        MPI_Send(data, 7, MPI_CHAR, 0, 1, other);
        MPI_Recv(data, 9, MPI_CHAR, 0, 1, other, MPI_STATUS_IGNORE);
    } else {
        for (int parent = 0; parent < 2; ++parent) {
            MPI_Recv(data, 9, MPI_CHAR, parent, 1, other, MPI_STATUS_IGNORE);
            MPI_Send(data, 3, MPI_CHAR, parent, 1, other);
        }
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
