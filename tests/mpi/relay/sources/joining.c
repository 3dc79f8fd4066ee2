// SPDX-License-Identifier: Apache-2.0
// Processes beside MPI_COMM_WORLD. "spawn": two parents start a child, send, receive, and call collectively with it.
// "merge": they make communicators with a child that is not preloaded, of what joins them. "connect": rank 1 connects to rank 0, which accepts. "session": a communicator of a session's, before MPI_Init.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

#define NEED(holds)                                                       \
    do {                                                                  \
        if (!(holds)) {                                                   \
            fprintf(stderr, "rank %d: %s does not hold\n", rank, #holds); \
            MPI_Abort(MPI_COMM_WORLD, 1);                                 \
        }                                                                 \
    } while (0)

static void exchange(MPI_Comm other, int parents) {
    int got = -1, size;
    char large[200000];
    MPI_Comm_remote_size(other, &size);
    for (int peer = 0; peer < size; ++peer) {
        MPI_Request request;
        memset(large, 7, sizeof large);
        MPI_Isend(large, sizeof large, MPI_CHAR, peer, 1, other, &request);
        static char in[200000];
        MPI_Recv(in, sizeof in, MPI_CHAR, peer, 1, other, MPI_STATUS_IGNORE);
        NEED(in[0] == 7 && in[199999] == 7);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int value = parents ? 42 : -1;
    MPI_Bcast(&value, 1, MPI_INT, parents ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, other);
    NEED(value == 42);
    MPI_Barrier(other);
    MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_MAX, other);
    NEED(got == size - 1);
}

static void spawn(char* program, MPI_Comm parent) {
    MPI_Comm other = parent;
    if (parent == MPI_COMM_NULL) {
        char* arguments[] = {"spawn", NULL};
        MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    }
    exchange(other, parent == MPI_COMM_NULL);
    MPI_Comm_disconnect(&other);
}

/// Everybody in it sends to everybody, and hears how many there are.
static void use(MPI_Comm comm, int members) {
    int own, size, sum = 0;
    const int one = 1;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size);
    NEED(size == members);
    for (int distance = 0; distance < size; ++distance) {
        const int to = (own + distance) % size, from = (own + size - distance) % size;
        int got = -1;
        MPI_Sendrecv(&own, 1, MPI_INT, to, 3, &got, 1, MPI_INT, from, 3, comm, MPI_STATUS_IGNORE);
        NEED(got == from);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    NEED(sum == size);
    MPI_Barrier(comm);
}

static void use_and_free(MPI_Comm comm, int members) {
    use(comm, members);
    MPI_Comm_free(&comm);
}

/// `all`: two parents and a child, in this order.
static void make_of(MPI_Comm all, int parents) {
    const int ends[] = {0, 2}, three = 3, periodic = 1;
    int own;
    MPI_Comm made, mixed, between;
    MPI_Group group, some;
    MPI_Comm_rank(all, &own);
    MPI_Comm_dup(all, &made);
    use_and_free(made, 3);
    MPI_Comm_split(all, 0, -own, &made);
    use_and_free(made, 3);
    MPI_Cart_create(all, 1, &three, &periodic, 0, &made);
    use_and_free(made, 3);
    MPI_Comm_group(all, &group);
    MPI_Comm_create_group(all, group, 4, &made);
    use_and_free(made, 3);
    MPI_Group_incl(group, 2, ends, &some);
    if (own != 1) {
        MPI_Comm_create_group(all, some, 5, &made);
        use_and_free(made, 2);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&group);
    // The parents alone; and between groups of which one has both kinds of processes.
    MPI_Comm_split(all, parents, own, &made);
    use_and_free(made, parents ? 2 : 1);
    MPI_Comm_split(all, own == 1, own, &mixed);
    MPI_Intercomm_create(mixed, 0, all, own == 1 ? 0 : 1, 6, &between);
    MPI_Barrier(between);
    MPI_Intercomm_merge(between, own == 1, &made);
    use_and_free(made, 3);
    MPI_Comm_free(&between);
    MPI_Comm_free(&mixed);
}

static void merge(char* program, MPI_Comm parent) {
    const int parents = parent == MPI_COMM_NULL;
    MPI_Comm other = parent, copy, all;
    if (parents) {
        char* arguments[] = {"-u", "LD_PRELOAD", program, "merge", NULL};
        MPI_Comm_spawn("/usr/bin/env", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    }
    MPI_Comm_dup(other, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Intercomm_merge(other, !parents, &all);
    use(all, 3);
    make_of(all, parents);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&other);
}

static void join(void) {
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    } else {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    }
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 2, &got, 1, MPI_INT, 0, 2, other, MPI_STATUS_IGNORE);
    NEED(got == 1 - rank);
    MPI_Comm_disconnect(&other);
}

static void session_first(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    MPI_Session session;
    MPI_Group all;
    MPI_Comm own;
    int got = -1, size;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Comm_create_from_group(all, "own", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 2, &got, 1, MPI_INT, (rank + size - 1) % size, 2, own,
                 MPI_STATUS_IGNORE);
    NEED(got == (rank + size - 1) % size);
    MPI_Barrier(own);
    MPI_Group_free(&all);
    MPI_Comm_free(&own);
    MPI_Session_finalize(&session);
#endif
}

int main(int argc, char** argv) {
    if (strcmp(argv[1], "session") == 0) {
        session_first();
        return 0;
    }
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (strcmp(argv[1], "spawn") == 0) spawn(argv[0], parent);
    if (strcmp(argv[1], "merge") == 0) merge(argv[0], parent);
    if (strcmp(argv[1], "connect") == 0) join();
    MPI_Finalize();
    return 0;
}
