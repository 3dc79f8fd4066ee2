// SPDX-License-Identifier: Apache-2.0
#include "wrap/messages.hpp"

#include <mutex>

#include "wrap/handle_table.hpp"
#include "wrap/requests.hpp"

namespace fairlead {

namespace {

std::mutex matches_mutex;
HandleTable<Match> matches;

Operation receive_from(Call& call, const std::shared_ptr<const Communicator>& from, int source) {
    Operation operation{.function = call.function(), .receives = true};
    if (source == MPI_ANY_SOURCE) {
        operation.any_source = from;
    } else {
        operation.source = from->world_rank(source);
    }
    return operation;
}

}  // namespace

void received(Call& call, MPI_Comm comm, const MPI_Status& status) {
    if (status.MPI_SOURCE == MPI_PROC_NULL || is_cancelled(status)) {
        return;
    }
    call.row().received_B += bytes_of(status);
    call.thread().received(communicator(comm).world_rank(status.MPI_SOURCE), bytes_of(status));
}

void matched(MPI_Comm comm, MPI_Message message) {
    if (message != message_no_proc()) {
        const std::scoped_lock lock(matches_mutex);
        matches.insert(key_of(message), shared_communicator(comm));
    }
}

Match take_match(MPI_Message message) {
    const std::scoped_lock lock(matches_mutex);
    Match* found = matches.find(key_of(message));
    Match match = found != nullptr ? *found : nullptr;
    matches.erase(key_of(message));
    return match;
}

void received(Call& call, const Match& match, const MPI_Status& status) {
    if (match != nullptr) {
        call.row().received_B += bytes_of(status);
        call.thread().received(match->world_rank(status.MPI_SOURCE), bytes_of(status));
    }
}

void receive_later(Call& call, MPI_Comm comm, int source, MPI_Request request) {
    if (source == MPI_ANY_SOURCE) {
        track(request, receive_from(call, shared_communicator(comm), source));
    } else if (source != MPI_PROC_NULL) {
        const int world_rank = communicator(comm).world_rank(source);
        track(request, {.function = call.function(), .receives = true, .source = world_rank});
    }
}

void receive_later(Call& call, const Match& match, MPI_Request request) {
    if (match != nullptr) {
        track(request, receive_from(call, match, MPI_ANY_SOURCE));
    }
}

void send_when_started(Call& call, MPI_Comm comm, int dest, std::uint64_t size_B, MPI_Request request) {
    if (dest != MPI_PROC_NULL) {
        track(request, {.function = call.function(),
                        .persistent = true,
                        .active = false,
                        .sends = true,
                        .destination = communicator(comm).world_rank(dest),
                        .sent_B = size_B});
    }
}

void receive_when_started(Call& call, MPI_Comm comm, int source, std::uint64_t size_B, MPI_Request request) {
    if (source != MPI_PROC_NULL) {
        Operation operation = receive_from(call, shared_communicator(comm), source);
        operation.persistent = true;
        operation.active = false;
        operation.received_B = size_B;
        track(request, std::move(operation));
    }
}

void collective_when_started(Call& call, std::uint64_t given_B, std::uint64_t got_B, MPI_Request request) {
    track(request, {.function = call.function(),
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
        record::Row& row = call.thread().row(static_cast<std::size_t>(operation->function));
        if (operation->sends) {
            row.sent_B += operation->sent_B;
            call.thread().sent(operation->destination, operation->sent_B);
        } else if (operation->collective) {
            row.sent_B += operation->sent_B;
            row.received_B += operation->received_B;
            call.thread().gave(operation->sent_B);
        }
    }
}

void forget_request(MPI_Request request) {
    if (any_tracked()) {
        untrack(request);
    }
}

}  // namespace fairlead
