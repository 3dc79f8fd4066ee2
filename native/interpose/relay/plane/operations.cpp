// SPDX-License-Identifier: Apache-2.0
// Sends and receives: begun, started again, cancelled, let go.
#include <algorithm>

#include "mpi/handles.hpp"
#include "relay/library/native_calls.hpp"
#include "relay/library/terms.hpp"
#include "relay/library/unheard.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

namespace {

constexpr std::uint64_t kCopied_B = 65536;  // a standard send up to this is complete when its bytes are copied

// Memory of a standard send that is complete and not delivered: its bytes, and what is noted of it. With so much, the
// next ones are complete when they are delivered, and those that find no credit when they are matched.
constexpr std::uint64_t kNoted_B = 512;
constexpr std::uint64_t kMostHeld_B = std::uint64_t{32} << 20;  // for one process
constexpr std::uint64_t kMostHeldForAll_B = std::uint64_t{256} << 20;
constexpr std::uint64_t kMostHeldInChaos_B = 65536;

// A generalized request is a handle and no more: its status is the plane's affair.
int no_status(void*, MPI_Status* status) {
    fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    return MPI_SUCCESS;
}
int no_release(void*) {
    return MPI_SUCCESS;
}
int no_cancel(void*, int) {
    return MPI_SUCCESS;
}

// MPICH says success also of what it refused, once the program's own error handler was told; there is no request then.
bool begun(const Operation& operation) {
    return operation.persistent || operation.handle != request_null();
}

// What it returned if it refused to make a persistent request; else that is freed.
std::optional<int> refused(int error, MPI_Request& request) {
    if (error != MPI_SUCCESS || request == request_null()) {
        return error;
    }
    PMPI_Request_free(&request);
    return std::nullopt;
}

// What only the library can tell to be wrong, and would end in our hands: memory that is not there, and datatypes that
// were not committed.
bool may_be_wrong(const Layout& layout, MPI_Datatype datatype) {
    return !layout.contiguous() || (layout.buffer() == nullptr && layout.size_B() > 0) || datatype == datatype_null();
}

/// Of a persistent send of the library's: whether it is over there. The program may have completed it past the
/// wrappers, which cannot be told from one that it never completed; afterwards it has.
bool is_over(Operation& operation) {
    if (!operation.sends || !operation.persistent || !operation.in_library || operation.apart) {
        return false;
    }
    std::optional<Unheard> unheard;
    if (kLooksAreHeard) {
        unheard.emplace(*operation.channel);
    }
    int over = 0;
    MPI_Status status{};
    if (kErrorsFreePersistent) {  // a test of one that failed would free it
        PMPI_Request_get_status(operation.handle, &over, &status);
        if (over == 0 || status.MPI_ERROR != MPI_SUCCESS) {
            return false;
        }
    }
    MPI_Request request = operation.handle;
    return PMPI_Test(&request, &over, MPI_STATUS_IGNORE) == MPI_SUCCESS && over != 0;
}

/// MPICH and its kin look at no datatype of no elements; Open MPI refuses none at all.
bool has_type(MPI_Count count, MPI_Datatype datatype) {
    return datatype != datatype_null() || count == 0;
}

}  // namespace

// Sending and receiving.

int Plane::isend(Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request) {
    const auto channel = channel_of(comm);
    const bool carried = channel != nullptr && !ended_ && dest >= 0 &&
                         dest < static_cast<int>(channel->processes.size()) && tag >= 0 && tag <= tag_bound_ &&
                         count >= 0 && has_type(count, datatype);
    if (!carried) {
        outside_ += channel == nullptr && dest != MPI_PROC_NULL ? 1 : 0;
        return mode == Mode::buffered && comm != comm_null() && dest >= 0 && count >= 0 && datatype != datatype_null()
                   ? send_copy_outside({buffer, count, datatype}, dest, tag, comm, request)
                   : native_isend(mode, buffer, count, datatype, dest, tag, comm, request);
    }
    const auto operation = std::make_shared<Operation>();
    operation->sends = true;
    operation->mode = mode;
    operation->channel = channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->peer = dest;
    operation->tag = tag;
    if (const auto refused = refused_send(*operation, {buffer, count, datatype})) {
        return *refused;
    }
    const int error = launch(
        operation, [&] { return native_isend(mode, buffer, count, datatype, dest, tag, comm, &operation->handle); });
    if (error == MPI_SUCCESS) {
        give_handle(operation, request);
    }
    return error;
}

bool Plane::is_pattern(const Channel& channel, int source, int tag) const {
    return (source == MPI_ANY_SOURCE || (source >= 0 && source < static_cast<int>(channel.processes.size()))) &&
           (tag == MPI_ANY_TAG || (tag >= 0 && tag <= tag_bound_));
}

int Plane::irecv(void* buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
    const auto channel = channel_of(comm);
    if (channel == nullptr || !is_pattern(*channel, source, tag) || count < 0 || !has_type(count, datatype)) {
        return native_irecv(buffer, count, datatype, source, tag, comm, request);
    }
    const auto operation = std::make_shared<Operation>();
    operation->channel = channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->peer = source;
    operation->tag = tag;
    if (const auto refused = refused_receive(*operation, {buffer, count, datatype})) {
        return *refused;
    }
    const int error =
        post(operation, [&] { return native_irecv(buffer, count, datatype, source, tag, comm, &operation->handle); });
    if (error == MPI_SUCCESS) {
        give_handle(operation, request);
    }
    return error;
}

/// What the library's call returned if it refused the arguments of a send that may not be its own.
std::optional<int> Plane::refused_send(const Operation& operation, const Part& sent) {
    const Channel& channel = *operation.channel;
    const Process to = channel.processes[static_cast<std::size_t>(operation.peer)];
    const bool librarys =
        operation.mode != Mode::buffered && !chaos_ && !relayed_[to] && endpoint_.path(to) == Path::direct;
    if (librarys || !may_be_wrong(operation.layout, sent.datatype)) {
        return std::nullopt;
    }
    MPI_Request request = request_null();
    const int error = PMPI_Send_init(sent.buffer, count_to_look_at(sent.count), sent.datatype, operation.peer,
                                     operation.tag, channel.comm, &request);
    return refused(error, request);
}

std::optional<int> Plane::refused_receive(const Operation& operation, const Part& received) {
    const Channel& channel = *operation.channel;
    if (!endpoint_.taken_over(channel.id) || !may_be_wrong(operation.layout, received.datatype)) {
        return std::nullopt;
    }
    MPI_Request request = request_null();
    const int error = PMPI_Recv_init(const_cast<void*>(received.buffer), count_to_look_at(received.count),
                                     received.datatype, operation.peer, operation.tag, channel.comm, &request);
    return refused(error, request);
}

void Plane::give_handle(const OperationPtr& operation, MPI_Request* request) {
    if (!operation->active) {
        *request = request_null();
        return;
    }
    if (!operation->in_library) {
        has_own_requests_ = true;
        PMPI_Grequest_start(no_status, no_release, no_cancel, nullptr, &operation->handle);
        operation->generalized = true;
    }
    operations_[key_of(operation->handle)] = operation;
    *request = operation->handle;
}

int Plane::launch(const OperationPtr& operation, const std::function<int()>& native) {
    Channel& channel = *operation->channel;
    const auto rank = static_cast<std::size_t>(operation->peer);
    const Process to = channel.processes[rank];
    operation->active = true;
    operation->complete = false;
    operation->cancelled = false;
    operation->error = MPI_SUCCESS;
    if (operation->partitions > 0) {  // it goes out when all are ready
        has_own_requests_ = true;
        operation->ready = 0;
        operation->in_library = false;
        return MPI_SUCCESS;
    }
    if (gone_[to] || is_revoked(channel.comm)) {
        operation->in_library = true;
        const int error = native();
        operation->active = error == MPI_SUCCESS;
        return error;
    }
    std::optional<Room> room(std::in_place);
    if (operation->mode == Mode::buffered) {
        room = room_for(channel.comm, operation->layout.size_B());
        if (!room) {
            operation->active = false;
            return refuse(channel.comm, MPI_ERR_BUFFER);
        }
    }
    if (chaos_ && to != self_ && !closing_) {
        endpoint_.prefer(to, chaos_->path(channel.id, self_, to, ++channel.sent[rank]));
    }
    if (endpoint_.choose_path(channel.id, to) == Path::relay) {
        relay(operation, to, std::move(*room));
        transmit();  // the program's next call may be long in coming, and wait for an answer outside MPI
        return MPI_SUCCESS;
    }
    operation->in_library = operation->mode != Mode::buffered;
    operation->complete = !operation->in_library;
    has_own_requests_ = has_own_requests_ || operation->complete;
    const int error = operation->in_library ? native()
                                            : send_copy(operation->layout, operation->peer, operation->tag,
                                                        channel.comm, std::move(*room));
    if (error != MPI_SUCCESS || (operation->in_library && !begun(*operation))) {
        endpoint_.not_sent(channel.id, to);
        operation->active = false;
    }
    return error;
}

std::uint64_t Plane::most_held_B() const {
    return chaos_ ? kMostHeldInChaos_B : kMostHeld_B;
}

bool Plane::may_hold(Process to, std::uint64_t held_B) const {
    return held_B_[to] + held_B <= most_held_B() && all_held_B_ + held_B <= kMostHeldForAll_B;
}

void Plane::relay(const OperationPtr& operation, Process to, Room room) {
    const Layout& layout = operation->layout;
    const bool synchronous = operation->mode == Mode::synchronous;
    const std::uint64_t held_B = layout.size_B() + kNoted_B;
    const bool may_stay = layout.size_B() <= kCopied_B && may_hold(to, held_B);
    const bool done = operation->mode == Mode::buffered || (!synchronous && may_stay);
    const MessageId message = endpoint_.send(operation->channel->id, to, operation->channel->rank, operation->tag,
                                             layout.size_B(), synchronous);
    Payload& payload = payloads_[{to, message}];
    payload.communicator = operation->channel->id;
    if (done || !layout.contiguous()) {
        payload.own = layout.packed(own_);
        payload.bytes = payload.own;
    } else {
        payload.bytes = layout.bytes();
    }
    has_own_requests_ = true;
    operation->in_library = false;
    operation->complete = done;
    if (!may_stay) {
        room.await();
    }
    payload.room = std::move(room);
    if (done) {
        payload.held_B = held_B;
        held_B_[to] += held_B;
        all_held_B_ += held_B;
    } else {
        payload.operation = operation;
    }
}

int Plane::post(const OperationPtr& operation, const std::function<int()>& native) {
    operation->active = true;
    operation->complete = false;
    operation->cancelled = false;
    operation->error = MPI_SUCCESS;
    operation->cancel_asked = false;
    operation->cancelled_by_program = false;
    operation->accounted = is_gone(*operation) || is_revoked(operation->channel->comm);
    if (operation->accounted) {  // the library has none of its messages any more, and tells so
        operation->in_library = true;
        const int error = native();
        operation->active = error == MPI_SUCCESS;
        return error;
    }
    pull_for_call(*operation->channel);  // else relayed messages would always be first
    const auto posted = endpoint_.post_receive(operation->channel->id, pattern_of(operation->peer, operation->tag));
    operation->receive = posted.receive;
    operation->in_library = posted.native;
    has_own_requests_ = has_own_requests_ || !posted.native;
    receives_[posted.receive] = operation;
    const int error = posted.native ? native() : MPI_SUCCESS;
    if (error != MPI_SUCCESS || (posted.native && !begun(*operation))) {
        operation->active = false;
        receives_.erase(posted.receive);
        endpoint_.native_cancelled(operation->channel->id, posted.receive);
    }
    handle_events();
    if (!posted.native) {
        transmit();  // what it matched waits for an answer
    }
    return error;
}

void Plane::made_persistent(bool sends, Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int peer,
                            int tag, MPI_Comm comm, MPI_Request request) {
    auto channel = channel_of(comm);
    const bool copied = sends && mode == Mode::buffered;  // everywhere
    if ((channel == nullptr && !copied) || peer == MPI_PROC_NULL) {
        return;
    }
    channel = channel != nullptr ? channel : channel_outside(comm);
    const auto operation = std::make_shared<Operation>();
    operation->sends = sends;
    operation->persistent = true;
    operation->mode = mode;
    operation->channel = channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->peer = peer;
    operation->tag = tag;
    operation->handle = request;
    operations_[key_of(request)] = operation;
}

void Plane::made_apart(MPI_Request request) {
    if (kTestallKnowsAllKinds) {
        return;
    }
    const auto operation = std::make_shared<Operation>();
    operation->sends = true;  // no receive, of which the endpoint would have to know
    operation->persistent = true;
    operation->apart = true;
    has_own_requests_ = true;
    operation->channel = channel_of(comm_world());  // which nobody frees
    operation->handle = request;
    operations_[key_of(request)] = operation;
}

void Plane::began_in_turn(MPI_Request request) {
    const auto operation = std::make_shared<Operation>();
    operation->sends = true;  // no receive, of which the endpoint would have to know
    operation->in_turn = true;
    has_begun_in_turn_ = true;
    operation->channel = channel_of(comm_world());  // which nobody frees
    operation->handle = request;
    operation->active = true;
    operation->in_library = true;
    operations_[key_of(request)] = operation;
}

int Plane::start(MPI_Request* request) {
    const auto native = [request] { return PMPI_Start(request); };
    const OperationPtr operation = operation_of(*request);
    if (operation == nullptr) {
        return native();
    }
    // Refused, and what it does goes on. Open MPI 4 would start it again: a send under another handle.
    if (operation->active && !is_over(*operation)) {
        MPI_Request none = request_null();
        return operation->apart ? native() : PMPI_Start(&none);
    }
    if (operation->apart) {
        operation->in_library = true;
        operation->complete = false;
        operation->error = MPI_SUCCESS;
        const int error = native();
        operation->active = error == MPI_SUCCESS;
        return error;
    }
    // Of a communicator that is freed, no member has anything on the plane; and in the end nothing is relayed any more.
    if (operation->channel->freed || (ended_ && operation->sends)) {
        operations_.erase(key_of(*request));
        return native();
    }
    if (operation->channel->outside) {
        return launch_outside(operation);
    }
    return operation->sends ? launch(operation, native) : post(operation, native);
}

int Plane::cancel(MPI_Request* request) {
    const OperationPtr operation = operation_of(*request);
    if (operation == nullptr) {
        return PMPI_Cancel(request);
    }
    if (operation->pair != nullptr) {
        return MPI_SUCCESS;  // what is sent stays sent, and the standard knows of no other outcome
    }
    if (operation->sends) {
        // It is as good as sent: the program gets its memory back. In the library a send stays, for the receiver may
        // wait for it to be accounted for.
        for (auto& [key, payload] : payloads_) {
            if (payload.operation == operation) {
                if (payload.own.empty()) {  // packed already, where its type is derived
                    payload.own.assign(payload.bytes.begin(), payload.bytes.end());
                    payload.bytes = payload.own;
                }
                payload.operation = nullptr;
                operation->complete = true;
            }
        }
        return MPI_SUCCESS;
    }
    if (operation->in_library) {
        operation->cancelled_by_program = true;
        const int error = PMPI_Cancel(request);
        if (MPI_Status status{}; library_done(*operation, status)) {
            account(*operation, status);
        }
        return error;
    }
    if (!operation->complete && endpoint_.withdraw_receive(operation->channel->id, operation->receive)) {
        receives_.erase(operation->receive);
        operation->cancelled = true;
        operation->got_source = MPI_ANY_SOURCE;
        operation->got_tag = MPI_ANY_TAG;
        operation->got_B = 0;
        operation->complete = true;
    }
    return MPI_SUCCESS;
}

int Plane::request_free(MPI_Request* request) {
    const OperationPtr operation = operation_of(*request);
    if (operation == nullptr) {
        return PMPI_Request_free(request);
    }
    if (!operation->active || (operation->sends && operation->in_library)) {
        operations_.erase(key_of(*request));
        return PMPI_Request_free(request);
    }
    operation->freed = true;
    freed_.push_back(operation);
    *request = request_null();
    return MPI_SUCCESS;
}

}  // namespace fairlead::relay
