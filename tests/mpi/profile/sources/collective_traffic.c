/* Makes ten calls of each collective function in each of two sizes, and writes what Open MPI counts meanwhile: lines
   FUNCTION SIZE RANK MESSAGES BYTES, of what this rank sends to RANK, to the file ARGUMENT.OWN-RANK. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 10
#define MOST 64
#define COMM MPI_COMM_WORLD

static int rank, size, counts[MOST], parts[MOST], places[MOST];
static char *in, *out;

static void barrier(int n) { (void)n, MPI_Barrier(COMM); }
static void bcast(int n) { MPI_Bcast(in, n, MPI_BYTE, 0, COMM); }
static void scatter(int n) { MPI_Scatter(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, COMM); }
static void gather(int n) { MPI_Gather(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, COMM); }
static void scatterv(int n) { MPI_Scatterv(in, counts, places, MPI_BYTE, out, n, MPI_BYTE, 0, COMM); }
static void gatherv(int n) { MPI_Gatherv(in, n, MPI_BYTE, out, counts, places, MPI_BYTE, 0, COMM); }
static void allgather(int n) { MPI_Allgather(in, n, MPI_BYTE, out, n, MPI_BYTE, COMM); }
static void allgatherv(int n) { MPI_Allgatherv(in, n, MPI_BYTE, out, counts, places, MPI_BYTE, COMM); }
static void alltoall(int n) { MPI_Alltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, COMM); }
static void alltoallv(int n) {
    (void)n, MPI_Alltoallv(in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, COMM);
}
static void allreduce(int n) { MPI_Allreduce(in, out, n, MPI_SIGNED_CHAR, MPI_SUM, COMM); }
static void reduce(int n) { MPI_Reduce(in, out, n, MPI_SIGNED_CHAR, MPI_SUM, 0, COMM); }
static void reduce_scatter(int n) { (void)n, MPI_Reduce_scatter(in, out, parts, MPI_SIGNED_CHAR, MPI_SUM, COMM); }
static void reduce_scatter_block(int n) {
    MPI_Reduce_scatter_block(in, out, n / size, MPI_SIGNED_CHAR, MPI_SUM, COMM);
}
static void scan(int n) { MPI_Scan(in, out, n, MPI_SIGNED_CHAR, MPI_SUM, COMM); }
static void exscan(int n) { MPI_Exscan(in, out, n, MPI_SIGNED_CHAR, MPI_SUM, COMM); }

static const struct {
    const char* name;
    void (*call)(int n);
} functions[] = {
    {"MPI_Barrier", barrier},         {"MPI_Bcast", bcast},           {"MPI_Scatter", scatter},
    {"MPI_Scatterv", scatterv},       {"MPI_Gather", gather},         {"MPI_Gatherv", gatherv},
    {"MPI_Allgather", allgather},     {"MPI_Allgatherv", allgatherv}, {"MPI_Alltoall", alltoall},
    {"MPI_Alltoallv", alltoallv},     {"MPI_Allreduce", allreduce},   {"MPI_Reduce", reduce},
    {"MPI_Reduce_scatter", reduce_scatter}, {"MPI_Reduce_scatter_block", reduce_scatter_block},
    {"MPI_Scan", scan},               {"MPI_Exscan", exscan},
};

int main(int argc, char** argv) {
    int level, index, number;
    MPI_Comm comm = COMM;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle messages, bytes;
    static size_t before[2][MOST], after[2][MOST];
    char name[256];
    if (argc < 2) return 2;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COMM, &rank);
    MPI_Comm_size(COMM, &size);
    MPI_T_pvar_session_create(&session);
    if (MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) return 3;
    MPI_T_pvar_handle_alloc(session, index, &comm, &messages, &number);
    if (MPI_T_pvar_get_index("pml_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) return 3;
    MPI_T_pvar_handle_alloc(session, index, &comm, &bytes, &number);
    MPI_T_pvar_start(session, messages);
    MPI_T_pvar_start(session, bytes);
    snprintf(name, sizeof name, "%s.%d", argv[1], rank);
    FILE* file = fopen(name, "w");
    in = calloc(MOST, 1 << 16), out = calloc(MOST, 1 << 16);
    for (int n = 64; n <= 1 << 16; n <<= 10) {
        for (int k = 0; k < size; ++k) counts[k] = n, parts[k] = n / size, places[k] = k * n;
        for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
            if (f == 0 && n > 64) continue; /* a barrier has no size */
            MPI_T_pvar_read(session, messages, before[0]);
            MPI_T_pvar_read(session, bytes, before[1]);
            for (int k = 0; k < CALLS; ++k) functions[f].call(n);
            MPI_T_pvar_read(session, messages, after[0]);
            MPI_T_pvar_read(session, bytes, after[1]);
            for (int k = 0; k < size; ++k)
                fprintf(file, "%s %d %d %zu %zu\n", functions[f].name, n, k, after[0][k] - before[0][k],
                        after[1][k] - before[1][k]);
        }
    }
    fclose(file);
    MPI_T_pvar_stop(session, messages);
    MPI_T_pvar_stop(session, bytes);
    MPI_T_pvar_handle_free(session, &messages);
    MPI_T_pvar_handle_free(session, &bytes);
    MPI_T_pvar_session_free(&session);
    MPI_Finalize();
    MPI_T_finalize();
    return 0;
}
