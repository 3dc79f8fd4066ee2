// SPDX-License-Identifier: Apache-2.0
#include "relay/plane.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "fairlead/relay/wire.hpp"
#include "relay/chaos_carrier.hpp"
#include "relay/fatal.hpp"
#include "wrap/handles.hpp"
#include "wrap/pmpi.hpp"

namespace fairlead::relay {

namespace {

constexpr CommunicatorId kWorld = 1;
constexpr std::uint64_t kCopied_B = 65536;  // a standard send up to this is complete when its bytes are copied
// Small, so that programs of tests meet every limit; and what is lost is soon sent again.
constexpr Settings kChaosSettings{
    .inline_limit_B = 1024, .credit_B = 32768, .piece_B = 16384, .window = 32, .retransmit_s = 0.02};
// A receiver that computes acknowledges nothing; what is lost with an agent is sent again without waiting for this.
constexpr Settings kSettings{.retransmit_s = 1.0};
constexpr Time kQuiet_s = 1.0;           ///< without a frame, after which takeovers end
constexpr int kDefaultTagBound = 32767;  // at least: MPI 4.1, section 9.1.2

Time now_s() {
    return std::chrono::duration<Time>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Process own_rank() {
    int rank = 0;
    PMPI_Comm_rank(comm_world(), &rank);
    return static_cast<Process>(rank);
}

Process world_size() {
    int size = 0;
    PMPI_Comm_size(comm_world(), &size);
    return static_cast<Process>(size);
}

// Of MPICH over UCX, between hosts: docs/relay-plane.md.
bool cancels_what_is_matched() {
    MPI_Comm memory{};
    PMPI_Comm_split_type(comm_world(), MPI_COMM_TYPE_SHARED, 0, info_null(), &memory);
    int sharing = 0;
    PMPI_Comm_size(memory, &sharing);
    PMPI_Comm_free(&memory);
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    const bool has_ucx = std::string_view(version.data()).find("ucx") != std::string_view::npos;
    const char* const network = std::getenv("MPIR_CVAR_CH4_NETMOD");  // which of several MPICH takes
    const bool other = network != nullptr && std::string_view(network) != "ucx" && *network != '\0';
    return has_ucx && !other && static_cast<Process>(sharing) != world_size();
}

int tag_bound() {
    int* bound = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm_world(), MPI_TAG_UB, &bound, &found);
    return found != 0 ? *bound : kDefaultTagBound;
}

Pattern pattern_of(int source, int tag) {
    return {source == MPI_ANY_SOURCE ? kAnySource : source, tag == MPI_ANY_TAG ? kAnyTag : tag};
}

void fill(MPI_Status* status, int source, int tag, std::uint64_t size_B, bool cancelled) {
    if (status == MPI_STATUS_IGNORE) {
        return;
    }
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    set_bytes(*status, size_B, cancelled);
}

bool fits(MPI_Count count) {
    return count <= std::numeric_limits<int>::max();
}

int native_isend(Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request) {
    // Not ready ones: under a takeover the library does not hold the receive that they rely on.
    const bool synchronous = mode == Mode::synchronous;
    if (fits(count)) {
        return (synchronous ? PMPI_Issend : PMPI_Isend)(buffer, static_cast<int>(count), datatype, dest, tag, comm,
                                                        request);
    }
    return (synchronous ? PMPI_Issend_c : PMPI_Isend_c)(buffer, count, datatype, dest, tag, comm, request);
}

int native_irecv(void* buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
    return fits(count) ? PMPI_Irecv(buffer, static_cast<int>(count), datatype, source, tag, comm, request)
                       : PMPI_Irecv_c(buffer, count, datatype, source, tag, comm, request);
}

int native_imrecv(const Layout& layout, MPI_Message* message, MPI_Request* request) {
    return fits(layout.count())
               ? PMPI_Imrecv(layout.buffer(), static_cast<int>(layout.count()), layout.datatype(), message, request)
               : PMPI_Imrecv_c(layout.buffer(), layout.count(), layout.datatype(), message, request);
}

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

Process sender_of(std::span<const std::uint8_t> frame, Process processes) {
    const auto decoded = wire::decode(frame, processes);
    const auto* whole = std::get_if<wire::Decoded>(&decoded);
    return whole != nullptr ? whole->frame.from : 0;
}

}  // namespace

Plane::Plane(std::optional<Chaos> chaos, const char* directory)
    : self_(own_rank()),
      processes_(world_size()),
      chaos_(chaos),
      standing_(cancels_what_is_matched()),
      tag_bound_(tag_bound()),
      endpoint_(self_, processes_, chaos ? kChaosSettings : kSettings),
      reached_(processes_),
      relayed_(processes_) {
    PMPI_Comm_dup(comm_self(), &own_);
    PMPI_Comm_dup(comm_world(), &frames_);
    PMPI_Comm_dup(comm_world(), &control_);
    auto mpi_carrier = std::make_unique<MpiCarrier>(frames_, processes_);
    mpi_carrier_ = mpi_carrier.get();
    carrier_ = std::move(mpi_carrier);
    if (directory != nullptr) {
        join_agent(directory);
    }
    if (chaos) {
        const Process processes = processes_;
        carrier_ = std::make_unique<ChaosCarrier>(
            std::move(carrier_), *chaos, self_,
            [processes](std::span<const std::uint8_t> frame) { return sender_of(frame, processes); });
    }
    register_channel(comm_world(), kWorld);
}

/// Without its agent a rank takes part all the same: others may relay messages to it, by MPI.
void Plane::join_agent(const char* directory) {
    try {
        auto agents = std::make_unique<AgentCarrier>(directory, self_, processes_);
        auto carrier = std::make_unique<FallbackCarrier>(std::move(agents), std::move(carrier_));
        fallback_ = carrier.get();
        carrier_ = std::move(carrier);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fairlead: rank %u: %s\n", self_, error.what());
    }
}

void Plane::register_channel(MPI_Comm comm, CommunicatorId id) {
    const Communicator& known = communicator(comm);
    auto channel = std::make_shared<Channel>();
    channel->comm = comm;
    channel->id = id;
    channel->rank = known.rank;
    channel->inter = known.inter;
    for (int peer = 0; peer < known.peers; ++peer) {
        channel->processes.push_back(static_cast<Process>(known.world_rank(peer)));
    }
    channel->sent.resize(channel->processes.size());
    endpoint_.add_communicator(id, known.peers);
    if (standing_) {
        endpoint_.take_over(id);
    }
    channels_[key_of(comm)] = channel;
}

std::shared_ptr<Channel> Plane::channel_of(MPI_Comm comm) const {
    const auto found = channels_.find(key_of(comm));
    return found != channels_.end() ? found->second : nullptr;
}

OperationPtr Plane::operation_of(MPI_Request request) const {
    const auto found = operations_.find(key_of(request));
    return found != operations_.end() ? found->second : nullptr;
}

// Steps.

void Plane::enter() {
    const std::scoped_lock lock(mutex_);
    ++calls_;
    if (chaos_) {
        draw();
    } else {
        give_back();
    }
    poll();
    tell_agent();
}

void Plane::draw() {
    for (const auto& [handle, channel] : channels_) {
        if (standing_ || channel->suspended) {
            continue;
        }
        if (!endpoint_.taken_over(channel->id)) {
            if (chaos_->takes_over(channel->id, self_, calls_)) {
                endpoint_.take_over(channel->id);
            }
        } else if (endpoint_.may_return(channel->id) && chaos_->returns(channel->id, self_, calls_)) {
            endpoint_.return_to_native(channel->id);
        }
    }
}

/// Takeovers end when nothing has come for a while: the next envelope costs cancellations again.
void Plane::give_back() {
    if (standing_ || now_s() - last_arrival_s_ < kQuiet_s) {
        return;
    }
    for (const auto& [handle, channel] : channels_) {
        if (!channel->suspended && endpoint_.taken_over(channel->id) && endpoint_.may_return(channel->id)) {
            endpoint_.return_to_native(channel->id);
        }
    }
}

/// Whose messages are relayed; and what may have been lost with an agent is sent again.
void Plane::follow_agents() {
    AgentCarrier& agents = fallback_->agents();
    const std::uint32_t changes = agents.changes();
    if (changes == changes_) {
        return;
    }
    changes_ = changes;
    for (Process peer = 0; peer < processes_; ++peer) {
        const bool reached = agents.reaches(peer);
        const bool relayed = agents.wished(peer) == Path::relay;
        if ((reached_[peer] && !reached) || (relayed_[peer] && !relayed)) {
            endpoint_.resend(peer);
        }
        reached_[peer] = reached;
        relayed_[peer] = relayed;
        if (!chaos_) {
            endpoint_.prefer(peer, relayed ? Path::relay : Path::direct);
        }
    }
}

void Plane::tell_agent() {
    if (fallback_ != nullptr) {
        const Counters& so_far = endpoint_.counters();
        fallback_->agents().tell({so_far.direct, so_far.relayed, so_far.takeovers, so_far.cancelled,
                                  so_far.cancel_failed, so_far.pulled, so_far.held, so_far.waited, so_far.retransmitted,
                                  so_far.duplicates});
    }
}

void Plane::poll() {
    carrier_->poll([this](std::span<const std::uint8_t> frame) { accept(frame); });
    if (fallback_ != nullptr) {
        follow_agents();
    }
    settle();
    finish_transfers();
    reap();
    if (!finished_) {
        transmit();
    }
}

void Plane::accept(std::span<const std::uint8_t> bytes) {
    const auto decoded = wire::decode(bytes, processes_);
    const auto* whole = std::get_if<wire::Decoded>(&decoded);
    if (whole == nullptr) {
        fatal("a frame is broken: %s", wire::name(std::get<wire::DecodeError>(decoded)).data());
    }
    try {
        const Frame& frame = whole->frame;
        last_arrival_s_ = now_s();
        if (endpoint_.receive(frame, now_s()) && !whole->payload.empty()) {
            const auto* piece = std::get_if<relay::Payload>(&frame.body);
            const MessageId message = piece != nullptr ? piece->message : std::get<Envelope>(frame.body).message;
            arrived_[{{frame.from, message}, piece != nullptr ? piece->offset_B : 0}] = {whole->payload.begin(),
                                                                                         whole->payload.end()};
        }
    } catch (const ProtocolError& error) {
        fatal("%s", error.what());
    }
}

void Plane::settle() {
    handle_events();
    for (const auto& [handle, channel] : channels_) {
        if (endpoint_.taken_over(channel->id)) {
            take_from_library(*channel);
            pull(*channel);
        }
    }
}

// Rule 2: youngest first, each after the outcome of the one before.
void Plane::take_from_library(Channel& channel) {
    while (const auto receive = endpoint_.next_to_cancel(channel.id)) {
        const OperationPtr operation = receives_.at(*receive);
        if (!operation->cancel_asked) {
            operation->cancel_asked = true;
            PMPI_Cancel(&operation->handle);
        }
        MPI_Status status{};
        if (!library_done(*operation, status)) {
            return;
        }
        if (!is_cancelled(status)) {
            endpoint_.cancel_failed(channel.id, *receive);
            account(*operation, status);
        } else if (operation->cancelled_by_program) {
            account(*operation, status);
        } else {
            operation->in_library = false;
            operation->complete = false;
            operation->cancelled = false;
            endpoint_.cancelled(channel.id, *receive);
        }
        handle_events();
    }
}

void Plane::pull(Channel& channel) {
    int found = 1;
    while (found != 0 && channel.suspended == 0 && endpoint_.may_pull(channel.id)) {
        Pulled pulled;
        MPI_Status status{};
        PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel.comm, &found, &pulled.message, &status);
        if (found != 0) {
            pulled.size_B = bytes_of(status);
            const NativeHandle handle = next_pulled_++;
            pulled_.emplace(handle, pulled);
            endpoint_.pulled(channel.id, handle, status.MPI_SOURCE, status.MPI_TAG);
            handle_events();
        }
    }
}

void Plane::handle_events() {
    for (auto events = endpoint_.take_events(); !events.empty(); events = endpoint_.take_events()) {
        for (const Event& event : events) {
            std::visit([this](const auto& what) { handle(what); }, event);
        }
    }
}

void Plane::handle(const ReceiveMatched& event) {
    const OperationPtr operation = receives_.at(event.match.receive);
    const Arrival& arrival = event.match.arrival;
    operation->got_source = arrival.source;
    operation->got_tag = arrival.tag;
    if (const auto* native = std::get_if<NativeHandle>(&arrival.body)) {
        receives_.erase(event.match.receive);
        auto pulled = pulled_.extract(*native);
        operation->error = native_imrecv(operation->layout, &pulled.mapped().message, &operation->transfer);
        if (operation->error == MPI_SUCCESS) {
            transfers_.push_back(operation);
        } else {
            operation->complete = true;
        }
        return;
    }
    const Relayed& relayed = std::get<Relayed>(arrival.body);
    const PayloadKey key{relayed.peer, relayed.message};
    operation->message_B = relayed.size_B;
    if (relayed.inlined) {
        const auto payload = arrived_.extract({key, 0});
        put(*operation, payload.empty() ? std::span<const std::uint8_t>() : payload.mapped());
        receives_.erase(event.match.receive);
        return;
    }
    matched_.emplace(event.match.receive, key);
    if (!operation->layout.contiguous() || relayed.size_B > operation->layout.size_B()) {
        operation->scratch.resize(relayed.size_B);
    }
}

void Plane::handle(const Arrived& event) {
    const OperationPtr operation = receives_.at(event.receive);
    const auto piece = arrived_.extract({matched_.at(event.receive), event.offset_B});
    const bool direct = operation->scratch.empty();
    std::uint8_t* const begin = direct ? operation->layout.bytes().data() : operation->scratch.data();
    std::ranges::copy(piece.mapped(), begin + event.offset_B);
    if (!event.last) {
        return;
    }
    if (direct) {
        operation->got_B = operation->message_B;
        operation->complete = true;
    } else {
        put(*operation, operation->scratch);
        operation->scratch = {};
    }
    matched_.erase(event.receive);
    receives_.erase(event.receive);
}

void Plane::handle(const SendDone& event) {
    const auto payload = payloads_.extract({event.peer, event.message});
    if (payload.mapped().operation != nullptr) {
        payload.mapped().operation->complete = true;
    }
}

void Plane::put(Operation& operation, std::span<const std::uint8_t> message) {
    const std::uint64_t room_B = operation.layout.size_B();
    if (message.size() > room_B) {
        operation.error = MPI_ERR_TRUNCATE;
        message = message.first(room_B);
    }
    operation.layout.unpack(message, own_);
    operation.got_B = message.size();
    operation.complete = true;
}

void Plane::finish_transfers() {
    for (auto each = transfers_.begin(); each != transfers_.end();) {
        Operation& operation = **each;
        int over = 0;
        MPI_Status status{};
        const int error = PMPI_Test(&operation.transfer, &over, &status);
        if (error == MPI_SUCCESS && over == 0) {
            ++each;
            continue;
        }
        operation.error = error;
        operation.got_B = bytes_of(status);
        operation.complete = true;
        each = transfers_.erase(each);
    }
}

void Plane::reap() {
    for (auto each = background_.begin(); each != background_.end();) {
        int over = 0;
        PMPI_Test(&each->request, &over, MPI_STATUS_IGNORE);
        each = over != 0 ? background_.erase(each) : std::next(each);
    }
    for (auto each = freed_.begin(); each != freed_.end();) {
        const OperationPtr operation = *each;
        MPI_Status status{};
        if (operation->in_library && !operation->in_transition() && library_done(*operation, status)) {
            account(*operation, status);
            operation->in_library = false;
            operation->complete = true;
        }
        if (operation->in_library || !operation->complete) {
            ++each;
            continue;
        }
        each = freed_.erase(each);
        MPI_Request request = operation->handle;
        conclude(operation, &request, &status);
        if (operation->persistent) {
            operations_.erase(key_of(operation->handle));
            PMPI_Request_free(&request);
        }
    }
}

void Plane::transmit() {
    const Time time_s = now_s();
    for (Process peer = 0; peer < processes_; ++peer) {
        while (peer != self_ && carrier_->ready(peer)) {
            const std::uint64_t before = endpoint_.counters().retransmitted;
            const auto frame = endpoint_.next_frame(peer, time_s);
            if (!frame) {
                break;
            }
            std::span<const std::uint8_t> payload;
            if (frame->sequence != 0) {
                if (const auto* envelope = std::get_if<Envelope>(&frame->body);
                    envelope != nullptr && envelope->inlined && envelope->size_B > 0) {
                    payload = payloads_.at({peer, envelope->message}).bytes;
                } else if (const auto* piece = std::get_if<relay::Payload>(&frame->body)) {
                    payload = payloads_.at({peer, piece->message}).bytes.subspan(piece->offset_B, piece->length_B);
                }
            }
            std::vector<std::uint8_t> bytes(wire::kHeader_B + wire::kMaxBody_B + payload.size());
            bytes.resize(wire::encode(*frame, payload, bytes));
            if (bytes.empty()) {
                fatal("a frame for rank %u cannot be written", peer);
            }
            if (fallback_ != nullptr && endpoint_.counters().retransmitted != before) {
                fallback_->send_again(peer, std::move(bytes));
            } else {
                carrier_->send(peer, std::move(bytes));
            }
        }
    }
}

// Sending and receiving.

int Plane::isend(Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request) {
    const auto channel = channel_of(comm);
    const bool carried = channel != nullptr && dest >= 0 && dest < static_cast<int>(channel->processes.size()) &&
                         tag >= 0 && tag <= tag_bound_ && count >= 0 && datatype != datatype_null();
    if (!carried) {
        outside_ += channel == nullptr && dest != MPI_PROC_NULL ? 1 : 0;
        return native_isend(mode, buffer, count, datatype, dest, tag, comm, request);
    }
    const auto operation = std::make_shared<Operation>();
    operation->sends = true;
    operation->mode = mode;
    operation->channel = channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->peer = dest;
    operation->tag = tag;
    const int error = launch(
        operation, [&] { return native_isend(mode, buffer, count, datatype, dest, tag, comm, &operation->handle); });
    if (error == MPI_SUCCESS) {
        give_handle(operation, request);
    }
    return error;
}

int Plane::irecv(void* buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
    const auto channel = channel_of(comm);
    const bool carried =
        channel != nullptr &&
        (source == MPI_ANY_SOURCE || (source >= 0 && source < static_cast<int>(channel->processes.size()))) &&
        (tag == MPI_ANY_TAG || (tag >= 0 && tag <= tag_bound_)) && count >= 0 && datatype != datatype_null();
    if (!carried) {
        return native_irecv(buffer, count, datatype, source, tag, comm, request);
    }
    const auto operation = std::make_shared<Operation>();
    operation->channel = channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->peer = source;
    operation->tag = tag;
    const int error =
        post(operation, [&] { return native_irecv(buffer, count, datatype, source, tag, comm, &operation->handle); });
    if (error == MPI_SUCCESS) {
        give_handle(operation, request);
    }
    return error;
}

void Plane::give_handle(const OperationPtr& operation, MPI_Request* request) {
    if (!operation->in_library) {
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
    if (chaos_ && to != self_) {
        endpoint_.prefer(to, chaos_->path(channel.id, self_, to, ++channel.sent[rank]));
    }
    if (endpoint_.choose_path(channel.id, to) == Path::relay) {
        relay(operation, to);
        return MPI_SUCCESS;
    }
    operation->in_library = operation->mode != Mode::buffered;
    const int error = operation->in_library ? native() : send_copy(operation);
    if (error != MPI_SUCCESS) {
        endpoint_.not_sent(channel.id, to);
        operation->active = false;
    }
    return error;
}

// The program's buffer for such sends is not used, so that taking it back never waits in the library.
int Plane::send_copy(const OperationPtr& operation) {
    Background& sending = background_.emplace_back(request_null(), operation->layout.packed());
    const int error =
        native_isend(Mode::standard, sending.bytes.data(), static_cast<MPI_Count>(sending.bytes.size()),
                     datatype_packed(), operation->peer, operation->tag, operation->channel->comm, &sending.request);
    if (error != MPI_SUCCESS) {
        background_.pop_back();
    }
    operation->complete = true;
    return error;
}

void Plane::relay(const OperationPtr& operation, Process to) {
    const Layout& layout = operation->layout;
    const bool synchronous = operation->mode == Mode::synchronous;
    const bool done = operation->mode == Mode::buffered || (!synchronous && layout.size_B() <= kCopied_B);
    const MessageId message = endpoint_.send(operation->channel->id, to, operation->channel->rank, operation->tag,
                                             layout.size_B(), synchronous);
    Payload& payload = payloads_[{to, message}];
    payload.communicator = operation->channel->id;
    if (done || !layout.contiguous()) {
        payload.own = layout.packed();
        payload.bytes = payload.own;
    } else {
        payload.bytes = layout.bytes();
    }
    operation->in_library = false;
    operation->complete = done;
    if (!done) {
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
    operation->accounted = false;
    const auto posted = endpoint_.post_receive(operation->channel->id, pattern_of(operation->peer, operation->tag));
    operation->receive = posted.receive;
    operation->in_library = posted.native;
    receives_[posted.receive] = operation;
    const int error = posted.native ? native() : MPI_SUCCESS;
    if (error != MPI_SUCCESS) {
        operation->active = false;
        receives_.erase(posted.receive);
        endpoint_.native_cancelled(operation->channel->id, posted.receive);
    }
    handle_events();
    return error;
}

void Plane::made_persistent(bool sends, Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int peer,
                            int tag, MPI_Comm comm, MPI_Request request) {
    const auto channel = channel_of(comm);
    if (channel == nullptr || peer == MPI_PROC_NULL) {
        return;
    }
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

int Plane::start(MPI_Request* request) {
    const auto native = [request] { return PMPI_Start(request); };
    const OperationPtr operation = operation_of(*request);
    if (operation == nullptr) {
        return native();
    }
    return operation->sends ? launch(operation, native) : post(operation, native);
}

int Plane::cancel(MPI_Request* request) {
    const OperationPtr operation = operation_of(*request);
    if (operation == nullptr) {
        return PMPI_Cancel(request);
    }
    if (operation->sends) {
        // It is as good as sent: the program gets its memory back. In the library a send stays, for the receiver may
        // wait for it to be accounted for.
        for (auto& [key, payload] : payloads_) {
            if (payload.operation == operation) {
                payload.own.assign(payload.bytes.begin(), payload.bytes.end());
                payload.bytes = payload.own;
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

// Probes.

std::optional<Arrival> Plane::look(Channel& channel, int source, int tag, bool take) {
    const Pattern pattern = pattern_of(source, tag);
    if (take) {
        return endpoint_.extract(channel.id, pattern);
    }
    const Arrival* const arrival = endpoint_.probe(channel.id, pattern);
    return arrival != nullptr ? std::optional(*arrival) : std::nullopt;
}

int Plane::iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    const auto channel = channel_of(comm);
    if (channel == nullptr || source == MPI_PROC_NULL || !endpoint_.taken_over(channel->id)) {
        return PMPI_Iprobe(source, tag, comm, flag, status);
    }
    const auto arrival = look(*channel, source, tag, false);
    *flag = arrival.has_value() ? 1 : 0;
    if (arrival) {
        const auto* native = std::get_if<NativeHandle>(&arrival->body);
        fill(status, arrival->source, arrival->tag,
             native != nullptr ? pulled_.at(*native).size_B : std::get<Relayed>(arrival->body).size_B, false);
    }
    return MPI_SUCCESS;
}

int Plane::improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    const auto channel = channel_of(comm);
    MPI_Status own{};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    if (channel == nullptr || source == MPI_PROC_NULL || !endpoint_.taken_over(channel->id)) {
        const int error = PMPI_Improbe(source, tag, comm, flag, message, status);
        if (error == MPI_SUCCESS && *flag != 0 && channel != nullptr && source != MPI_PROC_NULL) {
            endpoint_.native_extracted(channel->id, status->MPI_SOURCE);
        }
        return error;
    }
    const auto arrival = look(*channel, source, tag, true);
    *flag = arrival.has_value() ? 1 : 0;
    if (!arrival) {
        return MPI_SUCCESS;
    }
    if (const auto* native = std::get_if<NativeHandle>(&arrival->body)) {
        const auto pulled = pulled_.extract(*native);
        *message = pulled.mapped().message;
        fill(status, arrival->source, arrival->tag, pulled.mapped().size_B, false);
        return MPI_SUCCESS;
    }
    // The program needs a genuine handle: that of an empty message to itself, which nobody else sees.
    MPI_Request sending{};
    PMPI_Isend(nullptr, 0, datatype_byte(), 0, 1, own_, &sending);
    for (int found = 0; found == 0;) {
        PMPI_Improbe(0, 1, own_, &found, message, MPI_STATUS_IGNORE);
    }
    extracted_[key_of(*message)] = {channel, *arrival, sending};
    fill(status, arrival->source, arrival->tag, std::get<Relayed>(arrival->body).size_B, false);
    return MPI_SUCCESS;
}

int Plane::imrecv(void* buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    auto extracted = extracted_.extract(key_of(*message));
    if (extracted.empty()) {
        return fits(count) ? PMPI_Imrecv(buffer, static_cast<int>(count), datatype, message, request)
                           : PMPI_Imrecv_c(buffer, count, datatype, message, request);
    }
    PMPI_Mrecv(nullptr, 0, datatype_byte(), message, MPI_STATUS_IGNORE);
    PMPI_Wait(&extracted.mapped().sending, MPI_STATUS_IGNORE);
    const auto operation = std::make_shared<Operation>();
    operation->channel = extracted.mapped().channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->active = true;
    operation->receive = endpoint_.receive_extracted(operation->channel->id, extracted.mapped().arrival);
    receives_[operation->receive] = operation;
    handle_events();
    give_handle(operation, request);
    return MPI_SUCCESS;
}

// Finish.

void Plane::finish() {
    wait_until([this] {
        for (Process peer = 0; peer < processes_; ++peer) {
            if (peer != self_ && !endpoint_.flushed(peer)) {
                return false;
            }
        }
        return background_.empty();
    });
    gather(control_);
    // Nobody needs another frame. Those on their way are received, so that none is left to the library.
    std::vector<std::uint64_t> coming(processes_);
    MPI_Request exchange{};
    locked([&] {
        finished_ = true;
        return PMPI_Ialltoall(mpi_carrier_->sent().data(), sizeof(std::uint64_t), datatype_byte(), coming.data(),
                              sizeof(std::uint64_t), datatype_byte(), control_, &exchange);
    });
    wait_native(exchange);
    std::uint64_t frames = 0;
    for (const std::uint64_t from : coming) {
        frames += from;
    }
    wait_until([&] { return mpi_carrier_->arrived() == frames && mpi_carrier_->idle(); });
    tell_agent();
    for (std::size_t at = 0; at < to_free_.size(); ++at) {  // attributes' callbacks may add some
        PMPI_Comm_free(&to_free_[at]);
    }
    PMPI_Comm_free(&frames_);
    PMPI_Comm_free(&control_);
    PMPI_Comm_free(&own_);
}

int Plane::wait_native(MPI_Request request) {
    int error = MPI_SUCCESS;
    wait_until([&] {
        int over = 0;
        error = PMPI_Test(&request, &over, MPI_STATUS_IGNORE);
        return over != 0 || error != MPI_SUCCESS;
    });
    return error;
}

}  // namespace fairlead::relay
