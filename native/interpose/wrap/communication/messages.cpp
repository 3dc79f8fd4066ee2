// SPDX-License-Identifier: Apache-2.0
#include "wrap/communication/messages.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "mpi/lasting.hpp"
#include "relay/calls/calls.hpp"
#include "wrap/communication/requests.hpp"
#include "wrap/handle_table.hpp"

namespace fairlead {

namespace {

std::mutex matches_mutex;
Lasting<HandleTable<Match>> matches;

struct Probes : record::Thread::Probes {
    std::vector<Asked> in_vain;  // in a row: who does anything else between two probes has not waited
    Asked found;                 // by the last one that found a message, until that is received
};
constexpr std::size_t kMostInVain = 64;  // what programs ask for in turn is searched one by one

Probes& probes_of(record::Thread& thread) {
    if (thread.probes == nullptr) [[unlikely]] {
        thread.probes = std::make_unique<Probes>();
    }
    return static_cast<Probes&>(*thread.probes);
}

// Since when the program asks for what this probe asks for.
Asked asked_for(Call& call, MPI_Comm comm, int source, int tag) {
    std::vector<Asked>& in_vain = probes_of(call.thread()).in_vain;
    if (!call.thread().follows_vain_test(call.begin_ticks())) {
        in_vain.clear();
    }
    const auto known = std::ranges::find_if(in_vain, [&](const Asked& each) { return each.is_for(comm, source, tag); });
    return known != in_vain.end()
               ? *known
               : Asked{key_of(comm), source, tag, call.begin_ticks(), call.thread().computed_ticks()};
}

// Likewise, when this probe has found it.
Asked found_by(Call& call, MPI_Comm comm, int source, int tag) {
    Asked found = asked_for(call, comm, source, tag);
    found.computed_ticks = call.thread().computed_since(found.computed_ticks);
    found.found_ticks = call.end_ticks();
    return found;
}

// Of the message that is received; with `begun_ticks` 0 where no probe found it.
Asked take_found(record::Thread& thread, MPI_Comm comm, const MPI_Status& status) {
    auto* const probes = static_cast<Probes*>(thread.probes.get());
    if (probes == nullptr || !probes->found.is_for(comm, status.MPI_SOURCE, status.MPI_TAG)) {
        return {};
    }
    return std::exchange(probes->found, {});
}

// This call receives what was found. Since then the thread has not waited for it.
void need_message(Call& call, record::Message* message, const Asked& found) {
    if (message != nullptr) {
        message->needed_ticks = found.begun_ticks;
        message->computed_ticks =
            call.thread().computed_ticks() - found.computed_ticks - (call.begin_ticks() - found.found_ticks);
    }
}

bool is_rank(const Communicator& comm, int source) {
    return source >= 0 && source < comm.peers;
}

Operation receive_from(Call& call, MPI_Comm comm, int source, int tag) {
    const Communicator& known = communicator(comm);
    Operation operation{.function = call.function(), .receives = true, .tag = tag, .communicator = known.identity};
    if (source == MPI_ANY_SOURCE) {
        operation.any_source = shared_communicator(comm);
    } else {
        operation.peer = known.world_rank(source);
    }
    return operation;
}

record::Message* begin_message(Call& call, const Operation& operation) {
    if (operation.sends) {
        return begin_message(call, record::End::send, operation.communicator, operation.peer, operation.tag,
                             operation.sent_B);
    }
    const int source = operation.any_source != nullptr ? record::kAnySource : operation.peer;
    return begin_message(call, record::End::receive, operation.communicator, source, operation.tag);
}

}  // namespace

bool Asked::is_for(MPI_Comm comm, int of_source, int of_tag) const {
    return begun_ticks != 0 && communicator == key_of(comm) && source == of_source && tag == of_tag;
}

int class_of(int error) {
    int result = error;
    next<int(int, int*)>(Function::MPI_Error_class)(error, &result);
    return result;
}

void sent_meanwhile(Call& call, MPI_Comm comm, int dest, int tag, std::uint64_t size_B, MPI_Request request) {
    if (record::Message* message = begin_sent(call, comm, dest, tag, size_B)) {
        track(call, request, {.function = call.function(), .sends = true, .message = message});
    }
}

void received(Call& call, MPI_Comm comm, const MPI_Status& status) {
    if (status.MPI_SOURCE == MPI_PROC_NULL || is_cancelled(status)) {
        return;
    }
    const Communicator& known = communicator(comm);
    const int world_rank = known.world_rank(status.MPI_SOURCE);
    call.row().received_B += bytes_of(status);
    call.thread().received(world_rank, bytes_of(status));
    const Asked found = take_found(call.thread(), comm, status);
    if (found.begun_ticks == 0) {
        return tell_message(call, record::End::receive, known.identity, world_rank, status.MPI_TAG, bytes_of(status));
    }
    record::Message* message = begin_message(call, record::End::receive, known.identity, world_rank, status.MPI_TAG);
    need_message(call, message, found);
    end_receive(call, message, world_rank, status.MPI_TAG, bytes_of(status));
}

void received_too_long(Call& call, MPI_Comm comm, int source, int tag, const MPI_Status& status) {
    const Communicator& known = communicator(comm);
    const int from = source == MPI_ANY_SOURCE ? status.MPI_SOURCE : source;
    if (is_rank(known, from)) {
        take_found(call.thread(), comm, status);
        const int world_rank = known.world_rank(from);
        const int with_tag = tag == MPI_ANY_TAG ? status.MPI_TAG : tag;
        lose_receive(call, begin_message(call, record::End::receive, known.identity, world_rank, with_tag), world_rank,
                     with_tag);
    }
}

void probed(Call& call, MPI_Comm comm, int source, int tag, const MPI_Status& status) {
    Asked& found = probes_of(call.thread()).found;
    found = found_by(call, comm, source, tag);
    found.source = status.MPI_SOURCE;
    found.tag = status.MPI_TAG;
}

void probed_nothing(Call& call, MPI_Comm comm, int source, int tag) {
    const Asked asked = asked_for(call, comm, source, tag);
    std::vector<Asked>& in_vain = probes_of(call.thread()).in_vain;
    if (asked.begun_ticks == call.begin_ticks() && in_vain.size() < kMostInVain) {
        in_vain.push_back(asked);
    }
    call.thread().found_nothing(call.end_ticks());
}

void matched(Call& call, MPI_Comm comm, int source, int tag, MPI_Message message) {
    if (message == message_no_proc()) {
        return;
    }
    Match match{.from = shared_communicator(comm), .asked = found_by(call, comm, source, tag), .handle = message};
    match.message =
        begin_message(call, record::End::receive, match.from->identity, record::kAnySource, record::kAnyTag);
    const std::scoped_lock lock(matches_mutex);
    matches->insert(key_of(message), std::move(match));
}

Match take_match(const MPI_Message* message) {
    if (message == nullptr) {
        return {};
    }
    const std::scoped_lock lock(matches_mutex);
    Match* found = matches->find(key_of(*message));
    Match match = found != nullptr ? *found : Match{};
    matches->erase(key_of(*message));
    return match;
}

void received(Call& call, const Match& match, const MPI_Status& status) {
    if (match.from != nullptr) {
        const int world_rank = match.from->world_rank(status.MPI_SOURCE);
        call.row().received_B += bytes_of(status);
        call.thread().received(world_rank, bytes_of(status));
        need_message(call, match.message, match.asked);
        end_receive(call, match.message, world_rank, status.MPI_TAG, bytes_of(status));
    }
}

void received_too_long(Call& call, const Match& match, const MPI_Status& status) {
    if (match.from != nullptr && is_rank(*match.from, status.MPI_SOURCE)) {
        lose_receive(call, match.message, match.from->world_rank(status.MPI_SOURCE), status.MPI_TAG);
    } else {
        lose_message(call, match.message);
    }
}

void not_received(Call& call, const Match& match, const MPI_Message* message) {
    if (match.from == nullptr) {
        return;
    }
    if (*message != match.handle) {
        return lose_message(call, match.message);
    }
    const std::scoped_lock lock(matches_mutex);
    matches->insert(key_of(*message), Match(match));
}

void receive_later(Call& call, MPI_Comm comm, int source, int tag, MPI_Request request) {
    if (source != MPI_PROC_NULL) {
        if (auto* const probes = static_cast<Probes*>(call.thread().probes.get())) {
            probes->found = {};  // this receive may get it
        }
        Operation operation = receive_from(call, comm, source, tag);
        if (operation.communicator != kNoIdentity) {
            operation.message = begin_message(call, operation);
        }
        track(call, request, std::move(operation));
    }
}

void receive_later(Call& call, const Match& match, MPI_Request request) {
    if (match.from != nullptr) {
        need_message(call, match.message, match.asked);
        track(call, request,
              {.function = call.function(),
               .receives = true,
               .tag = record::kAnyTag,
               .any_source = match.from,
               .message = match.message});
    }
}

void send_when_started(Call& call, MPI_Comm comm, int dest, int tag, std::uint64_t size_B, MPI_Request request) {
    if (dest != MPI_PROC_NULL) {
        const Communicator& known = communicator(comm);
        track(call, request,
              {.function = call.function(),
               .persistent = true,
               .active = false,
               .sends = true,
               .peer = known.world_rank(dest),
               .tag = tag,
               .sent_B = size_B,
               .communicator = known.identity});
    }
}

void receive_when_started(Call& call, MPI_Comm comm, int source, int tag, std::uint64_t size_B, MPI_Request request) {
    if (source != MPI_PROC_NULL) {
        Operation operation = receive_from(call, comm, source, tag);
        operation.persistent = true;
        operation.active = false;
        operation.received_B = size_B;
        track(call, request, std::move(operation));
    }
}

void collective_when_started(Call& call, std::uint64_t given_B, std::uint64_t got_B, MPI_Request request) {
    track(call, request,
          {.function = call.function(),
           .persistent = true,
           .active = false,
           .collective = true,
           .sent_B = given_B,
           .received_B = got_B});
    if (relay::plane != nullptr) {
        relay::plane->locked([request] {
            relay::plane->made_apart(request);
            return 0;
        });
    }
}

void started(Call& call, int count, const MPI_Request requests[]) {
    for (int index = 0; index < count; ++index) {
        const std::optional<Operation> operation = set_active(requests[index], true);
        if (!operation) {
            continue;
        }
        if (operation->sends || operation->receives) {
            set_message(requests[index], begin_message(call, *operation));
        }
        record::Row& row = call.thread().row(static_cast<std::size_t>(operation->function));
        if (operation->sends) {
            row.sent_B += operation->sent_B;
            call.thread().sent(operation->peer, operation->sent_B);
        } else if (operation->collective) {
            row.sent_B += operation->sent_B;
            row.received_B += operation->received_B;
            call.thread().gave(operation->sent_B);
        }
    }
}

void forget_request(Call& call, MPI_Request request) {
    Operation operation;
    if (!any_tracked() || !untrack(request, operation) || !operation.active || operation.message == nullptr) {
        return;
    }
    record::Message& message = *operation.message;
    if (operation.at_once) {  // whose the request is, of those with this handle, nobody knows
        call.thread().ended(message, {.size_B = message.size_B,
                                      .needed_ticks = call.begin_ticks(),
                                      .computed_ticks = 0,
                                      .done_ticks = call.begin_ticks(),
                                      .peer = message.peer,
                                      .tag = message.tag,
                                      .completed_by = static_cast<std::uint16_t>(call.function())});
    } else {
        call.thread().forget(message);
    }
}

}  // namespace fairlead
