// SPDX-License-Identifier: Apache-2.0
// What every call does for the plane: frames in, the library's answers, frames out.
#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "fairlead/relay/wire.hpp"
#include "mpi/handles.hpp"
#include "relay/library/fatal.hpp"
#include "relay/library/native_calls.hpp"
#include "relay/library/unheard.hpp"
#include "relay/plane/now.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

namespace {

constexpr unsigned kPollsToRevocation = 16;  // between looks whether communicators were revoked, and
constexpr Time kToRevocation_s = 1e-3;       // so long
// Copies on their way are tested so many at once: each test is a step of the library's progress.
constexpr std::size_t kMostTested = 16;

}  // namespace

void Plane::poll() {
    polling_ = true;
    if (absence_ != nullptr) {
        absence_->program_stepped();
    }
    if (!ended_) {
        carrier_->poll([this](std::span<const std::uint8_t> frame) { accept(frame); });
        if (fallback_ != nullptr) {
            follow_agents();
        }
        if (mpi_carrier_->failures() != gone_processes_) {
            follow_failures();
        }
        if (PMPIX_Comm_is_revoked != nullptr && ++polls_ % kPollsToRevocation == 0) {
            follow_revocations();
        }
    }
    settle();
    finish_transfers();
    finish_pairs();
    reap();
    finish_emptying();
    transmit();
    stranded_.reset();
    polling_ = false;
}

/// By a thread of our own: frames in, and acknowledgements and what was lost out, by the agents. The library may be
/// called by the program's threads only, unless it allows any; and not between two copies, see enter_to_begin().
void Plane::step_in_absence() {
    const std::scoped_lock lock(mutex_);
    if (ended_) {
        return;
    }
    Carrier& carrier = threads_at_once && !copies_ ? *carrier_ : fallback_->without_mpi();
    carrier.poll([this](std::span<const std::uint8_t> frame) { accept(frame); });
    follow_agents();
    transmit_by(carrier);
    if (!threads_at_once) {
        tell_what_waits();
    }
}

void Plane::watch_absence() {
    if (absence_ == nullptr) {
        return;
    }
    try {
        absence_->begin();
    } catch (const std::system_error& error) {
        absence_.reset();
        std::fprintf(
            stderr,
            "fairlead: rank %u: cannot start the thread that handles frames while the program is outside MPI: %s\n",
            self_, error.what());
    }
}

void Plane::accept(std::span<const std::uint8_t> bytes) {
    const auto decoded = wire::decode(bytes, processes_);
    const auto* whole = std::get_if<wire::Decoded>(&decoded);
    if (whole == nullptr) {
        fatal("malformed frame: %s", wire::name(std::get<wire::DecodeError>(decoded)).data());
    }
    try {
        const Frame& frame = whole->frame;
        if (gone_[frame.from]) {  // what was kept for it is gone, too
            return;
        }
        last_arrival_s_ = now_s();
        watch_absence();
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
    for (const CommunicatorId id : endpoint_.awaiting_library()) {  // a program may have a thousand others
        const auto found = channels_by_id_.find(id);
        if (found != channels_by_id_.end()) {
            const auto channel = found->second;
            take_from_library(*channel);
            pull(*channel);
        }
    }
}

void Plane::follow_failures() {
    handle_events();  // of frames that came before
    gone_processes_ = mpi_carrier_->failures();
    for (Process peer = 0; peer < processes_; ++peer) {
        if (const int error = mpi_carrier_->error_of(peer); error != MPI_SUCCESS && !gone_[peer]) {
            gone_[peer] = true;
            fail(peer, error);
        }
    }
}

/// What the plane has of the program's for a process that failed ends with the error that the library ends its own
/// with.
void Plane::fail(Process peer, int error) {
    const auto end = [error](Operation& operation) {
        operation.error = error;
        operation.complete = true;
    };
    std::erase_if(payloads_, [&](const auto& entry) {
        if (entry.first.first != peer) {
            return false;
        }
        all_held_B_ -= entry.second.held_B;
        held_B_[peer] -= entry.second.held_B;
        if (entry.second.operation != nullptr) {
            end(*entry.second.operation);
        }
        return true;
    });
    std::erase_if(receives_, [&](const auto& entry) {
        const OperationPtr& operation = entry.second;
        if (operation->in_library) {
            return false;
        }
        const auto matched = matched_.find(entry.first);
        const bool coming = matched != matched_.end() && matched->second.first == peer;
        if (!coming && !(is_gone(*operation) && endpoint_.withdraw_receive(operation->channel->id, entry.first))) {
            return false;
        }
        matched_.erase(entry.first);
        end(*operation);
        return true;
    });
}

void Plane::follow_revocations() {
    const Time time_s = now_s();
    if (time_s < next_revoked_s_) {
        return;
    }
    next_revoked_s_ = time_s + kToRevocation_s;
    for (const auto& [handle, channel] : channels_) {
        const bool is_there = channel->freed_by == std::thread::id();
        if (is_there && !channel->revoked && is_revoked(channel->comm)) {
            channel->revoked = true;
            revoke(*channel);
        }
    }
}

bool Plane::is_revoked(MPI_Comm comm) {
    if (comm == comm_null()) return false;  // to ask is an error, which the program's handler would be told of
    int revoked = 0;
    return PMPIX_Comm_is_revoked != nullptr && PMPIX_Comm_is_revoked(comm, &revoked) == MPI_SUCCESS && revoked != 0;
}

/// What the plane has of the program's on the communicator ends, as what the library has. What is sent goes on, from a
/// copy: the receiver's link counts it.
void Plane::revoke(const Channel& channel) {
    handle_events();
    for (auto& [key, payload] : payloads_) {
        if (payload.communicator != channel.id || payload.operation == nullptr) {
            continue;
        }
        if (payload.own.empty()) {
            payload.own.assign(payload.bytes.begin(), payload.bytes.end());
            payload.bytes = payload.own;
        }
        const OperationPtr operation = std::exchange(payload.operation, nullptr);
        operation->error = kErrorRevoked;
        operation->complete = true;
    }
    std::erase_if(receives_, [&](const auto& entry) {
        const OperationPtr& operation = entry.second;
        const bool ours = operation->channel.get() == &channel && !operation->in_library;
        if (!ours || (matched_.erase(entry.first) == 0 && !endpoint_.withdraw_receive(channel.id, entry.first))) {
            return false;
        }
        operation->error = kErrorRevoked;
        operation->complete = true;
        return true;
    });
}

bool Plane::is_gone(const Operation& operation) const {
    return operation.peer >= 0 && gone_[operation.channel->processes[static_cast<std::size_t>(operation.peer)]];
}

// Rule 2: youngest first, each after the outcome of the one before.
void Plane::take_from_library(Channel& channel) {
    while (const auto receive = endpoint_.next_to_cancel(channel.id)) {
        const OperationPtr operation = receives_.at(*receive);
        if (!operation->cancel_asked) {
            operation->cancel_asked = true;
            has_own_requests_ = true;
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
    if (gone_processes_ == 0) {
        return pull_from(channel, MPI_ANY_SOURCE);
    }
    const Unheard unheard(channel);
    for (std::size_t source = 0; source < channel.processes.size(); ++source) {
        if (!gone_[channel.processes[source]]) {
            pull_from(channel, static_cast<int>(source));
        }
    }
}

/// For a call that looks at what is there. Where messages are waited for, they were just pulled. Not while the library
/// copies a communicator: enter_to_begin().
void Plane::pull_for_call(Channel& channel) {
    if (!polling_ && !copies_ && endpoint_.is_under_takeover(channel.id) && !endpoint_.awaits_library(channel.id)) {
        pull(channel);
    }
}

void Plane::pull_from(Channel& channel, int source) {
    const bool may_ask = channel.suspended == 0 &&
                         (channel.freed_by == std::thread::id() || channel.freed_by == std::this_thread::get_id());
    int found = may_ask ? 1 : 0;
    while (found != 0 && endpoint_.may_pull(channel.id)) {
        Pulled pulled;
        MPI_Status status{};
        if (PMPI_Improbe(source, MPI_ANY_TAG, channel.comm, &found, &pulled.message, &status) != MPI_SUCCESS) {
            return;
        }
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

int Plane::receive(Operation& operation, Pulled& pulled) {
    const Layout& layout = operation.layout;
    if (pulled.size_B <= layout.size_B()) {
        return native_imrecv(layout, &pulled.message, &operation.transfer);
    }
    // The library would tell the error handler that it does not fit, in whatever call asks for it first.
    operation.scratch.resize(pulled.size_B);
    const Layout whole(operation.scratch.data(), static_cast<MPI_Count>(pulled.size_B), datatype_packed());
    return native_imrecv(whole, &pulled.message, &operation.transfer);
}

void Plane::handle(const ReceiveMatched& event) {
    const OperationPtr operation = receives_.at(event.match.receive);
    const Arrival& arrival = event.match.arrival;
    operation->got_source = arrival.source;
    operation->got_tag = arrival.tag;
    if (const auto* native = std::get_if<NativeHandle>(&arrival.body)) {
        receives_.erase(event.match.receive);
        auto pulled = pulled_.extract(*native);
        operation->error = receive(*operation, pulled.mapped());
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
    if (gone_[relayed.peer]) {  // the rest of it does not come
        operation->error = mpi_carrier_->error_of(relayed.peer);
        operation->complete = true;
        receives_.erase(event.match.receive);
        return;
    }
    matched_.emplace(event.match.receive, key);
    if (!operation->layout.contiguous() || relayed.size_B > operation->layout.size_B()) {
        operation->scratch.resize(relayed.size_B);
    }
}

void Plane::handle(const Arrived& event) {
    if (!receives_.contains(event.receive)) {  // its communicator was revoked
        return;
    }
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
    held_B_[event.peer] -= payload.mapped().held_B;
    all_held_B_ -= payload.mapped().held_B;
    if (payload.mapped().operation != nullptr) {
        payload.mapped().operation->complete = true;
    }
}

void Plane::handle(const Unreceivable& event) {
    arrived_.erase({{event.peer, event.message}, 0});
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
        if (error == MPI_SUCCESS && !operation.scratch.empty()) {
            put(operation, std::exchange(operation.scratch, {}));
        } else {
            operation.error = error;
            operation.got_B = bytes_of(status);
            operation.complete = true;
        }
        each = transfers_.erase(each);
    }
}

/// Of buffered sends, the native copies. Those looked at go last: so all have their turn.
void Plane::reap_copies(std::size_t most) {
    auto next = background_.begin();
    for (std::size_t open = 0; next != background_.end() && open < most;) {
        int over = 0;
        const int error = PMPI_Test(&next->request, &over, MPI_STATUS_IGNORE);
        if (over != 0 || error != MPI_SUCCESS) {
            next = background_.erase(next);
        } else {
            ++next;
            ++open;
        }
    }
    background_.splice(background_.end(), background_, background_.begin(), next);
}

void Plane::reap() {
    reap_copies(kMostTested);
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

void Plane::transmit_by(Carrier& carrier) {
    const std::vector<Process> open = endpoint_.open();
    if (open.empty() || finished_) {  // what the others took is told to nobody any more
        return;
    }
    const Time time_s = now_s();
    for (const Process peer : open) {
        while (!gone_[peer] && carrier.ready(peer)) {
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
            watch_absence();
            if (&carrier == carrier_.get() && fallback_ != nullptr && endpoint_.counters().retransmitted != before) {
                fallback_->send_again(peer, std::move(bytes));
            } else {
                carrier.send(peer, std::move(bytes));
            }
        }
    }
}

}  // namespace fairlead::relay
