// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "wrap/communication/collectives.hpp"

#include "generated/wrappers.hpp"

namespace fairlead::wrapped {

int MPI_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
    Call call(Function::MPI_Accumulate);
    const int error = call.timed(next<decltype(MPI_Accumulate)>(Function::MPI_Accumulate)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
    Call call(Function::MPI_Accumulate_c);
    const int error = call.timed(next<decltype(MPI_Accumulate_c)>(Function::MPI_Accumulate_c)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Allgather);
    const int error = call.timed(next<decltype(MPI_Allgather)>(Function::MPI_Allgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)), each(group.peers, recvcount, recvtype));
    }
    return error;
}

int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Allgather_c);
    const int error = call.timed(next<decltype(MPI_Allgather_c)>(Function::MPI_Allgather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)), each(group.peers, recvcount, recvtype));
    }
    return error;
}

int MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Allgather_init);
    const int error = call.timed(next<decltype(MPI_Allgather_init)>(Function::MPI_Allgather_init)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Allgather_init_c);
    const int error = call.timed(next<decltype(MPI_Allgather_init_c)>(Function::MPI_Allgather_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Allgatherv);
    const int error = call.timed(next<decltype(MPI_Allgatherv)>(Function::MPI_Allgatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)), vector(group.peers, recvcounts, recvtype));
    }
    return error;
}

int MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Allgatherv_c);
    const int error = call.timed(next<decltype(MPI_Allgatherv_c)>(Function::MPI_Allgatherv_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)), vector(group.peers, recvcounts, recvtype));
    }
    return error;
}

int MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Allgatherv_init);
    const int error = call.timed(next<decltype(MPI_Allgatherv_init)>(Function::MPI_Allgatherv_init)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Allgatherv_init_c);
    const int error = call.timed(next<decltype(MPI_Allgatherv_init_c)>(Function::MPI_Allgatherv_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Allreduce);
    const int error = call.timed(next<decltype(MPI_Allreduce)>(Function::MPI_Allreduce)(sendbuf, recvbuf, count, datatype, op, comm));
    if (call.counts(error)) {
        collective(call, {comm}, bytes(count, datatype), bytes(count, datatype));
    }
    return error;
}

int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Allreduce_c);
    const int error = call.timed(next<decltype(MPI_Allreduce_c)>(Function::MPI_Allreduce_c)(sendbuf, recvbuf, count, datatype, op, comm));
    if (call.counts(error)) {
        collective(call, {comm}, bytes(count, datatype), bytes(count, datatype));
    }
    return error;
}

int MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Allreduce_init);
    const int error = call.timed(next<decltype(MPI_Allreduce_init)>(Function::MPI_Allreduce_init)(sendbuf, recvbuf, count, datatype, op, comm, info, request));
    if (call.counts(error)) {
        collective_when_started(call, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Allreduce_init_c);
    const int error = call.timed(next<decltype(MPI_Allreduce_init_c)>(Function::MPI_Allreduce_init_c)(sendbuf, recvbuf, count, datatype, op, comm, info, request));
    if (call.counts(error)) {
        collective_when_started(call, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Alltoall);
    const int error = call.timed(next<decltype(MPI_Alltoall)>(Function::MPI_Alltoall)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? each(group.peers, recvcount, recvtype) : each(group.peers, sendcount, sendtype)), each(group.peers, recvcount, recvtype));
    }
    return error;
}

int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Alltoall_c);
    const int error = call.timed(next<decltype(MPI_Alltoall_c)>(Function::MPI_Alltoall_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? each(group.peers, recvcount, recvtype) : each(group.peers, sendcount, sendtype)), each(group.peers, recvcount, recvtype));
    }
    return error;
}

int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Alltoall_init);
    const int error = call.timed(next<decltype(MPI_Alltoall_init)>(Function::MPI_Alltoall_init)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? each(group.peers, recvcount, recvtype) : each(group.peers, sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Alltoall_init_c);
    const int error = call.timed(next<decltype(MPI_Alltoall_init_c)>(Function::MPI_Alltoall_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? each(group.peers, recvcount, recvtype) : each(group.peers, sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Alltoallv);
    const int error = call.timed(next<decltype(MPI_Alltoallv)>(Function::MPI_Alltoallv)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtype) : vector(group.peers, sendcounts, sendtype)), vector(group.peers, recvcounts, recvtype));
    }
    return error;
}

int MPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Alltoallv_c);
    const int error = call.timed(next<decltype(MPI_Alltoallv_c)>(Function::MPI_Alltoallv_c)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtype) : vector(group.peers, sendcounts, sendtype)), vector(group.peers, recvcounts, recvtype));
    }
    return error;
}

int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Alltoallv_init);
    const int error = call.timed(next<decltype(MPI_Alltoallv_init)>(Function::MPI_Alltoallv_init)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtype) : vector(group.peers, sendcounts, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Alltoallv_init_c);
    const int error = call.timed(next<decltype(MPI_Alltoallv_init_c)>(Function::MPI_Alltoallv_init_c)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtype) : vector(group.peers, sendcounts, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    Call call(Function::MPI_Alltoallw);
    const int error = call.timed(next<decltype(MPI_Alltoallw)>(Function::MPI_Alltoallw)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtypes) : vector(group.peers, sendcounts, sendtypes)), vector(group.peers, recvcounts, recvtypes));
    }
    return error;
}

int MPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    Call call(Function::MPI_Alltoallw_c);
    const int error = call.timed(next<decltype(MPI_Alltoallw_c)>(Function::MPI_Alltoallw_c)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtypes) : vector(group.peers, sendcounts, sendtypes)), vector(group.peers, recvcounts, recvtypes));
    }
    return error;
}

int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Alltoallw_init);
    const int error = call.timed(next<decltype(MPI_Alltoallw_init)>(Function::MPI_Alltoallw_init)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtypes) : vector(group.peers, sendcounts, sendtypes)), vector(group.peers, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Alltoallw_init_c);
    const int error = call.timed(next<decltype(MPI_Alltoallw_init_c)>(Function::MPI_Alltoallw_init_c)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtypes) : vector(group.peers, sendcounts, sendtypes)), vector(group.peers, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Barrier(MPI_Comm comm) {
    Call call(Function::MPI_Barrier);
    const int error = call.timed(next<decltype(MPI_Barrier)>(Function::MPI_Barrier)(comm));
    if (call.counts(error)) {
        collective(call, {comm}, 0, 0);
    }
    return error;
}

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Barrier_init);
    const int error = call.timed(next<decltype(MPI_Barrier_init)>(Function::MPI_Barrier_init)(comm, info, request));
    if (call.counts(error)) {
        collective_when_started(call, 0, 0, *request);
    }
    return error;
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Bcast);
    const int error = call.timed(next<decltype(MPI_Bcast)>(Function::MPI_Bcast)(buffer, count, datatype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.root() ? bytes(count, datatype) : 0, part.others() ? bytes(count, datatype) : 0);
    }
    return error;
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Bcast_c);
    const int error = call.timed(next<decltype(MPI_Bcast_c)>(Function::MPI_Bcast_c)(buffer, count, datatype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.root() ? bytes(count, datatype) : 0, part.others() ? bytes(count, datatype) : 0);
    }
    return error;
}

int MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Bcast_init);
    const int error = call.timed(next<decltype(MPI_Bcast_init)>(Function::MPI_Bcast_init)(buffer, count, datatype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.root() ? bytes(count, datatype) : 0, part.others() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Bcast_init_c);
    const int error = call.timed(next<decltype(MPI_Bcast_init_c)>(Function::MPI_Bcast_init_c)(buffer, count, datatype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.root() ? bytes(count, datatype) : 0, part.others() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win) {
    Call call(Function::MPI_Compare_and_swap);
    const int error = call.timed(next<decltype(MPI_Compare_and_swap)>(Function::MPI_Compare_and_swap)(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(1, datatype), bytes(1, datatype));
    }
    return error;
}

int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Exscan);
    const int error = call.timed(next<decltype(MPI_Exscan)>(Function::MPI_Exscan)(sendbuf, recvbuf, count, datatype, op, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, bytes(count, datatype), group.rank > 0 ? bytes(count, datatype) : 0);
    }
    return error;
}

int MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Exscan_c);
    const int error = call.timed(next<decltype(MPI_Exscan_c)>(Function::MPI_Exscan_c)(sendbuf, recvbuf, count, datatype, op, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, bytes(count, datatype), group.rank > 0 ? bytes(count, datatype) : 0);
    }
    return error;
}

int MPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Exscan_init);
    const int error = call.timed(next<decltype(MPI_Exscan_init)>(Function::MPI_Exscan_init)(sendbuf, recvbuf, count, datatype, op, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, bytes(count, datatype), group.rank > 0 ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Exscan_init_c);
    const int error = call.timed(next<decltype(MPI_Exscan_init_c)>(Function::MPI_Exscan_init_c)(sendbuf, recvbuf, count, datatype, op, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, bytes(count, datatype), group.rank > 0 ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
    Call call(Function::MPI_Fetch_and_op);
    const int error = call.timed(next<decltype(MPI_Fetch_and_op)>(Function::MPI_Fetch_and_op)(origin_addr, result_addr, datatype, target_rank, target_disp, op, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, op == op_no_op() ? 0 : bytes(1, datatype), bytes(1, datatype));
    }
    return error;
}

int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Gather);
    const int error = call.timed(next<decltype(MPI_Gather)>(Function::MPI_Gather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? each(group.peers, recvcount, recvtype) : 0);
    }
    return error;
}

int MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Gather_c);
    const int error = call.timed(next<decltype(MPI_Gather_c)>(Function::MPI_Gather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? each(group.peers, recvcount, recvtype) : 0);
    }
    return error;
}

int MPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Gather_init);
    const int error = call.timed(next<decltype(MPI_Gather_init)>(Function::MPI_Gather_init)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.members() ? (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? each(group.peers, recvcount, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Gather_init_c);
    const int error = call.timed(next<decltype(MPI_Gather_init_c)>(Function::MPI_Gather_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.members() ? (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? each(group.peers, recvcount, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Gatherv);
    const int error = call.timed(next<decltype(MPI_Gatherv)>(Function::MPI_Gatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? vector(group.peers, recvcounts, recvtype) : 0);
    }
    return error;
}

int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Gatherv_c);
    const int error = call.timed(next<decltype(MPI_Gatherv_c)>(Function::MPI_Gatherv_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? vector(group.peers, recvcounts, recvtype) : 0);
    }
    return error;
}

int MPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Gatherv_init);
    const int error = call.timed(next<decltype(MPI_Gatherv_init)>(Function::MPI_Gatherv_init)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.members() ? (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? vector(group.peers, recvcounts, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Gatherv_init_c);
    const int error = call.timed(next<decltype(MPI_Gatherv_init_c)>(Function::MPI_Gatherv_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.members() ? (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? vector(group.peers, recvcounts, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
    Call call(Function::MPI_Get);
    const int error = call.timed(next<decltype(MPI_Get)>(Function::MPI_Get)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, 0, bytes(origin_count, origin_datatype));
    }
    return error;
}

int MPI_Get_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
    Call call(Function::MPI_Get_accumulate);
    const int error = call.timed(next<decltype(MPI_Get_accumulate)>(Function::MPI_Get_accumulate)(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, op == op_no_op() ? 0 : bytes(origin_count, origin_datatype), bytes(result_count, result_datatype));
    }
    return error;
}

int MPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
    Call call(Function::MPI_Get_accumulate_c);
    const int error = call.timed(next<decltype(MPI_Get_accumulate_c)>(Function::MPI_Get_accumulate_c)(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, op == op_no_op() ? 0 : bytes(origin_count, origin_datatype), bytes(result_count, result_datatype));
    }
    return error;
}

int MPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
    Call call(Function::MPI_Get_c);
    const int error = call.timed(next<decltype(MPI_Get_c)>(Function::MPI_Get_c)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, 0, bytes(origin_count, origin_datatype));
    }
    return error;
}

int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iallgather);
    const int error = call.timed(next<decltype(MPI_Iallgather)>(Function::MPI_Iallgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iallgather_c);
    const int error = call.timed(next<decltype(MPI_Iallgather_c)>(Function::MPI_Iallgather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iallgatherv);
    const int error = call.timed(next<decltype(MPI_Iallgatherv)>(Function::MPI_Iallgatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iallgatherv_c);
    const int error = call.timed(next<decltype(MPI_Iallgatherv_c)>(Function::MPI_Iallgatherv_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iallreduce);
    const int error = call.timed(next<decltype(MPI_Iallreduce)>(Function::MPI_Iallreduce)(sendbuf, recvbuf, count, datatype, op, comm, request));
    if (call.counts(error)) {
        collective_meanwhile(call, {comm}, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iallreduce_c);
    const int error = call.timed(next<decltype(MPI_Iallreduce_c)>(Function::MPI_Iallreduce_c)(sendbuf, recvbuf, count, datatype, op, comm, request));
    if (call.counts(error)) {
        collective_meanwhile(call, {comm}, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ialltoall);
    const int error = call.timed(next<decltype(MPI_Ialltoall)>(Function::MPI_Ialltoall)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? each(group.peers, recvcount, recvtype) : each(group.peers, sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ialltoall_c);
    const int error = call.timed(next<decltype(MPI_Ialltoall_c)>(Function::MPI_Ialltoall_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? each(group.peers, recvcount, recvtype) : each(group.peers, sendcount, sendtype)), each(group.peers, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ialltoallv);
    const int error = call.timed(next<decltype(MPI_Ialltoallv)>(Function::MPI_Ialltoallv)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtype) : vector(group.peers, sendcounts, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ialltoallv_c);
    const int error = call.timed(next<decltype(MPI_Ialltoallv_c)>(Function::MPI_Ialltoallv_c)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtype) : vector(group.peers, sendcounts, sendtype)), vector(group.peers, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ialltoallw);
    const int error = call.timed(next<decltype(MPI_Ialltoallw)>(Function::MPI_Ialltoallw)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtypes) : vector(group.peers, sendcounts, sendtypes)), vector(group.peers, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ialltoallw_c);
    const int error = call.timed(next<decltype(MPI_Ialltoallw_c)>(Function::MPI_Ialltoallw_c)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, (sendbuf == MPI_IN_PLACE ? vector(group.peers, recvcounts, recvtypes) : vector(group.peers, sendcounts, sendtypes)), vector(group.peers, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibarrier);
    const int error = call.timed(next<decltype(MPI_Ibarrier)>(Function::MPI_Ibarrier)(comm, request));
    if (call.counts(error)) {
        collective_meanwhile(call, {comm}, 0, 0, *request);
    }
    return error;
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibcast);
    const int error = call.timed(next<decltype(MPI_Ibcast)>(Function::MPI_Ibcast)(buffer, count, datatype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.root() ? bytes(count, datatype) : 0, part.others() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibcast_c);
    const int error = call.timed(next<decltype(MPI_Ibcast_c)>(Function::MPI_Ibcast_c)(buffer, count, datatype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.root() ? bytes(count, datatype) : 0, part.others() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iexscan);
    const int error = call.timed(next<decltype(MPI_Iexscan)>(Function::MPI_Iexscan)(sendbuf, recvbuf, count, datatype, op, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, bytes(count, datatype), group.rank > 0 ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iexscan_c);
    const int error = call.timed(next<decltype(MPI_Iexscan_c)>(Function::MPI_Iexscan_c)(sendbuf, recvbuf, count, datatype, op, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, bytes(count, datatype), group.rank > 0 ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Igather);
    const int error = call.timed(next<decltype(MPI_Igather)>(Function::MPI_Igather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? each(group.peers, recvcount, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Igather_c);
    const int error = call.timed(next<decltype(MPI_Igather_c)>(Function::MPI_Igather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? each(group.peers, recvcount, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Igatherv);
    const int error = call.timed(next<decltype(MPI_Igatherv)>(Function::MPI_Igatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? vector(group.peers, recvcounts, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Igatherv_c);
    const int error = call.timed(next<decltype(MPI_Igatherv_c)>(Function::MPI_Igatherv_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.members() ? (sendbuf == MPI_IN_PLACE ? own(group, recvcounts, recvtype) : bytes(sendcount, sendtype)) : 0, part.root() ? vector(group.peers, recvcounts, recvtype) : 0, *request);
    }
    return error;
}

int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_allgather);
    const int error = call.timed(next<decltype(MPI_Ineighbor_allgather)>(Function::MPI_Ineighbor_allgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_allgather_c);
    const int error = call.timed(next<decltype(MPI_Ineighbor_allgather_c)>(Function::MPI_Ineighbor_allgather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_allgatherv);
    const int error = call.timed(next<decltype(MPI_Ineighbor_allgatherv)>(Function::MPI_Ineighbor_allgatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_allgatherv_c);
    const int error = call.timed(next<decltype(MPI_Ineighbor_allgatherv_c)>(Function::MPI_Ineighbor_allgatherv_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_alltoall);
    const int error = call.timed(next<decltype(MPI_Ineighbor_alltoall)>(Function::MPI_Ineighbor_alltoall)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, each(near.out, sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_alltoall_c);
    const int error = call.timed(next<decltype(MPI_Ineighbor_alltoall_c)>(Function::MPI_Ineighbor_alltoall_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, each(near.out, sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_alltoallv);
    const int error = call.timed(next<decltype(MPI_Ineighbor_alltoallv)>(Function::MPI_Ineighbor_alltoallv)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_alltoallv_c);
    const int error = call.timed(next<decltype(MPI_Ineighbor_alltoallv_c)>(Function::MPI_Ineighbor_alltoallv_c)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_alltoallw);
    const int error = call.timed(next<decltype(MPI_Ineighbor_alltoallw)>(Function::MPI_Ineighbor_alltoallw)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtypes), vector(near.in, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ineighbor_alltoallw_c);
    const int error = call.timed(next<decltype(MPI_Ineighbor_alltoallw_c)>(Function::MPI_Ineighbor_alltoallw_c)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_meanwhile(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtypes), vector(near.in, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ireduce);
    const int error = call.timed(next<decltype(MPI_Ireduce)>(Function::MPI_Ireduce)(sendbuf, recvbuf, count, datatype, op, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.members() ? bytes(count, datatype) : 0, part.root() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ireduce_c);
    const int error = call.timed(next<decltype(MPI_Ireduce_c)>(Function::MPI_Ireduce_c)(sendbuf, recvbuf, count, datatype, op, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.members() ? bytes(count, datatype) : 0, part.root() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ireduce_scatter);
    const int error = call.timed(next<decltype(MPI_Ireduce_scatter)>(Function::MPI_Ireduce_scatter)(sendbuf, recvbuf, recvcounts, datatype, op, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, vector(group.size, recvcounts, datatype), own(group, recvcounts, datatype), *request);
    }
    return error;
}

int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ireduce_scatter_block);
    const int error = call.timed(next<decltype(MPI_Ireduce_scatter_block)>(Function::MPI_Ireduce_scatter_block)(sendbuf, recvbuf, recvcount, datatype, op, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, each(group.size, recvcount, datatype), bytes(recvcount, datatype), *request);
    }
    return error;
}

int MPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ireduce_scatter_block_c);
    const int error = call.timed(next<decltype(MPI_Ireduce_scatter_block_c)>(Function::MPI_Ireduce_scatter_block_c)(sendbuf, recvbuf, recvcount, datatype, op, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, each(group.size, recvcount, datatype), bytes(recvcount, datatype), *request);
    }
    return error;
}

int MPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ireduce_scatter_c);
    const int error = call.timed(next<decltype(MPI_Ireduce_scatter_c)>(Function::MPI_Ireduce_scatter_c)(sendbuf, recvbuf, recvcounts, datatype, op, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_meanwhile(call, {comm}, vector(group.size, recvcounts, datatype), own(group, recvcounts, datatype), *request);
    }
    return error;
}

int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iscan);
    const int error = call.timed(next<decltype(MPI_Iscan)>(Function::MPI_Iscan)(sendbuf, recvbuf, count, datatype, op, comm, request));
    if (call.counts(error)) {
        collective_meanwhile(call, {comm}, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iscan_c);
    const int error = call.timed(next<decltype(MPI_Iscan_c)>(Function::MPI_Iscan_c)(sendbuf, recvbuf, count, datatype, op, comm, request));
    if (call.counts(error)) {
        collective_meanwhile(call, {comm}, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iscatter);
    const int error = call.timed(next<decltype(MPI_Iscatter)>(Function::MPI_Iscatter)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.root() ? each(group.peers, sendcount, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iscatter_c);
    const int error = call.timed(next<decltype(MPI_Iscatter_c)>(Function::MPI_Iscatter_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.root() ? each(group.peers, sendcount, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iscatterv);
    const int error = call.timed(next<decltype(MPI_Iscatterv)>(Function::MPI_Iscatterv)(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.root() ? vector(group.peers, sendcounts, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? own(group, sendcounts, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Iscatterv_c);
    const int error = call.timed(next<decltype(MPI_Iscatterv_c)>(Function::MPI_Iscatterv_c)(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_meanwhile(call, {comm, root}, part.root() ? vector(group.peers, sendcounts, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? own(group, sendcounts, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_allgather);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgather)>(Function::MPI_Neighbor_allgather)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), each(near.in, recvcount, recvtype));
    }
    return error;
}

int MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_allgather_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgather_c)>(Function::MPI_Neighbor_allgather_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), each(near.in, recvcount, recvtype));
    }
    return error;
}

int MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_allgather_init);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgather_init)>(Function::MPI_Neighbor_allgather_init)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, bytes(sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_allgather_init_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgather_init_c)>(Function::MPI_Neighbor_allgather_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, bytes(sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_allgatherv);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgatherv)>(Function::MPI_Neighbor_allgatherv)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), vector(near.in, recvcounts, recvtype));
    }
    return error;
}

int MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_allgatherv_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgatherv_c)>(Function::MPI_Neighbor_allgatherv_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, bytes(sendcount, sendtype), vector(near.in, recvcounts, recvtype));
    }
    return error;
}

int MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_allgatherv_init);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgatherv_init)>(Function::MPI_Neighbor_allgatherv_init)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, bytes(sendcount, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_allgatherv_init_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_allgatherv_init_c)>(Function::MPI_Neighbor_allgatherv_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, bytes(sendcount, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_alltoall);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoall)>(Function::MPI_Neighbor_alltoall)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, each(near.out, sendcount, sendtype), each(near.in, recvcount, recvtype));
    }
    return error;
}

int MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_alltoall_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoall_c)>(Function::MPI_Neighbor_alltoall_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, each(near.out, sendcount, sendtype), each(near.in, recvcount, recvtype));
    }
    return error;
}

int MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_alltoall_init);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoall_init)>(Function::MPI_Neighbor_alltoall_init)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, each(near.out, sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_alltoall_init_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoall_init_c)>(Function::MPI_Neighbor_alltoall_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, each(near.out, sendcount, sendtype), each(near.in, recvcount, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_alltoallv);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallv)>(Function::MPI_Neighbor_alltoallv)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtype), vector(near.in, recvcounts, recvtype));
    }
    return error;
}

int MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_alltoallv_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallv_c)>(Function::MPI_Neighbor_alltoallv_c)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtype), vector(near.in, recvcounts, recvtype));
    }
    return error;
}

int MPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_alltoallv_init);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallv_init)>(Function::MPI_Neighbor_alltoallv_init)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, vector(near.out, sendcounts, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_alltoallv_init_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallv_init_c)>(Function::MPI_Neighbor_alltoallv_init_c)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, vector(near.out, sendcounts, sendtype), vector(near.in, recvcounts, recvtype), *request);
    }
    return error;
}

int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_alltoallw);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallw)>(Function::MPI_Neighbor_alltoallw)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtypes), vector(near.in, recvcounts, recvtypes));
    }
    return error;
}

int MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
    Call call(Function::MPI_Neighbor_alltoallw_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallw_c)>(Function::MPI_Neighbor_alltoallw_c)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective(call, {comm, MPI_PROC_NULL, false}, vector(near.out, sendcounts, sendtypes), vector(near.in, recvcounts, recvtypes));
    }
    return error;
}

int MPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_alltoallw_init);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallw_init)>(Function::MPI_Neighbor_alltoallw_init)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, vector(near.out, sendcounts, sendtypes), vector(near.in, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Neighbor_alltoallw_init_c);
    const int error = call.timed(next<decltype(MPI_Neighbor_alltoallw_init_c)>(Function::MPI_Neighbor_alltoallw_init_c)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, info, request));
    if (call.counts(error)) {
        const Neighbors near = neighbors(comm);
        collective_when_started(call, vector(near.out, sendcounts, sendtypes), vector(near.in, recvcounts, recvtypes), *request);
    }
    return error;
}

int MPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
    Call call(Function::MPI_Put);
    const int error = call.timed(next<decltype(MPI_Put)>(Function::MPI_Put)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
    Call call(Function::MPI_Put_c);
    const int error = call.timed(next<decltype(MPI_Put_c)>(Function::MPI_Put_c)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Raccumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Raccumulate);
    const int error = call.timed(next<decltype(MPI_Raccumulate)>(Function::MPI_Raccumulate)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Raccumulate_c);
    const int error = call.timed(next<decltype(MPI_Raccumulate_c)>(Function::MPI_Raccumulate_c)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    Call call(Function::MPI_Reduce);
    const int error = call.timed(next<decltype(MPI_Reduce)>(Function::MPI_Reduce)(sendbuf, recvbuf, count, datatype, op, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.members() ? bytes(count, datatype) : 0, part.root() ? bytes(count, datatype) : 0);
    }
    return error;
}

int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
    Call call(Function::MPI_Reduce_c);
    const int error = call.timed(next<decltype(MPI_Reduce_c)>(Function::MPI_Reduce_c)(sendbuf, recvbuf, count, datatype, op, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.members() ? bytes(count, datatype) : 0, part.root() ? bytes(count, datatype) : 0);
    }
    return error;
}

int MPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Reduce_init);
    const int error = call.timed(next<decltype(MPI_Reduce_init)>(Function::MPI_Reduce_init)(sendbuf, recvbuf, count, datatype, op, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.members() ? bytes(count, datatype) : 0, part.root() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Reduce_init_c);
    const int error = call.timed(next<decltype(MPI_Reduce_init_c)>(Function::MPI_Reduce_init_c)(sendbuf, recvbuf, count, datatype, op, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.members() ? bytes(count, datatype) : 0, part.root() ? bytes(count, datatype) : 0, *request);
    }
    return error;
}

int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Reduce_scatter);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter)>(Function::MPI_Reduce_scatter)(sendbuf, recvbuf, recvcounts, datatype, op, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, vector(group.size, recvcounts, datatype), own(group, recvcounts, datatype));
    }
    return error;
}

int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Reduce_scatter_block);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_block)>(Function::MPI_Reduce_scatter_block)(sendbuf, recvbuf, recvcount, datatype, op, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, each(group.size, recvcount, datatype), bytes(recvcount, datatype));
    }
    return error;
}

int MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Reduce_scatter_block_c);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_block_c)>(Function::MPI_Reduce_scatter_block_c)(sendbuf, recvbuf, recvcount, datatype, op, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, each(group.size, recvcount, datatype), bytes(recvcount, datatype));
    }
    return error;
}

int MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Reduce_scatter_block_init);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_block_init)>(Function::MPI_Reduce_scatter_block_init)(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, each(group.size, recvcount, datatype), bytes(recvcount, datatype), *request);
    }
    return error;
}

int MPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Reduce_scatter_block_init_c);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_block_init_c)>(Function::MPI_Reduce_scatter_block_init_c)(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, each(group.size, recvcount, datatype), bytes(recvcount, datatype), *request);
    }
    return error;
}

int MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Reduce_scatter_c);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_c)>(Function::MPI_Reduce_scatter_c)(sendbuf, recvbuf, recvcounts, datatype, op, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective(call, {comm}, vector(group.size, recvcounts, datatype), own(group, recvcounts, datatype));
    }
    return error;
}

int MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Reduce_scatter_init);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_init)>(Function::MPI_Reduce_scatter_init)(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, vector(group.size, recvcounts, datatype), own(group, recvcounts, datatype), *request);
    }
    return error;
}

int MPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Reduce_scatter_init_c);
    const int error = call.timed(next<decltype(MPI_Reduce_scatter_init_c)>(Function::MPI_Reduce_scatter_init_c)(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        collective_when_started(call, vector(group.size, recvcounts, datatype), own(group, recvcounts, datatype), *request);
    }
    return error;
}

int MPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Rget);
    const int error = call.timed(next<decltype(MPI_Rget)>(Function::MPI_Rget)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, 0, bytes(origin_count, origin_datatype));
    }
    return error;
}

int MPI_Rget_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Rget_accumulate);
    const int error = call.timed(next<decltype(MPI_Rget_accumulate)>(Function::MPI_Rget_accumulate)(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, op == op_no_op() ? 0 : bytes(origin_count, origin_datatype), bytes(result_count, result_datatype));
    }
    return error;
}

int MPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Rget_accumulate_c);
    const int error = call.timed(next<decltype(MPI_Rget_accumulate_c)>(Function::MPI_Rget_accumulate_c)(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, op == op_no_op() ? 0 : bytes(origin_count, origin_datatype), bytes(result_count, result_datatype));
    }
    return error;
}

int MPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Rget_c);
    const int error = call.timed(next<decltype(MPI_Rget_c)>(Function::MPI_Rget_c)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, 0, bytes(origin_count, origin_datatype));
    }
    return error;
}

int MPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Rput);
    const int error = call.timed(next<decltype(MPI_Rput)>(Function::MPI_Rput)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Rput_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
    Call call(Function::MPI_Rput_c);
    const int error = call.timed(next<decltype(MPI_Rput_c)>(Function::MPI_Rput_c)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win, request));
    if (call.counts(error)) {
        one_sided(call, target_rank, bytes(origin_count, origin_datatype), 0);
    }
    return error;
}

int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Scan);
    const int error = call.timed(next<decltype(MPI_Scan)>(Function::MPI_Scan)(sendbuf, recvbuf, count, datatype, op, comm));
    if (call.counts(error)) {
        collective(call, {comm}, bytes(count, datatype), bytes(count, datatype));
    }
    return error;
}

int MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    Call call(Function::MPI_Scan_c);
    const int error = call.timed(next<decltype(MPI_Scan_c)>(Function::MPI_Scan_c)(sendbuf, recvbuf, count, datatype, op, comm));
    if (call.counts(error)) {
        collective(call, {comm}, bytes(count, datatype), bytes(count, datatype));
    }
    return error;
}

int MPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Scan_init);
    const int error = call.timed(next<decltype(MPI_Scan_init)>(Function::MPI_Scan_init)(sendbuf, recvbuf, count, datatype, op, comm, info, request));
    if (call.counts(error)) {
        collective_when_started(call, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Scan_init_c);
    const int error = call.timed(next<decltype(MPI_Scan_init_c)>(Function::MPI_Scan_init_c)(sendbuf, recvbuf, count, datatype, op, comm, info, request));
    if (call.counts(error)) {
        collective_when_started(call, bytes(count, datatype), bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Scatter);
    const int error = call.timed(next<decltype(MPI_Scatter)>(Function::MPI_Scatter)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.root() ? each(group.peers, sendcount, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype)) : 0);
    }
    return error;
}

int MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Scatter_c);
    const int error = call.timed(next<decltype(MPI_Scatter_c)>(Function::MPI_Scatter_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.root() ? each(group.peers, sendcount, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype)) : 0);
    }
    return error;
}

int MPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Scatter_init);
    const int error = call.timed(next<decltype(MPI_Scatter_init)>(Function::MPI_Scatter_init)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.root() ? each(group.peers, sendcount, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Scatter_init_c);
    const int error = call.timed(next<decltype(MPI_Scatter_init_c)>(Function::MPI_Scatter_init_c)(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.root() ? each(group.peers, sendcount, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? bytes(sendcount, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Scatterv);
    const int error = call.timed(next<decltype(MPI_Scatterv)>(Function::MPI_Scatterv)(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.root() ? vector(group.peers, sendcounts, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? own(group, sendcounts, sendtype) : bytes(recvcount, recvtype)) : 0);
    }
    return error;
}

int MPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
    Call call(Function::MPI_Scatterv_c);
    const int error = call.timed(next<decltype(MPI_Scatterv_c)>(Function::MPI_Scatterv_c)(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective(call, {comm, root}, part.root() ? vector(group.peers, sendcounts, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? own(group, sendcounts, sendtype) : bytes(recvcount, recvtype)) : 0);
    }
    return error;
}

int MPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Scatterv_init);
    const int error = call.timed(next<decltype(MPI_Scatterv_init)>(Function::MPI_Scatterv_init)(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.root() ? vector(group.peers, sendcounts, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? own(group, sendcounts, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

int MPI_Scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Scatterv_init_c);
    const int error = call.timed(next<decltype(MPI_Scatterv_init_c)>(Function::MPI_Scatterv_init_c)(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request));
    if (call.counts(error)) {
        const Communicator& group = communicator(comm);
        const Part part(group, root);
        collective_when_started(call, part.root() ? vector(group.peers, sendcounts, sendtype) : 0, part.members() ? (recvbuf == MPI_IN_PLACE ? own(group, sendcounts, sendtype) : bytes(recvcount, recvtype)) : 0, *request);
    }
    return error;
}

}  // namespace fairlead::wrapped
