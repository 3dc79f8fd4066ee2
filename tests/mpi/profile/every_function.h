/* What the lines of every_function.calls work with. */
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* now = "begin"; /* the function that is tested */
static int me, next, before;      /* ranks in comm */
static MPI_Comm comm, ring, comm2, comm3, inter;
static MPI_Group group, group2, group3;
static int out[64], in[64], window[100], indices[64], range[1][3] = {{0, 0, 1}};
static char buffer[1 << 16], text[8192], text2[8192], path[4096];
static int counts[3] = {1, 2, 3}, displs[3] = {0, 4, 8}, distances[3] = {0, 16, 32}, mine[3], threes[3] = {3, 3, 3};
static MPI_Count counts_c[3] = {1, 2, 3}, mine_c[3], threes_c[3] = {3, 3, 3}, large[8], value_c;
static MPI_Aint displs_c[3] = {0, 4, 8}, distances_c[3] = {0, 16, 32}, address, address2;
static const int three[1] = {3}, both[2] = {0, 1}, edges_to[3] = {1, 2, 3}, edges[3] = {1, 2, 0};
static MPI_Datatype types[3] = {MPI_DATATYPE_NULL}, type, type2;
static MPI_Request request, request2, aux;
static MPI_Message message;
static MPI_Status status;
static MPI_Op op;
static MPI_Info empty, info, info2;
static MPI_Win win, win2;
static MPI_File file;
static MPI_Errhandler errhandler;
static MPI_Offset offset;
static int fortran[64], f08[64];
static MPI_T_cvar_handle cvar;
static MPI_T_pvar_handle pvar;
static MPI_T_pvar_session pvars;
static MPI_T_enum enumeration;
static int value, number, flag, key, length, length2, error_class, error_code;
static void* pointer;
static long nobody[1000]; /* in place of an event: PyPI's MPICH has none, and does not check handles */
static int variable; /* a performance variable of no object, or none */
static MPI_T_enum choices = MPI_T_ENUM_NULL;

static void comm_error(MPI_Comm* which, int* error, ...) {}
static void win_error(MPI_Win* which, int* error, ...) {}
static void file_error(MPI_File* which, int* error, ...) {}
#ifdef HAS_SESSIONS
static MPI_Session session;
static void session_error(MPI_Session* which, int* error, ...) {}
#endif
static void add(void* left, void* right, int* elements, MPI_Datatype* datatype) {}
static int query(void* extra, MPI_Status* of) { return MPI_SUCCESS; }
static int release(void* extra) { return MPI_SUCCESS; }
static int cancel(void* extra, int complete) { return MPI_SUCCESS; }
static int extent(MPI_Datatype datatype, MPI_Aint* bytes, void* extra) { return MPI_SUCCESS; }

/* Open MPI has hundreds of them, MPICH of PyPI none. */
static int free_variable(void) {
    int variables, class, bind, names = sizeof text, descriptions = sizeof text2;
    PMPI_T_pvar_get_num(&variables);
    for (int index = 0; index < variables; ++index) {
        PMPI_T_pvar_get_info(index, text, &names, &value, &class, &type, &enumeration, text2, &descriptions, &bind,
                             &flag, &number, &value);
        if (bind == MPI_T_BIND_NO_OBJECT) return index;
    }
    return 1000000;
}

static MPI_T_enum first_choices(void) {
    int variables, bind, scope;
    PMPI_T_cvar_get_num(&variables);
    for (int index = 0; index < variables; ++index) {
        length = length2 = sizeof text;
        enumeration = MPI_T_ENUM_NULL;
        PMPI_T_cvar_get_info(index, text, &length, &value, &type, &enumeration, text2, &length2, &bind, &scope);
        if (enumeration != MPI_T_ENUM_NULL) break;
    }
    return enumeration;
}

/* The rank in the world before MPI knows it. */
static int launched_as(void) {
    const char* rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank != NULL ? rank : getenv("PMI_RANK");
    return rank != NULL ? atoi(rank) : 0;
}

static void died(int signal) {
    fprintf(stderr, "%s: signal %d\n", now, signal);
    _exit(1);
}

static void begin(const char* file_path) {
    int world;
    signal(SIGSEGV, died);
    signal(SIGABRT, died);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    strncpy(path, file_path, sizeof path - 1);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world, &comm);
    PMPI_Comm_rank(comm, &me);
    next = (me + 1) % 3;
    before = (me + 2) % 3;
    for (int rank = 0; rank < 3; ++rank) {
        mine[rank] = mine_c[rank] = me + 1;
        types[rank] = MPI_INT;
    }
    MPI_Cart_create(comm, 1, three, (int[]){1}, 0, &ring);
    variable = free_variable();
    choices = first_choices();
    PMPI_Info_create(&empty);
    PMPI_Buffer_attach(buffer, sizeof buffer);
}
