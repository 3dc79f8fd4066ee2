// SPDX-License-Identifier: Apache-2.0
// What the relay plane's pure part speaks about: processes, communicators, envelopes, receives, messages.
// Every struct has fields(): all of its state as a tuple, so that tests can compare and hash it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <variant>

namespace fairlead::relay {

/// Seconds of one monotonic clock of this process. The library has no clock: calls that need the time are given it.
using Time = double;

/// Rank of a process in MPI_COMM_WORLD: who sits at the other end, whatever the communicator calls it.
using Process = std::uint32_t;

/// One MPI_COMM_WORLD among all that use the same agents: random bits on which its processes agreed. Programs that one
/// slot of a job runs one after another, and those that a program starts, have processes of the same ranks.
using WorldId = std::uint64_t;
inline constexpr WorldId kNoWorld = 0;  ///< no world has it

/// The same on all processes of a communicator, never used twice in a job.
using CommunicatorId = std::uint64_t;
/// From here on communicators are such that the library has nothing of (Endpoint::add_relayed_communicator).
inline constexpr int kRelayedShift = 40;
inline constexpr CommunicatorId kFirstRelayed = CommunicatorId{1} << kRelayedShift;

/// Rank of a source as its receivers know it: in the communicator's group, or in the remote group of an
/// intercommunicator.
using Rank = std::int32_t;
using Tag = std::int32_t;
inline constexpr Rank kAnySource = -1;
inline constexpr Tag kAnyTag = -1;

/// Receives of one process, numbered in the order in which the program posted them.
using ReceiveId = std::uint64_t;
/// Relayed messages from one process to another, numbered from 1 in the order in which the program sent them.
using MessageId = std::uint64_t;
/// The caller's name for a native message that it holds (an MPI_Message).
using NativeHandle = std::uint64_t;

/// How a message travels: through the MPI library, or through the agents.
enum class Path : std::uint8_t { direct = 0, relay = 1 };

/// What a receive or a probe accepts.
struct Pattern {
    Rank source = kAnySource;
    Tag tag = kAnyTag;
    bool accepts(Rank from, Tag with) const {
        return (source == kAnySource || source == from) && (tag == kAnyTag || tag == with);
    }
    auto fields() const { return std::tie(source, tag); }
    friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// A message that came through the agents.
struct Relayed {
    Process peer = 0;
    MessageId message = 0;
    std::uint64_t size_B = 0;
    bool synchronous = false;  ///< the sender waits for the match
    bool inlined = false;      ///< its payload came with the envelope; else it waits with the sender
    auto fields() const { return std::tie(peer, message, size_B, synchronous, inlined); }
    friend bool operator==(const Relayed&, const Relayed&) = default;
};

/// A message that matching decides on: its envelope, and where it lies.
struct Arrival {
    Rank source = 0;
    Tag tag = 0;
    std::variant<NativeHandle, Relayed> body;
    auto fields() const { return std::tie(source, tag, body); }
    friend bool operator==(const Arrival&, const Arrival&) = default;
};

/// A frame of a peer contradicts what went before. Going on would lose or double a message.
struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace fairlead::relay
