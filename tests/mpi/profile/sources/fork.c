/* A child that asks MPI something counts for itself, not for its parent. */
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Wtime();
    pid_t child = fork();
    int initialized;
    MPI_Initialized(&initialized);
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    MPI_Finalize();
    return 0;
}
