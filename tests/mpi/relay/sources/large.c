// Messages of more than 2 GiB, from rank 0 to rank 1. What is sent repeats one block, so that only the receiver needs
// that much memory, besides copies. Usage: large CASE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_B = 1 << 20, BLOCKS = 2049, PARTS = 3 };
static const size_t WHOLE_B = (size_t)BLOCKS * BLOCK_B;
static int rank;
static char *once, *all; /* all: only where it is received, or sent from other than copies */
static MPI_Datatype block, repeated, whole;
static MPI_Status status;

static char byte_at(size_t at) { return (char)(at % BLOCK_B * 7 + 1); }

static char* filled(size_t size_B) {
    char* memory = malloc(size_B);
    for (size_t at = 0; at < size_B; ++at) memory[at] = byte_at(at);
    return memory;
}

/* After so many bytes it is as it was. */
static void tell(size_t expected_B) {
    MPI_Count doubles;
    size_t wrong = 0;
    if (rank != 1) return;
    MPI_Get_elements_x(&status, MPI_DOUBLE, &doubles);
    for (size_t at = 0; at < WHOLE_B; ++at) wrong += all[at] != (at < expected_B ? byte_at(at) : 0);
    printf("%zu bytes from %d, %zu wrong\n", 8 * (size_t)doubles, status.MPI_SOURCE, wrong);
}

static void replace(int count, MPI_Datatype datatype) {
    if (rank == 0) MPI_Sendrecv_replace(once, 1, repeated, 1, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    if (rank == 1) MPI_Sendrecv_replace(all, count, datatype, MPI_PROC_NULL, 1, 0, 1, MPI_COMM_WORLD, &status);
    tell(WHOLE_B);
}

/* The message ends within the only element. */
static void part(void) {
    if (rank == 0) MPI_Send(filled(3 * BLOCK_B + 8), 3 * BLOCK_B / 8 + 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(all, 1, whole, 0, 1, MPI_COMM_WORLD, &status);
    tell(3 * BLOCK_B + 8);
}

static void say_class(int error) {
    int class;
    MPI_Error_class(error, &class);
    printf("%s\n", class == MPI_ERR_BUFFER ? "no room" : class == MPI_SUCCESS ? "success" : "another error");
}

/* No buffer can be so large: its size is an int. */
static void buffered(int persistent) {
    MPI_Request request;
    int size_B;
    MPI_Buffer_attach(malloc(BLOCK_B), BLOCK_B);
    if (rank == 0 && persistent) {
        MPI_Bsend_init(once, 1, repeated, 1, 1, MPI_COMM_WORLD, &request);
        say_class(MPI_Start(&request));
        MPI_Request_free(&request);
    } else if (rank == 0) {
        say_class(MPI_Bsend(once, 1, repeated, 1, 1, MPI_COMM_WORLD));
        say_class(MPI_Ibsend(once, 1, repeated, 1, 1, MPI_COMM_WORLD, &request));
        say_class(MPI_Bsend(once, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD));
    }
    if (rank == 1 && !persistent) MPI_Recv(all, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Buffer_detach(&once, &size_B);
}

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
static void replace_later(void) {
    MPI_Request request;
    if (rank == 0) MPI_Isendrecv_replace(once, 1, repeated, 1, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Isendrecv_replace(all, 1, whole, MPI_PROC_NULL, 1, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    tell(WHOLE_B);
}

static void partitioned(int from) {
    MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
    const MPI_Count part_B = WHOLE_B / PARTS;
    if (rank == 1) {
        MPI_Precv_init(all, PARTS, part_B, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
        MPI_Start(&receive);
    }
    if (rank == from) {
        MPI_Psend_init(filled(WHOLE_B), PARTS, part_B, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
        MPI_Start(&send);
        for (int at = 0; at < PARTS; ++at) MPI_Pready(at, send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    if (rank == 1) MPI_Wait(&receive, &status);
    status.MPI_SOURCE = from; /* Open MPI 5 alone does not say it */
    MPI_Status_set_elements_x(&status, MPI_DOUBLE, WHOLE_B / 8);
    tell(WHOLE_B);
}
#endif

int main(int argc, char** argv) {
    const char* what = argv[1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(BLOCK_B / 8, MPI_DOUBLE, &block);
    MPI_Type_create_hvector(BLOCKS, 1, 0, block, &repeated);
    MPI_Type_contiguous(BLOCKS, block, &whole);
    MPI_Type_commit(&repeated);
    MPI_Type_commit(&whole);
    once = filled(BLOCK_B);
    if (rank == 1) all = calloc(1, WHOLE_B);
    if (strcmp(what, "elements") == 0) replace(WHOLE_B / 8, MPI_DOUBLE);
    if (strcmp(what, "element") == 0) replace(1, whole);
    if (strcmp(what, "part") == 0) part();
    if (strcmp(what, "buffered") == 0) buffered(0);
    if (strcmp(what, "persistent") == 0) buffered(1);
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    if (strcmp(what, "later") == 0) replace_later();
    if (strcmp(what, "partitioned") == 0) partitioned(0);
    if (strcmp(what, "to itself") == 0) partitioned(1);
#endif
    MPI_Finalize();
    return 0;
}
