// SPDX-License-Identifier: Apache-2.0
// Point-to-point calls. Blocking ones are their non-blocking forms and polling.
#include <algorithm>

#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"
#include "relay/library/native_calls.hpp"

namespace fairlead::relay {

namespace {

int wait(MPI_Request* request, MPI_Status* status) {
    Outcome outcome;
    plane->wait_until([&] {
        if (plane->wait_one(request, status, outcome)) return true;
        if (outcome.error != MPI_SUCCESS) outcome.error = plane->give_up(request, outcome.error);
        return outcome.error != MPI_SUCCESS;
    });
    return outcome.tell();
}

/// A send begins: a buffered one once there is room for it.
template <Mode mode>
void before_send(MPI_Count count, MPI_Datatype datatype, MPI_Comm comm) {
    if (mode == Mode::buffered && count >= 0) {
        plane->wait_for_room(comm, static_cast<std::uint64_t>(count) * size_of(datatype));
    }
}

template <Function function, Mode mode, class Count>
int send(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    if (passes_by(comm)) {
        return library<int(const void*, Count, MPI_Datatype, int, int, MPI_Comm)>(function)(buf, count, datatype, dest,
                                                                                            tag, comm);
    }
    plane->enter();
    before_send<mode>(count, datatype, comm);
    MPI_Request request = request_null();
    const int error =
        plane->locked([&] { return plane->isend(mode, buf, count, datatype, dest, tag, comm, &request); });
    return error == MPI_SUCCESS ? wait(&request, MPI_STATUS_IGNORE) : error;
}

template <Function function, Mode mode, class Count>
int isend(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    if (passes_by(comm) || is_missing(request)) {
        return library<int(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(function)(
            buf, count, datatype, dest, tag, comm, request);
    }
    plane->enter_to_begin();
    before_send<mode>(count, datatype, comm);
    return plane->locked([&] { return plane->isend(mode, buf, count, datatype, dest, tag, comm, request); });
}

template <Function function, class Count>
int recv(void* buf, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    if (passes_by(comm) || source == MPI_PROC_NULL || is_missing(status)) {
        return library<int(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Status*)>(function)(
            buf, count, datatype, source, tag, comm, status);
    }
    plane->enter();
    MPI_Request request = request_null();
    const int error = plane->locked([&] { return plane->irecv(buf, count, datatype, source, tag, comm, &request); });
    return error == MPI_SUCCESS ? wait(&request, status) : error;
}

template <Function function, class Count>
int irecv(void* buf, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    if (passes_by(comm) || is_missing(request)) {
        return library<int(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(function)(
            buf, count, datatype, source, tag, comm, request);
    }
    plane->enter_to_begin();
    return plane->locked([&] { return plane->irecv(buf, count, datatype, source, tag, comm, request); });
}

template <Function function, Mode mode, class Count>
int send_init(const void* buf, Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
    if (!is_missing(request)) {
        *request = request_null();
    }
    const int error = library<int(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(function)(
        buf, count, datatype, dest, tag, comm, request);
    if (error == MPI_SUCCESS && !passes_by(comm) && *request != request_null()) {
        plane->enter_to_begin();
        plane->locked([&] {
            plane->made_persistent(true, mode, buf, count, datatype, dest, tag, comm, *request);
            return 0;
        });
    }
    return error;
}

template <Function function, class Count>
int recv_init(void* buf, Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    if (!is_missing(request)) {
        *request = request_null();
    }
    const int error = library<int(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)>(function)(
        buf, count, datatype, source, tag, comm, request);
    if (error == MPI_SUCCESS && !passes_by(comm) && *request != request_null()) {
        plane->enter_to_begin();
        plane->locked([&] {
            plane->made_persistent(false, Mode::standard, buf, count, datatype, source, tag, comm, *request);
            return 0;
        });
    }
    return error;
}

/// What the library refuses before it starts any.
bool cannot_start(int count, const MPI_Request requests[]) {
    return count < 0 || (count > 0 && requests == nullptr) ||
           std::find(requests, requests + count, request_null()) != requests + count;
}

int start(MPI_Request* request) {
    if (passes_by(1, request) || is_missing(request)) {
        return library<decltype(start)>(Function::MPI_Start)(request);
    }
    plane->enter_to_begin();
    plane->wait_for_room(*request);
    return plane->locked([&] { return plane->start(request); });
}

int start_all(int count, MPI_Request requests[]) {
    if (passes_by(count, requests) || cannot_start(count, requests)) {
        return library<decltype(start_all)>(Function::MPI_Startall)(count, requests);
    }
    plane->enter_to_begin();
    int error = MPI_SUCCESS;
    for (int at = 0; at < count && error == MPI_SUCCESS; ++at) {
        plane->wait_for_room(requests[at]);
        error = plane->locked([&] { return plane->start(&requests[at]); });
    }
    return error;
}

// After refused_recv: the send, the receive, and both to their ends.
int exchange(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    MPI_Request receiving = request_null();
    MPI_Request sending = request_null();
    const int error = plane->locked(
        [&] { return plane->isend(Mode::standard, sendbuf, sendcount, sendtype, dest, sendtag, comm, &sending); });
    if (error != MPI_SUCCESS || sending == request_null()) {
        return error;
    }
    const int posted =
        plane->locked([&] { return plane->irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &receiving); });
    const int sent = wait(&sending, MPI_STATUS_IGNORE);
    const int received = posted == MPI_SUCCESS ? wait(&receiving, status) : posted;
    if (source == MPI_PROC_NULL && status != MPI_STATUS_IGNORE) {  // MPICH 4.0 completes such a request without one
        status->MPI_SOURCE = MPI_PROC_NULL;
        status->MPI_TAG = MPI_ANY_TAG;
        set_bytes(*status, 0, false);
    }
    return sent != MPI_SUCCESS ? sent : received;
}

template <Function function, class Count>
int sendrecv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    if (passes_by(comm) || is_missing(status)) {
        return library<decltype(sendrecv<function, Count>)>(function)(
            sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
    }
    if (const auto refused = refused_recv(recvbuf, recvcount, recvtype, source, recvtag, comm)) {
        return *refused;
    }
    return exchange(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
                    status);
}

template <Function function, class Count>
int sendrecv_replace(void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
    if (passes_by(comm) || is_missing(status)) {
        return library<decltype(sendrecv_replace<function, Count>)>(function)(buf, count, datatype, dest, sendtag,
                                                                              source, recvtag, comm, status);
    }
    if (const auto refused = refused_recv(buf, count, datatype, source, recvtag, comm)) {
        return *refused;
    }
    const std::vector<std::uint8_t> going = plane->locked([&] {
        return dest != MPI_PROC_NULL ? plane->packed({buf, count, datatype}) : std::vector<std::uint8_t>();
    });
    return exchange(going.data(), static_cast<MPI_Count>(going.size()), datatype_packed(), dest, sendtag, buf, count,
                    datatype, source, recvtag, comm, status);
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    if (passes_by(comm) || is_missing(flag) || is_missing(status)) {
        return library<decltype(iprobe)>(Function::MPI_Iprobe)(source, tag, comm, flag, status);
    }
    plane->enter();
    return plane->locked([&] { return plane->iprobe(source, tag, comm, flag, status); });
}

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
    if (passes_by(comm) || is_missing(status)) {
        return library<decltype(probe)>(Function::MPI_Probe)(source, tag, comm, status);
    }
    plane->enter();
    int error = MPI_SUCCESS;
    plane->wait_until([&] {
        int found = 0;
        error = plane->iprobe(source, tag, comm, &found, status);
        return found != 0 || error != MPI_SUCCESS;
    });
    return error;
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    if (passes_by(comm) || is_missing(flag) || is_missing(message) || is_missing(status)) {
        return library<decltype(improbe)>(Function::MPI_Improbe)(source, tag, comm, flag, message, status);
    }
    plane->enter();
    return plane->locked([&] { return plane->improbe(source, tag, comm, flag, message, status); });
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    if (passes_by(comm) || is_missing(message) || is_missing(status)) {
        return library<decltype(mprobe)>(Function::MPI_Mprobe)(source, tag, comm, message, status);
    }
    plane->enter();
    int error = MPI_SUCCESS;
    plane->wait_until([&] {
        int found = 0;
        error = plane->improbe(source, tag, comm, &found, message, status);
        return found != 0 || error != MPI_SUCCESS;
    });
    return error;
}

template <Function function, class Count>
int imrecv(void* buf, Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    if (is_missing(message) || is_missing(request) || passes_by(message)) {
        return library<decltype(imrecv<function, Count>)>(function)(buf, count, datatype, message, request);
    }
    plane->enter_to_begin();
    return plane->locked([&] { return plane->imrecv(buf, count, datatype, message, request); });
}

template <Function function, class Count>
int mrecv(void* buf, Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
    if (is_missing(message) || is_missing(status) || passes_by(message)) {
        return library<decltype(mrecv<function, Count>)>(function)(buf, count, datatype, message, status);
    }
    plane->enter();
    MPI_Request request = request_null();
    const int error = plane->locked([&] { return plane->imrecv(buf, count, datatype, message, &request); });
    return error == MPI_SUCCESS ? wait(&request, status) : error;
}

int cancel(MPI_Request* request) {
    if (passes_by(1, request) || is_missing(request)) {
        return library<decltype(cancel)>(Function::MPI_Cancel)(request);
    }
    plane->enter();
    return plane->locked([&] { return plane->cancel(request); });
}

int request_free(MPI_Request* request) {
    if (passes_by(1, request) || is_missing(request)) {
        return library<decltype(request_free)>(Function::MPI_Request_free)(request);
    }
    plane->enter();
    const int error = plane->locked([&] { return plane->request_free(request); });
    plane->free_unneeded();
    return error;
}

int type_free(MPI_Datatype* datatype) {
    if (!is_missing(datatype)) {
        forget_type(*datatype);
    }
    return library<decltype(type_free)>(Function::MPI_Type_free)(datatype);
}

/// made: the library's function for persistent ones.
template <Function blocking, Function blocking_c, Function later, Function later_c, Function persistent,
          Function persistent_c, Mode mode, Function made = persistent, Function made_c = persistent_c>
void put_sends(Table& table) {
    table.put(blocking, send<blocking, mode, int>);
    table.put(blocking_c, send<blocking_c, mode, MPI_Count>);
    table.put(later, isend<later, mode, int>);
    table.put(later_c, isend<later_c, mode, MPI_Count>);
    table.put(persistent, send_init<made, mode, int>);
    table.put(persistent_c, send_init<made_c, mode, MPI_Count>);
}

}  // namespace

// An exchange whose arguments are wrong must not begin at all: a send cannot be taken back, and a receive may have its
// message at once, which then belongs to another one. So first what the library says of the receive, without posting
// one.
std::optional<int> refused_recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm) {
    plane->enter();
    return plane->locked([&]() -> std::optional<int> {
        MPI_Request request = request_null();
        const int some = fits(count) ? static_cast<int>(std::max<MPI_Count>(count, -1)) : 0;
        const int error = PMPI_Recv_init(buf, some, datatype, source, tag, comm, &request);
        if (error != MPI_SUCCESS || request == request_null()) {
            return error;
        }
        PMPI_Request_free(&request);
        return std::nullopt;
    });
}

void put_messages(Table& table) {
    using enum Function;
    put_sends<MPI_Send, MPI_Send_c, MPI_Isend, MPI_Isend_c, MPI_Send_init, MPI_Send_init_c, Mode::standard>(table);
    put_sends<MPI_Ssend, MPI_Ssend_c, MPI_Issend, MPI_Issend_c, MPI_Ssend_init, MPI_Ssend_init_c, Mode::synchronous>(
        table);
    put_sends<MPI_Bsend, MPI_Bsend_c, MPI_Ibsend, MPI_Ibsend_c, MPI_Bsend_init, MPI_Bsend_init_c, Mode::buffered>(
        table);
    put_sends<MPI_Rsend, MPI_Rsend_c, MPI_Irsend, MPI_Irsend_c, MPI_Rsend_init, MPI_Rsend_init_c, Mode::ready,
              MPI_Send_init, MPI_Send_init_c>(table);  // as native_isend() does
    table.put(MPI_Recv, recv<MPI_Recv, int>);
    table.put(MPI_Recv_c, recv<MPI_Recv_c, MPI_Count>);
    table.put(MPI_Irecv, irecv<MPI_Irecv, int>);
    table.put(MPI_Irecv_c, irecv<MPI_Irecv_c, MPI_Count>);
    table.put(MPI_Recv_init, recv_init<MPI_Recv_init, int>);
    table.put(MPI_Recv_init_c, recv_init<MPI_Recv_init_c, MPI_Count>);
    table.put(MPI_Start, start);
    table.put(MPI_Startall, start_all);
    table.put(MPI_Sendrecv, sendrecv<MPI_Sendrecv, int>);
    table.put(MPI_Sendrecv_c, sendrecv<MPI_Sendrecv_c, MPI_Count>);
    table.put(MPI_Sendrecv_replace, sendrecv_replace<MPI_Sendrecv_replace, int>);
    table.put(MPI_Sendrecv_replace_c, sendrecv_replace<MPI_Sendrecv_replace_c, MPI_Count>);
    table.put(MPI_Iprobe, iprobe);
    table.put(MPI_Probe, probe);
    table.put(MPI_Improbe, improbe);
    table.put(MPI_Mprobe, mprobe);
    table.put(MPI_Imrecv, imrecv<MPI_Imrecv, int>);
    table.put(MPI_Imrecv_c, imrecv<MPI_Imrecv_c, MPI_Count>);
    table.put(MPI_Mrecv, mrecv<MPI_Mrecv, int>);
    table.put(MPI_Mrecv_c, mrecv<MPI_Mrecv_c, MPI_Count>);
    table.put(MPI_Cancel, cancel);
    table.put(MPI_Request_free, request_free);
    table.put(MPI_Type_free, type_free);
}

}  // namespace fairlead::relay
