// SPDX-License-Identifier: Apache-2.0
// Plaintext messages between agents, before sealing. Fixed little-endian layouts behind a version and a kind byte.
// The sender, its boot id and the datagram counter belong to the sealed envelope and are not repeated here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core::wire {

inline constexpr std::uint8_t kVersion = 12;
/// No message is longer. All but echoes fit an Ethernet frame behind a VXLAN header, with their envelope; echoes fill a
/// jumbo frame.
inline constexpr std::size_t kMaxMessage_B = 9000;
inline constexpr std::size_t kMaxPadding_B = 1200;
inline constexpr std::size_t kEcho_B = 14;  ///< an echo without padding
inline constexpr std::size_t kMaxEchoPadding_B = kMaxMessage_B - kEcho_B;
inline constexpr std::size_t kMaxLoadEntries = 36;
inline constexpr std::size_t kMaxSends = 32;
inline constexpr std::size_t kMaxRanks = 256;
/// Numbers of messages with one envelope are told modulo this.
inline constexpr std::uint32_t kMessageNumbers = 0xFFFFFF;

/// Timing probe of the direct path. Stamps are nanoseconds of the stamping host's own clock.
struct Probe {
    std::uint32_t sequence = 0;
    std::int64_t t1_ns = 0;       ///< sent
    std::uint16_t padding_B = 0;  ///< zero bytes that follow, to probe with larger datagrams
    friend bool operator==(const Probe&, const Probe&) = default;
};

/// Answer to a probe; carries the same padding back.
struct ProbeReply {
    std::uint32_t sequence = 0;
    std::int64_t t1_ns = 0;    ///< as in the probe
    std::int64_t t2_ns = 0;    ///< probe received
    std::int64_t t3_ns = 0;    ///< reply sent
    double run_delay_s = 0.0;  ///< the answering agent's own wait in the run queue, over its last poll interval
    std::uint16_t padding_B = 0;
    friend bool operator==(const ProbeReply&, const ProbeReply&) = default;
};

/// First message to a peer, repeated now and then; one with another boot id in its envelope means that the peer's agent
/// started anew.
struct Hello {
    std::uint16_t host_count = 0;
    bool can_relay = false;  ///< its guardian is up and forwards
    friend bool operator==(const Hello&, const Hello&) = default;
};

/// The sender's agent ends: detours over it are withdrawn at once.
struct Goodbye {
    friend bool operator==(const Goodbye&, const Goodbye&) = default;
};

/// To a candidate relay: measure your leg to `destination` now.
struct PathQuery {
    std::uint32_t token = 0;
    HostId destination = 0;
    friend bool operator==(const PathQuery&, const PathQuery&) = default;
};

/// The relay's answer.
struct PathReport {
    std::uint32_t token = 0;
    HostId destination = 0;
    std::uint8_t sent = 0;      ///< probes sent on the leg
    std::uint8_t received = 0;  ///< of them answered
    double queue_delay_s = 0.0;
    double half_round_trip_s = 0.0;  ///< half the smallest round trip known on the leg; 0: none known
    double load = 0.0;               ///< granted share of the relay's rate budget
    friend bool operator==(const PathReport&, const PathReport&) = default;
};

/// The path source -> destination is slower than its congestion level allows. Goes to the source, or to a third host
/// that hands it on once.
struct Notice {
    HostId source = 0;
    HostId destination = 0;
    CongestionLevel congestion_level = CongestionLevel::low;
    double queue_delay_s = 0.0;
    double foreign_share = 0.0;  ///< of the traffic on the path's bottleneck, as just counted; 0: not counted
    friend bool operator==(const Notice&, const Notice&) = default;
};

/// Asks what the receiver sends to whom; two reports make a rate.
struct LoadQuery {
    std::uint32_t token = 0;
    bool fresh = true;  ///< the sockets are sampled for the answer; else it is of the last samples
    friend bool operator==(const LoadQuery&, const LoadQuery&) = default;
};

struct LoadEntry {
    HostId destination = 0;
    HostId relay = kNoHost;         ///< the intermediate host that the traffic takes, kNoHost: direct
    std::uint64_t delivered_B = 0;  ///< acknowledged since the sockets are watched, and carried by agents
    std::uint64_t earlier_B = 0;    ///< the same, one regular poll before: for answers that come late
    std::uint64_t in_flight_B = 0;  ///< sent, and not acknowledged yet
    std::uint32_t rate_kBps = 0;    ///< acknowledged over the last half a second, in kilobytes per second
    std::uint32_t burst_B = 0;      ///< the most that it sent without a break of late
    friend bool operator==(const LoadEntry&, const LoadEntry&) = default;
};

/// Own traffic per destination ever used, at most kMaxLoadEntries: those with most of it.
struct LoadReport {
    std::uint32_t token = 0;
    std::vector<LoadEntry> entries;
    friend bool operator==(const LoadReport&, const LoadReport&) = default;
};

/// To a relay: may traffic of this rate to `destination` pass over you?
struct RelayRequest {
    std::uint32_t token = 0;
    HostId destination = 0;
    double rate_bps = 0.0;
    double least_bps = 0.0;  ///< this is already much better than what the pair has; 0: not known
    friend bool operator==(const RelayRequest&, const RelayRequest&) = default;
};

/// Yes, as long as heartbeats come at least once a lease.
struct RelayGrant {
    std::uint32_t token = 0;
    HostId destination = 0;
    std::uint16_t leg_mtu_B = 0;  ///< of the relay's route to the destination; 0: not known
    friend bool operator==(const RelayGrant&, const RelayGrant&) = default;
};

enum class RefuseReason : std::uint8_t { budget = 0, no_plane = 1, stopping = 2 };

/// No; or, for a destination already granted: no longer.
struct RelayRefuse {
    std::uint32_t token = 0;
    HostId destination = 0;
    RefuseReason reason = RefuseReason::budget;
    friend bool operator==(const RelayRefuse&, const RelayRefuse&) = default;
};

/// The source's traffic to `destination` no longer takes this relay.
struct RelayRelease {
    HostId destination = 0;
    friend bool operator==(const RelayRelease&, const RelayRelease&) = default;
};

/// The source's traffic to `destination` takes this relay.
struct RelayUse {
    HostId destination = 0;
    double rate_bps = 0.0;
    friend bool operator==(const RelayUse&, const RelayUse&) = default;
};
inline constexpr std::size_t kMaxRelayUses = 128;  ///< in one heartbeat, so that it fits into one packet

/// Between a source and its relay while a detour is active; the relay answers with reply = true. Also to hosts of which
/// it is to be known whether they live. Grants that no heartbeat names any more end with their lease, although their
/// release got lost.
struct Heartbeat {
    bool reply = false;
    std::vector<RelayUse> uses = {};
    friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

/// Takes the detour's way from its source to its destination, and is answered there: both hosts' planes and what lies
/// between them do their work.
struct Echo {
    std::uint32_t token = 0;
    HostId source = 0;
    HostId destination = 0;
    HostId relay = 0;             ///< or a way
    std::uint16_t padding_B = 0;  ///< zero bytes that follow: large packets may get lost where small ones do not
    friend bool operator==(const Echo&, const Echo&) = default;
};

/// Goes to the source twice: by the direct path, and by the relay's agent, which hands it on. Of a way once.
struct EchoReply {
    std::uint32_t token = 0;
    HostId source = 0;  ///< of the echo
    HostId destination = 0;
    HostId relay = 0;
    std::int64_t arrived_ns = 0;  ///< when the echo did, by its destination's clock; 0: not told
    friend bool operator==(const EchoReply&, const EchoReply&) = default;
};

/// Which message: the `number`-th with its communicator, sender, receiver and tag. Ranks are those of the world.
struct MessageKey {
    std::uint64_t communicator = 0;
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::int32_t tag = 0;
    std::uint32_t number = 0;
    friend bool operator==(const MessageKey&, const MessageKey&) = default;
};

struct AskedSend {
    std::uint32_t token = 0;
    MessageKey key;
    friend bool operator==(const AskedSend&, const AskedSend&) = default;
};

/// Asks the senders' agent when messages were sent; at most kMaxSends of them.
struct SendQuery {
    std::vector<AskedSend> entries;
    friend bool operator==(const SendQuery&, const SendQuery&) = default;
};

/// Stamps are of the answering host's own clock.
struct ToldSend {
    std::uint32_t token = 0;
    std::uint64_t size_B = 0;
    std::int64_t begun_ns = 0;   ///< the send was entered
    std::int64_t needed_ns = 0;  ///< since when its rank was inside MPI for it
    std::int64_t done_ns = 0;
    bool computed = false;  ///< between `needed` and `done` its rank was not inside MPI all the while
    friend bool operator==(const ToldSend&, const ToldSend&) = default;
};

/// Answers to queries, as far as they are known; the rest may follow.
struct SendReport {
    std::vector<ToldSend> entries;
    friend bool operator==(const SendReport&, const SendReport&) = default;
};

/// Ranks that run on the sender's host, at most kMaxRanks of them.
struct RanksHere {
    std::vector<std::uint32_t> ranks;
    std::uint64_t world = 0;  ///< of the relay plane: which MPI_COMM_WORLD they are of; 0: it is not told
    friend bool operator==(const RanksHere&, const RanksHere&) = default;
};

using Message =
    std::variant<Probe, ProbeReply, Hello, Goodbye, PathQuery, PathReport, Notice, LoadQuery, LoadReport, RelayRequest,
                 RelayGrant, RelayRefuse, RelayRelease, Heartbeat, SendQuery, SendReport, RanksHere, Echo, EchoReply>;

enum class DecodeError : std::uint8_t {
    too_short,     ///< shorter than its fields
    too_long,      ///< bytes after the last field, or above kMaxMessage_B
    bad_version,   ///< another protocol version
    unknown_kind,  ///< no such message
    bad_host,      ///< a host index outside the job, or a path from a host to itself
    bad_value,     ///< an enumeration, flag or number outside its range, or padding that is not zero
};
std::string_view name(DecodeError error);

/// Either a message or why there is none.
using Decoded = std::variant<Message, DecodeError>;

/// Writes `message` and returns its length, 0 if `out` is too small (kMaxMessage_B always suffices) or the message
/// breaks a limit above (padding, number of load entries).
std::size_t encode(const Message& message, std::span<std::uint8_t> out);

/// Reads one message. Trusts nothing: lengths, indices (against host_count), enumerations and numbers are checked.
Decoded decode(std::span<const std::uint8_t> in, HostId host_count);

}  // namespace fairlead::core::wire
