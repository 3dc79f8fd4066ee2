// SPDX-License-Identifier: Apache-2.0
// A send or receive of the program, from its call (of a persistent one: from its start) to its completion.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "abi.hpp"
#include "fairlead/relay/types.hpp"
#include "relay/library/layout.hpp"

namespace fairlead::relay {

enum class Mode : std::uint8_t { standard, synchronous, buffered, ready };

/// A communicator whose messages the plane may carry; or, if it is none of its own, of whose buffered sends it makes
/// copies.
struct Channel {
    MPI_Comm comm{};
    CommunicatorId id = 0;
    Rank rank = 0;  ///< of this process, as receivers know it
    bool inter = false;
    bool outside = false;             ///< not the plane's: of all below it has only whether it was freed
    std::vector<Process> processes;   ///< that messages go to, by rank
    std::vector<std::uint64_t> sent;  ///< messages to each, for chaos mode's draws
    int suspended = 0;                ///< calls in which the library itself may use it: nothing is pulled
    std::thread::id freed_by;         ///< who is in the library's call that frees it: nobody else may ask for messages
    bool revoked = false;             ///< and what was under way on it has ended; the library refuses what is started
    bool freed = false;               ///< by the program; what is started on it later is the library's alone
};

/// A send and a receive that the program has one request for (MPI_Isendrecv).
struct Pair {
    MPI_Request sending = request_null();
    MPI_Request receiving = request_null();
    std::vector<std::uint8_t> copy;  ///< of what is sent from where the other message goes
};

/// What a call sends or receives.
struct Part {
    const void* buffer = nullptr;
    MPI_Count count = 0;
    MPI_Datatype datatype{};
};

struct Operation {
    bool sends = false;
    bool persistent = false;
    Mode mode = Mode::standard;
    std::shared_ptr<Channel> channel;
    Layout layout;
    int peer = 0;  ///< rank, or MPI_ANY_SOURCE
    Tag tag = 0;
    MPI_Request handle = request_null();  ///< the program's

    bool active = false;
    bool in_library = false;   ///< the library does it, and `handle` tells how it stands; else the plane does
    bool generalized = false;  ///< the handle is a generalized request
    bool freed = false;        ///< the program let go of the handle
    bool apart = false;        ///< the library's for good, and unknown to its MPI_Testall: it is tested by itself
    bool in_turn = false;      ///< the library's for good, and MPI_Waitall waits for such one after another
    bool cancel_asked = false;
    bool cancelled_by_program = false;
    bool accounted = false;  ///< of a receive in the library: the endpoint knows its outcome
    ReceiveId receive = 0;
    std::unique_ptr<Pair> pair;  ///< it is both of these
    int partitions = 0;          ///< of a partitioned message; it goes out when all are ready
    int ready = 0;

    // While the plane receives it.
    MPI_Request transfer = request_null();  ///< a native message that was pulled
    std::vector<std::uint8_t> scratch;      ///< a relayed one that has to be unpacked
    std::uint64_t message_B = 0;            ///< its length

    // What became of it, once it is complete on the plane.
    bool complete = false;
    bool cancelled = false;
    Rank got_source = MPI_ANY_SOURCE;
    Tag got_tag = MPI_ANY_TAG;
    std::uint64_t got_B = 0;
    int error = MPI_SUCCESS;

    bool on_plane() const { return active && !in_library; }
    /// A takeover asked for it back, and the library has not said whether it gives it. Until then the program must not
    /// see how it stands: it would take it for cancelled.
    bool in_transition() const { return active && in_library && cancel_asked && !cancelled_by_program && !accounted; }
};
using OperationPtr = std::shared_ptr<Operation>;

}  // namespace fairlead::relay
