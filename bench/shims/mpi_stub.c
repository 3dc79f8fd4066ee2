/* An MPI library with MPICH's binary interface whose functions return at once: what a call takes beside it is what a
   wrapper adds. It has what the loop of mpi_loop.c calls, and what libfairlead asks it. One rank of four. */
#include <stddef.h>

typedef struct {
    int count_lo, count_hi, source, tag, error;
} Status;

enum { COMM_NULL = 0x04000000, REQUEST_NULL = 0x2c000000, STATUS_IGNORE = 1, MESSAGE_B = 8 };
static int next_request = (int)0x98000000u;

#define FUNCTION(name, parameters, ...)  \
    int P##name parameters {             \
        __VA_ARGS__;                     \
        return 0;                        \
    }                                    \
    int name parameters __attribute__((weak, alias("P" #name)))

static void fill(Status* status) {
    if ((size_t)status != STATUS_IGNORE) *status = (Status){.count_lo = MESSAGE_B};
}

#define UNUSED __attribute__((unused))
#define COMM UNUSED int comm

FUNCTION(MPI_Init, (UNUSED int* argc, UNUSED char*** argv), (void)0);
FUNCTION(MPI_Init_thread, (UNUSED int* argc, UNUSED char*** argv, UNUSED int required, int* level), *level = 0);
FUNCTION(MPI_Finalize, (void), (void)0);
FUNCTION(MPI_Query_thread, (int* level), *level = 0);
FUNCTION(MPI_Get_library_version, (char* version, int* length), version[0] = '\0', *length = 0);
FUNCTION(MPI_Barrier, (COMM), (void)0);
FUNCTION(MPI_Send, (UNUSED const void* b, UNUSED int n, UNUSED int type, UNUSED int to, UNUSED int tag, COMM), (void)0);
FUNCTION(MPI_Recv, (UNUSED void* b, UNUSED int n, UNUSED int type, UNUSED int from, UNUSED int tag, COMM, Status* status),
         fill(status));
FUNCTION(MPI_Isend,
         (UNUSED const void* b, UNUSED int n, UNUSED int type, UNUSED int to, UNUSED int tag, COMM, int* request),
         *request = next_request++);
FUNCTION(MPI_Irecv, (UNUSED void* b, UNUSED int n, UNUSED int type, UNUSED int from, UNUSED int tag, COMM, int* request),
         *request = next_request++);
FUNCTION(MPI_Wait, (int* request, Status* status), *request = REQUEST_NULL, fill(status));
FUNCTION(MPI_Waitall, (int n, int requests[], Status statuses[]), for (int i = 0; i < n; ++i) {
    requests[i] = REQUEST_NULL;
    if ((size_t)statuses != STATUS_IGNORE) fill(&statuses[i]);
});
FUNCTION(MPI_Allreduce, (UNUSED const void* a, UNUSED void* b, UNUSED int n, UNUSED int type, UNUSED int op, COMM),
         (void)0);
FUNCTION(MPI_Reduce,
         (UNUSED const void* a, UNUSED void* b, UNUSED int n, UNUSED int type, UNUSED int op, UNUSED int root, COMM),
         (void)0);
FUNCTION(MPI_Comm_rank, (COMM, int* rank), *rank = 0);
FUNCTION(MPI_Comm_size, (COMM, int* size), *size = 4);
FUNCTION(MPI_Comm_test_inter, (COMM, int* inter), *inter = 0);
FUNCTION(MPI_Comm_get_parent, (int* parent), *parent = COMM_NULL);
FUNCTION(MPI_Comm_group, (COMM, int* group), *group = 1);
FUNCTION(MPI_Comm_remote_group, (COMM, int* group), *group = 1);
FUNCTION(MPI_Group_rank, (UNUSED int group, int* rank), *rank = 0);
FUNCTION(MPI_Group_size, (UNUSED int group, int* size), *size = 4);
FUNCTION(MPI_Group_free, (UNUSED int* group), (void)0);
FUNCTION(MPI_Group_translate_ranks, (UNUSED int one, int n, const int ranks[], UNUSED int other, int translated[]),
         for (int i = 0; i < n; ++i) translated[i] = ranks[i]);
FUNCTION(MPI_Type_size_x, (UNUSED int type, long long* size), *size = 1);
FUNCTION(MPI_Topo_test, (COMM, int* topology), *topology = 0);
FUNCTION(MPI_Cartdim_get, (COMM, int* dimensions), *dimensions = 0);
FUNCTION(MPI_Graph_neighbors_count, (COMM, UNUSED int rank, int* number), *number = 0);
FUNCTION(MPI_Dist_graph_neighbors_count, (COMM, int* in, int* out, int* weighted), *in = *out = *weighted = 0);

/* libfairlead must find these, for a program that needs them. The loop does not. */
#define NEVER(name)           \
    void PMPI_##name(void) {  \
        __builtin_trap();     \
    }
NEVER(Abort) NEVER(Cancel) NEVER(Comm_call_errhandler) NEVER(Comm_dup) NEVER(Comm_free) NEVER(Comm_get_attr)
NEVER(Comm_get_errhandler) NEVER(Comm_set_errhandler) NEVER(Comm_split) NEVER(Comm_split_type) NEVER(Errhandler_free)
NEVER(Grequest_complete) NEVER(Grequest_start) NEVER(Group_difference) NEVER(Group_from_session_pset)
NEVER(Iallgather) NEVER(Iallreduce) NEVER(Ialltoall)
NEVER(Ibarrier) NEVER(Improbe) NEVER(Imrecv) NEVER(Imrecv_c)
NEVER(Info_delete) NEVER(Info_dup) NEVER(Info_free) NEVER(Info_get) NEVER(Info_get_nkeys) NEVER(Info_get_nthkey)
NEVER(Info_set) NEVER(Iprobe)
NEVER(Irecv_c) NEVER(Isend_c) NEVER(Issend)
NEVER(Issend_c) NEVER(Mrecv) NEVER(Pack) NEVER(Recv_init) NEVER(Request_free) NEVER(Request_get_status)
NEVER(Rget_accumulate) NEVER(Send_init) NEVER(Sendrecv) NEVER(Start) NEVER(Test) NEVER(Testall) NEVER(Testany)
NEVER(Testsome) NEVER(Type_commit) NEVER(Type_contiguous) NEVER(Type_create_hindexed) NEVER(Type_free) NEVER(Type_get_envelope)
NEVER(Type_get_extent_x) NEVER(Type_get_true_extent_x) NEVER(Unpack)
NEVER(Win_allocate) NEVER(Win_free) NEVER(Win_get_group) NEVER(Win_lock_all) NEVER(Win_sync) NEVER(Win_test) NEVER(Win_unlock_all)
