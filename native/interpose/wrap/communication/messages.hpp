// SPDX-License-Identifier: Apache-2.0
// Point-to-point messages: counted when they are known, which for a receive is at its completion.
//
// A message stands in the row of the function that described it (MPI_Irecv, not MPI_Wait).
#pragma once

#include <cstdint>
#include <memory>

#include "mpi/handles.hpp"
#include "wrap/call.hpp"
#include "wrap/communication/message_log.hpp"

namespace fairlead {

// Of no elements nobody looks at the datatype: it may be anything.
inline std::uint64_t bytes(MPI_Count count, MPI_Datatype datatype) {
    return count != 0 ? static_cast<std::uint64_t>(count) * size_of(datatype) : 0;
}

// Counts a message that went out with this call; whom to, as a rank of the world.
inline int count_sent(Call& call, const Communicator& known, int dest, std::uint64_t size_B) {
    const int world_rank = known.world_rank(dest);
    call.gives(size_B);
    call.thread().sent(world_rank, size_B);
    return world_rank;
}

// Likewise; it stands in the record, open, where messages are kept.
inline record::Message* begin_sent(Call& call, MPI_Comm comm, int dest, int tag, std::uint64_t size_B) {
    if (dest == MPI_PROC_NULL) {
        return nullptr;
    }
    const Communicator& known = communicator(comm);
    const int world_rank = count_sent(call, known, dest, size_B);
    return begin_message(call, record::End::send, known.identity, world_rank, tag, size_B);
}

// It is complete.
inline void sent(Call& call, MPI_Comm comm, int dest, int tag, std::uint64_t size_B) {
    if (dest != MPI_PROC_NULL) {
        const Communicator& known = communicator(comm);
        const int world_rank = count_sent(call, known, dest, size_B);
        tell_message(call, record::End::send, known.identity, world_rank, tag, size_B);
    }
}

// It is sent meanwhile, and `request` tells when its buffer is free again.
void sent_meanwhile(Call& call, MPI_Comm comm, int dest, int tag, std::uint64_t size_B, MPI_Request request);

// A message that came in with this call.
void received(Call& call, MPI_Comm comm, const MPI_Status& status);

int class_of(int error);
// Whether the call failed by a message that did not fit. That was received, and has its place in the order; but it is
// not counted.
inline bool is_too_long(const Call& call, int error) {
    return call.outermost() && error != MPI_SUCCESS && class_of(error) == MPI_ERR_TRUNCATE;
}
void received_too_long(Call& call, MPI_Comm comm, int source, int tag, const MPI_Status& status);

// What a probe told, and since when the program has asked: the receive that follows gets that very message.
void probed(Call& call, MPI_Comm comm, int source, int tag, const MPI_Status& status);
// A probe found none.
void probed_nothing(Call& call, MPI_Comm comm, int source, int tag);

// What a thread asks for by probes, or has found, and since when.
struct Asked {
    std::uintptr_t communicator = 0;
    int source = 0;
    int tag = 0;
    std::uint64_t begun_ticks = 0;     // entry of the first probe for it; 0: there was none
    std::uint64_t computed_ticks = 0;  // that the thread had computed until then; when it is found, since then
    std::uint64_t found_ticks = 0;     // end of the probe that found it

    bool is_for(MPI_Comm comm, int of_source, int of_tag) const;
};

// What a matched probe learnt: the communicator that the source is a rank of.
struct Match {
    std::shared_ptr<const Communicator> from{};
    record::Message* message = nullptr;
    Asked asked{};
    MPI_Message handle{};
};
void matched(Call& call, MPI_Comm comm, int source, int tag, MPI_Message message);
Match take_match(const MPI_Message* message);  // null: the library refuses it
void received(Call& call, const Match& match, const MPI_Status& status);
void received_too_long(Call& call, const Match& match, const MPI_Status& status);
// The call failed; `message` is the handle as it left it.
void not_received(Call& call, const Match& match, const MPI_Message* message);

constexpr std::uint64_t kByStatus = ~std::uint64_t{0};  // a size that only the status tells

// What a request does. Requests that only send, and are not persistent, need a description only where messages are
// kept.
struct Operation {
    Function function{};
    bool persistent = false;
    bool active = true;  // a persistent one: started, and not complete
    bool sends = false;
    bool receives = false;
    bool collective = false;
    bool at_once = false;  // it was complete as it began: what was not asked for yet has the same handle
    int peer = 0;          // rank in the world; of a receive valid where `any_source` is null
    int tag = 0;
    std::uint64_t sent_B = 0;
    std::uint64_t received_B = kByStatus;
    std::shared_ptr<const Communicator> any_source{};
    std::uint64_t communicator = kNoIdentity;
    record::Message* message = nullptr;  // in the record; of a persistent one, since its last start
    std::uint64_t serial = 0;            // tells it from a later one with the same handle; given by `track`
};

// `request` will receive a message from `source`.
void receive_later(Call& call, MPI_Comm comm, int source, int tag, MPI_Request request);
void receive_later(Call& call, const Match& match, MPI_Request request);

// Each start of the persistent `request` will do so.
void send_when_started(Call& call, MPI_Comm comm, int dest, int tag, std::uint64_t size_B, MPI_Request request);
void receive_when_started(Call& call, MPI_Comm comm, int source, int tag, std::uint64_t size_B, MPI_Request request);
void collective_when_started(Call& call, std::uint64_t given_B, std::uint64_t got_B, MPI_Request request);

void started(Call& call, int count, const MPI_Request requests[]);
void forget_request(Call& call, MPI_Request request);

}  // namespace fairlead
