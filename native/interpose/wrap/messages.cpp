// SPDX-License-Identifier: Apache-2.0
#include "wrap/messages.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "wrap/handle_table.hpp"
#include "wrap/requests.hpp"

namespace fairlead {

namespace {

std::mutex matches_mutex;
HandleTable<Match> matches;

// What a thread asks for by probes, or has found, and since when.
struct Asked {
    std::uintptr_t communicator = 0;
    int source = 0;
    int tag = 0;
    std::uint64_t begun_ticks = 0;     // entry of the first probe for it; 0: there was none
    std::uint64_t computed_ticks = 0;  // that the thread had computed until then

    bool is_for(MPI_Comm comm, int of_source, int of_tag) const {
        return begun_ticks != 0 && communicator == key_of(comm) && source == of_source && tag == of_tag;
    }
};

struct Probes {
    std::vector<Asked> in_vain;  // in a row: who does anything else between two probes has not waited
    Asked found;                 // by the last one that found a message, until that is received
};
constexpr std::size_t kMostInVain = 64;  // what programs ask for in turn is searched one by one

Probes& probes_of(record::Thread& thread) {
    if (thread.probes == nullptr) [[unlikely]] {
        thread.probes = new Probes();
    }
    return *static_cast<Probes*>(thread.probes);
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

// Of the message that is received; with `begun_ticks` 0 where no probe found it.
Asked take_found(record::Thread& thread, MPI_Comm comm, const MPI_Status& status) {
    auto* const probes = static_cast<Probes*>(thread.probes);
    if (probes == nullptr || !probes->found.is_for(comm, status.MPI_SOURCE, status.MPI_TAG)) {
        return {};
    }
    return std::exchange(probes->found, {});
}

void need_message(record::Message* message, const Asked& asked) {
    if (message != nullptr) {
        message->needed_ticks = asked.begun_ticks;
        message->computed_ticks = asked.computed_ticks;
    }
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
    need_message(message, found);
    end_receive(call, message, world_rank, status.MPI_TAG, bytes_of(status));
}

void probed(Call& call, MPI_Comm comm, int source, int tag, const MPI_Status& status) {
    Asked& found = probes_of(call.thread()).found;
    found = asked_for(call, comm, source, tag);
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
    Match match{.from = shared_communicator(comm)};
    match.message =
        begin_message(call, record::End::receive, match.from->identity, record::kAnySource, record::kAnyTag);
    need_message(match.message, asked_for(call, comm, source, tag));
    const std::scoped_lock lock(matches_mutex);
    matches.insert(key_of(message), std::move(match));
}

Match take_match(MPI_Message message) {
    const std::scoped_lock lock(matches_mutex);
    Match* found = matches.find(key_of(message));
    Match match = found != nullptr ? *found : Match{};
    matches.erase(key_of(message));
    return match;
}

void received(Call& call, const Match& match, const MPI_Status& status) {
    if (match.from != nullptr) {
        const int world_rank = match.from->world_rank(status.MPI_SOURCE);
        call.row().received_B += bytes_of(status);
        call.thread().received(world_rank, bytes_of(status));
        end_receive(call, match.message, world_rank, status.MPI_TAG, bytes_of(status));
    }
}

void receive_later(Call& call, MPI_Comm comm, int source, int tag, MPI_Request request) {
    if (source != MPI_PROC_NULL) {
        if (auto* const probes = static_cast<Probes*>(call.thread().probes)) {
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

void forget_request(MPI_Request request) {
    if (any_tracked()) {
        if (Operation operation; tracked(request, operation) && operation.message != nullptr) {
            record::Thread::current().forget(*operation.message);
        }
        untrack(request);
    }
}

}  // namespace fairlead
