/* Rank 1 waits for rank 0, or rank 0 for rank 1, in every way, for a quarter of a second each. The tag says which. */
#include <mpi.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { SECTIONS = 23, AT_ONCE = 21, OTHER = 99 };
static int rank;
static char data[1 << 22];

static void late(void) { usleep(250000); }

static void work(void) {
    clock_t end = clock() + CLOCKS_PER_SEC / 200; /* 5 ms of this process */
    while (clock() < end) {
    }
}

static void work_in_mpi(void) {
    const int half = sizeof data / 2;
    double end = MPI_Wtime() + 0.5;
    while (MPI_Wtime() < end) {
        int position = 0;
        MPI_Reduce_local(data, data + half, half, MPI_BYTE, MPI_BOR);
        MPI_Pack(data, half, MPI_BYTE, data + half, half, &position, MPI_COMM_WORLD);
    }
}

static void section(int tag) {
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;
    int flag = 0, index, indices[2];
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        if (tag == 2) {
            MPI_Ssend(data, 8, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
        } else if (tag == 10) {
            MPI_Issend(data, 8, MPI_CHAR, 1, tag, MPI_COMM_WORLD, requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
        } else {
            if (tag != 11 && tag < AT_ONCE) late();
            MPI_Send(data, tag == 12 ? sizeof data : 8, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
        }
        return;
    }
    if (rank != 1) {
        if (tag == 9) MPI_Send(data, 8, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
        return;
    }
    switch (tag) {
        case 1:
        case 12:
            MPI_Recv(data, sizeof data, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 2: /* the receiver is late */
        case 10:
        case 11: /* and a small message does not wait for it */
            late();
            MPI_Recv(data, 8, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 3: /* polling */
            MPI_Irecv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, requests);
            while (MPI_Test(requests, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            break;
        case 4: /* working between the tests */
            MPI_Irecv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, requests);
            while (MPI_Test(requests, &flag, MPI_STATUS_IGNORE), !flag) work();
            break;
        case 5:
            MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
            MPI_Recv(data, 8, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 6:
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 7:
            MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(data, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
            break;
        case 8: /* not waiting: it works first */
            MPI_Irecv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, requests);
            late();
            late();
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            break;
        case 9: /* for the later of two */
            MPI_Irecv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(data + 8, 8, MPI_CHAR, 2, tag, MPI_COMM_WORLD, &requests[1]);
            while (MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE), !flag || index != MPI_UNDEFINED) sched_yield();
            break;
        case 13: /* working between the probes */
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) work();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 14:
            while (MPI_Improbe(0, tag, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE), !flag) work();
            MPI_Mrecv(data, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
            break;
        case 15: /* not waiting: it had asked for another message */
            MPI_Iprobe(0, OTHER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            late();
            late();
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 16: /* nor here: it has received another one since it had asked */
            MPI_Irecv(data, 8, MPI_CHAR, 1, OTHER, MPI_COMM_WORLD, requests);
            MPI_Send(data + 8, 8, MPI_CHAR, 1, OTHER, MPI_COMM_WORLD);
            MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            late();
            late();
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 17: /* polling for two messages in turn */
            while (MPI_Iprobe(0, OTHER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE),
                   MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 18: /* polling until a time, with what else is asked in such loops */
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) {
                MPI_Wtime();
                MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                sched_yield();
                MPI_Initialized(&flag);
            }
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 19: /* polling for a message and for requests, of which there are none */
            requests[0] = requests[1] = MPI_REQUEST_NULL;
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) {
                sched_yield();
                MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
                MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
                MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
                MPI_Testsome(2, requests, &index, indices, MPI_STATUSES_IGNORE);
                sched_yield();
            }
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 20: /* not waiting: between the probes it works, in MPI */
            MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            work_in_mpi();
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 21: /* nor here: it works when it has found it */
            while (MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), !flag) sched_yield();
            late();
            MPI_Recv(data, 8, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case 22:
            MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            late();
            MPI_Mrecv(data, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
            break;
        case 23:
            MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            late();
            MPI_Imrecv(data, 8, MPI_CHAR, &message, requests);
            MPI_Wait(requests, MPI_STATUS_IGNORE);
            break;
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 1; tag <= SECTIONS; ++tag) section(tag);
    MPI_Finalize();
    return 0;
}
