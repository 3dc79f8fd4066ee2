// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "wrap/messages.hpp"

#include "generated/wrappers.hpp"

namespace fairlead::wrapped {

int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Bsend);
    const int error = call.timed(next<decltype(MPI_Bsend)>(Function::MPI_Bsend)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Bsend_c);
    const int error = call.timed(next<decltype(MPI_Bsend_c)>(Function::MPI_Bsend_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Bsend_init);
    const int error = call.timed(next<decltype(MPI_Bsend_init)>(Function::MPI_Bsend_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Bsend_init_c);
    const int error = call.timed(next<decltype(MPI_Bsend_init_c)>(Function::MPI_Bsend_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
    Call call(Function::MPI_Comm_disconnect);
    forget_communicator(*comm);
    return call.timed(next<decltype(MPI_Comm_disconnect)>(Function::MPI_Comm_disconnect)(comm));
}

int MPI_Comm_free(MPI_Comm* comm) {
    Call call(Function::MPI_Comm_free);
    forget_communicator(*comm);
    return call.timed(next<decltype(MPI_Comm_free)>(Function::MPI_Comm_free)(comm));
}

int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibsend);
    const int error = call.timed(next<decltype(MPI_Ibsend)>(Function::MPI_Ibsend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibsend_c);
    const int error = call.timed(next<decltype(MPI_Ibsend_c)>(Function::MPI_Ibsend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Improbe);
    const int error = call.timed(next<decltype(MPI_Improbe)>(Function::MPI_Improbe)(source, tag, comm, flag, message, status));
    if (call.counts(error)) {
        if (*flag) matched(comm, *message);
    }
    return error;
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    Call call(Function::MPI_Imrecv);
    const Match match = take_match(*message);
    const int error = call.timed(next<decltype(MPI_Imrecv)>(Function::MPI_Imrecv)(buf, count, datatype, message, request));
    if (call.counts(error)) {
        receive_later(call, match, *request);
    }
    return error;
}

int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    Call call(Function::MPI_Imrecv_c);
    const Match match = take_match(*message);
    const int error = call.timed(next<decltype(MPI_Imrecv_c)>(Function::MPI_Imrecv_c)(buf, count, datatype, message, request));
    if (call.counts(error)) {
        receive_later(call, match, *request);
    }
    return error;
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irecv);
    const int error = call.timed(next<decltype(MPI_Irecv)>(Function::MPI_Irecv)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_later(call, comm, source, *request);
    }
    return error;
}

int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irecv_c);
    const int error = call.timed(next<decltype(MPI_Irecv_c)>(Function::MPI_Irecv_c)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_later(call, comm, source, *request);
    }
    return error;
}

int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irsend);
    const int error = call.timed(next<decltype(MPI_Irsend)>(Function::MPI_Irsend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irsend_c);
    const int error = call.timed(next<decltype(MPI_Irsend_c)>(Function::MPI_Irsend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isend);
    const int error = call.timed(next<decltype(MPI_Isend)>(Function::MPI_Isend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isend_c);
    const int error = call.timed(next<decltype(MPI_Isend_c)>(Function::MPI_Isend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv);
    const int error = call.timed(next<decltype(MPI_Isendrecv)>(Function::MPI_Isendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(sendcount, sendtype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, *request);
    }
    return error;
}

int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv_c);
    const int error = call.timed(next<decltype(MPI_Isendrecv_c)>(Function::MPI_Isendrecv_c)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(sendcount, sendtype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, *request);
    }
    return error;
}

int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv_replace);
    const int error = call.timed(next<decltype(MPI_Isendrecv_replace)>(Function::MPI_Isendrecv_replace)(buf, count, datatype, dest, sendtag, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, *request);
    }
    return error;
}

int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv_replace_c);
    const int error = call.timed(next<decltype(MPI_Isendrecv_replace_c)>(Function::MPI_Isendrecv_replace_c)(buf, count, datatype, dest, sendtag, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, *request);
    }
    return error;
}

int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Issend);
    const int error = call.timed(next<decltype(MPI_Issend)>(Function::MPI_Issend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Issend_c);
    const int error = call.timed(next<decltype(MPI_Issend_c)>(Function::MPI_Issend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Mprobe);
    const int error = call.timed(next<decltype(MPI_Mprobe)>(Function::MPI_Mprobe)(source, tag, comm, message, status));
    if (call.counts(error)) {
        matched(comm, *message);
    }
    return error;
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Mrecv);
    const Match match = take_match(*message);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Mrecv)>(Function::MPI_Mrecv)(buf, count, datatype, message, status));
    if (call.counts(error)) {
        received(call, match, *status);
    }
    return error;
}

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Mrecv_c);
    const Match match = take_match(*message);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Mrecv_c)>(Function::MPI_Mrecv_c)(buf, count, datatype, message, status));
    if (call.counts(error)) {
        received(call, match, *status);
    }
    return error;
}

int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Precv_init);
    const int error = call.timed(next<decltype(MPI_Precv_init)>(Function::MPI_Precv_init)(buf, partitions, count, datatype, source, tag, comm, info, request));
    if (call.counts(error)) {
        receive_when_started(call, comm, source, static_cast<std::uint64_t>(partitions) * bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Psend_init);
    const int error = call.timed(next<decltype(MPI_Psend_init)>(Function::MPI_Psend_init)(buf, partitions, count, datatype, dest, tag, comm, info, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, static_cast<std::uint64_t>(partitions) * bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Recv);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Recv)>(Function::MPI_Recv)(buf, count, datatype, source, tag, comm, status));
    if (call.counts(error)) {
        received(call, comm, *status);
    }
    return error;
}

int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Recv_c);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Recv_c)>(Function::MPI_Recv_c)(buf, count, datatype, source, tag, comm, status));
    if (call.counts(error)) {
        received(call, comm, *status);
    }
    return error;
}

int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Recv_init);
    const int error = call.timed(next<decltype(MPI_Recv_init)>(Function::MPI_Recv_init)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_when_started(call, comm, source, kByStatus, *request);
    }
    return error;
}

int MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Recv_init_c);
    const int error = call.timed(next<decltype(MPI_Recv_init_c)>(Function::MPI_Recv_init_c)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_when_started(call, comm, source, kByStatus, *request);
    }
    return error;
}

int MPI_Request_free(MPI_Request* request) {
    Call call(Function::MPI_Request_free);
    forget_request(*request);
    return call.timed(next<decltype(MPI_Request_free)>(Function::MPI_Request_free)(request));
}

int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Rsend);
    const int error = call.timed(next<decltype(MPI_Rsend)>(Function::MPI_Rsend)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Rsend_c);
    const int error = call.timed(next<decltype(MPI_Rsend_c)>(Function::MPI_Rsend_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Rsend_init);
    const int error = call.timed(next<decltype(MPI_Rsend_init)>(Function::MPI_Rsend_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Rsend_init_c);
    const int error = call.timed(next<decltype(MPI_Rsend_init_c)>(Function::MPI_Rsend_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Send);
    const int error = call.timed(next<decltype(MPI_Send)>(Function::MPI_Send)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Send_c);
    const int error = call.timed(next<decltype(MPI_Send_c)>(Function::MPI_Send_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Send_init);
    const int error = call.timed(next<decltype(MPI_Send_init)>(Function::MPI_Send_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Send_init_c);
    const int error = call.timed(next<decltype(MPI_Send_init_c)>(Function::MPI_Send_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv)>(Function::MPI_Sendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(sendcount, sendtype));
        received(call, comm, *status);
    }
    return error;
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv_c);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv_c)>(Function::MPI_Sendrecv_c)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(sendcount, sendtype));
        received(call, comm, *status);
    }
    return error;
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv_replace);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv_replace)>(Function::MPI_Sendrecv_replace)(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
        received(call, comm, *status);
    }
    return error;
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv_replace_c);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv_replace_c)>(Function::MPI_Sendrecv_replace_c)(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
        received(call, comm, *status);
    }
    return error;
}

int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Ssend);
    const int error = call.timed(next<decltype(MPI_Ssend)>(Function::MPI_Ssend)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Ssend_c);
    const int error = call.timed(next<decltype(MPI_Ssend_c)>(Function::MPI_Ssend_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, bytes(count, datatype));
    }
    return error;
}

int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ssend_init);
    const int error = call.timed(next<decltype(MPI_Ssend_init)>(Function::MPI_Ssend_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ssend_init_c);
    const int error = call.timed(next<decltype(MPI_Ssend_init_c)>(Function::MPI_Ssend_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Start(MPI_Request* request) {
    Call call(Function::MPI_Start);
    const int error = call.timed(next<decltype(MPI_Start)>(Function::MPI_Start)(request));
    if (call.counts(error)) {
        started(call, 1, request);
    }
    return error;
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
    Call call(Function::MPI_Startall);
    const int error = call.timed(next<decltype(MPI_Startall)>(Function::MPI_Startall)(count, array_of_requests));
    if (call.counts(error)) {
        started(call, count, array_of_requests);
    }
    return error;
}

int MPI_Type_free(MPI_Datatype* datatype) {
    Call call(Function::MPI_Type_free);
    forget_datatype(*datatype);
    return call.timed(next<decltype(MPI_Type_free)>(Function::MPI_Type_free)(datatype));
}

}  // namespace fairlead::wrapped
