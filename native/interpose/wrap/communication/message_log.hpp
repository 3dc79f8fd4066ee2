// SPDX-License-Identifier: Apache-2.0
// The ends of messages in the record, one by one (record/layout.hpp). A null one is not kept: nothing is done with it.
#pragma once

#include <cstdint>

#include "mpi/handles.hpp"
#include "wrap/call.hpp"
#include "wrap/communication/envelopes.hpp"

namespace fairlead {

// Of the process's envelopes (wrap/communication/envelopes.hpp), while rings are written.
std::uint32_t number_begun(const Envelope& envelope);
void number_ended_wildcard(record::Message& message);
void number_cancelled(const record::Message& message);

// This call describes a message, or starts it. `world_rank` and `tag` may be those of a receive from anybody.
inline record::Message* begin_message(Call& call, record::End end, std::uint64_t communicator, int world_rank, int tag,
                                      std::uint64_t size_B = 0) {
    record::Message* message = communicator != kNoIdentity ? call.thread().new_message() : nullptr;
    if (message != nullptr) {
        const std::uint32_t number = record::writes_rings() ? number_begun({end, communicator, world_rank, tag}) : 0;
        *message = {.communicator = communicator,
                    .size_B = size_B,
                    .begun_ticks = call.begin_ticks(),
                    .needed_ticks = 0,
                    .computed_ticks = 0,
                    .done_ticks = 0,
                    .peer = world_rank,
                    .tag = tag,
                    .function = static_cast<std::uint16_t>(call.function()),
                    .completed_by = 0,
                    .end = end,
                    .number = record::number_bytes(number)};
    }
    return message;
}

// Who takes part in a collective call.
struct Members {
    MPI_Comm comm;
    int root = MPI_PROC_NULL;  // none
    bool all = true;           // all of them wait for each other, in the order of the calls
};

// This call enters a collective operation, or starts it. Null where they are not kept.
inline record::Message* begin_collective(Call& call, const Members& members, std::uint64_t size_B) {
    if (!record::keeps_collectives()) {
        return nullptr;
    }
    const Communicator& known = communicator(members.comm);
    record::Message* message = known.identity != kNoIdentity ? call.thread().new_message() : nullptr;
    if (message != nullptr) {
        *message = {.communicator = known.identity,
                    .size_B = size_B,
                    .begun_ticks = call.begin_ticks(),
                    .needed_ticks = 0,
                    .computed_ticks = 0,
                    .done_ticks = 0,
                    .peer = members.root >= 0 ? known.world_rank(members.root) : record::kNoRoot,
                    .tag = members.all && !known.inter ? known.size : record::kNotAll,
                    .function = static_cast<std::uint16_t>(call.function()),
                    .completed_by = 0,
                    .end = record::End::collective,
                    .number = {}};
        set_number(*message, static_cast<std::uint32_t>(known.rank));
    }
    return message;
}

// This call is a test that found it open.
inline void need_message(Call& call, record::Message* message) {
    if (message != nullptr && message->needed_ticks == 0) {
        message->needed_ticks = call.begin_ticks();
        message->computed_ticks = call.thread().computed_ticks();  // so far; what it became since is known at the end
    }
}

// This call completes it.
inline void end_message(Call& call, record::Message& message, int world_rank, int tag, std::uint64_t size_B) {
    const bool tested = message.needed_ticks != 0;
    call.thread().ended(message, {.size_B = size_B,
                                  .needed_ticks = tested ? message.needed_ticks : call.begin_ticks(),
                                  .computed_ticks = tested ? call.thread().computed_since(message.computed_ticks) : 0,
                                  .done_ticks = call.end_ticks(),
                                  .peer = world_rank,
                                  .tag = tag,
                                  .completed_by = static_cast<std::uint16_t>(call.function())});
}

inline void end_message(Call& call, record::Message* message) {
    if (message != nullptr) {
        end_message(call, *message, message->peer, message->tag, message->size_B);
    }
}

// This call alone made and completes it. Where it is only passed on, that is done in one step.
inline void tell_message(Call& call, record::End end, std::uint64_t communicator, int world_rank, int tag,
                         std::uint64_t size_B) {
    if (!call.thread().only_passes_messages()) {
        end_message(call, begin_message(call, end, communicator, world_rank, tag, size_B));
    } else if (communicator != kNoIdentity) {
        const std::uint32_t number = number_begun({end, communicator, world_rank, tag});
        call.thread().pass({.communicator = communicator,
                            .size_B = size_B,
                            .begun_ticks = call.begin_ticks(),
                            .needed_ticks = call.begin_ticks(),
                            .computed_ticks = 0,
                            .done_ticks = call.end_ticks(),
                            .peer = world_rank,
                            .tag = tag,
                            .function = static_cast<std::uint16_t>(call.function()),
                            .completed_by = static_cast<std::uint16_t>(call.function()),
                            .end = end,
                            .number = record::number_bytes(number)});
    }
}

inline void end_receive(Call& call, record::Message* message, int world_rank, int tag, std::uint64_t size_B) {
    if (message != nullptr) {
        if (record::writes_rings() && envelope_of(*message).is_wildcard()) {
            message->peer = world_rank;
            message->tag = tag;
            number_ended_wildcard(*message);
        }
        end_message(call, *message, world_rank, tag, size_B);
    }
}

// This call found that it ended with an error: no end is told of it. Which of the messages it got, if any, nobody
// knows; nor does anybody know the order after it.
inline void lose_message(Call& call, record::Message* message) {
    if (message != nullptr) {
        if (record::writes_rings() && message->end == record::End::receive && !envelope_of(*message).is_wildcard()) {
            number_cancelled(*message);
        }
        call.thread().forget(*message);
    }
}

// Likewise, but it is known which message the receive got.
inline void lose_receive(Call& call, record::Message* message, int world_rank, int tag) {
    if (message != nullptr) {
        const bool wildcard = envelope_of(*message).is_wildcard();
        message->peer = world_rank;
        message->tag = tag;
        if (record::writes_rings() && wildcard) {
            number_ended_wildcard(*message);
        }
        call.thread().forget(*message);
    }
}

// This call found it cancelled.
inline void cancel_message(Call& call, record::Message* message) {
    if (message != nullptr) {
        message->end = record::End::cancelled;
        if (record::writes_rings()) {
            number_cancelled(*message);
        }
        call.thread().forget(*message);
    }
}

}  // namespace fairlead
