// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/core/types.hpp"
#include "generated/enums.hpp"

namespace fairlead::agent {

/// A pair of the job on a bottleneck.
struct Flow {
    /// the pair
    core::HostId source = core::kNoHost;
    /// the pair
    core::HostId destination = core::kNoHost;
    /// its relay; null: direct
    core::HostId relay = core::kNoHost;
    /// its rate during the count
    double rate_bps = 0.0;
};

/// Messages from one rank to another.
struct RankPair {
    /// host of the sending rank; this host for messages within it
    core::HostId source = core::kNoHost;
    /// the sending rank
    std::uint64_t source_rank = 0;
    /// the receiving rank, on this host
    std::uint64_t rank = 0;
    /// number of messages
    std::uint64_t messages = 0;
    /// their bytes
    std::uint64_t size_B = 0;
    /// total wait of calls that a message of this pair ended; between hosts only
    double waited_s = 0.0;
    /// the part for which the sender's end is known
    double known_s = 0.0;
    /// t_t: the part of `known_s` after the message was sent
    double transmission_s = 0.0;
    /// t_p: time that the receiver's thread spent outside calls that complete messages, before those that a message of
    /// this pair ended
    double processing_s = 0.0;
};

/// The clock of another host; absent until the host was heard.
struct PeerClock {
    /// host
    core::HostId peer = core::kNoHost;
    /// its clock minus this one
    double offset_s = 0.0;
    /// change of the offset [s per s]
    double drift = 0.0;
    /// error bound of the offset
    double error_s = 0.0;
};

/// Counters of a host's ranks, summed.
struct RankCounts {
    /// messages sent by the MPI library
    std::uint64_t direct = 0;
    /// messages sent by agents
    std::uint64_t relayed = 0;
    /// times that fairlead took over a communicator's matching
    std::uint64_t takeovers = 0;
    /// receives taken back from the MPI library
    std::uint64_t cancelled = 0;
    /// receives that the MPI library had already matched
    std::uint64_t cancel_failed = 0;
    /// messages taken from the MPI library into fairlead's queue
    std::uint64_t pulled = 0;
    /// relayed messages that waited for earlier ones of the MPI library
    std::uint64_t held = 0;
    /// relayed messages whose payload waited at the sender
    std::uint64_t waited = 0;
    /// frames retransmitted
    std::uint64_t retransmitted = 0;
    /// frames received twice
    std::uint64_t duplicates = 0;
};

/// Frames since the agent's start. Ranks retransmit dropped frames.
struct RelayCounts {
    /// counters of the ranks, summed
    RankCounts ranks{};
    /// frames from this host's ranks to other hosts
    std::uint64_t sent = 0;
    /// their bytes
    std::uint64_t sent_B = 0;
    /// frames forwarded between other hosts
    std::uint64_t passed = 0;
    /// their bytes
    std::uint64_t passed_B = 0;
    /// frames for ranks of this host
    std::uint64_t arrived = 0;
    /// their bytes
    std::uint64_t arrived_B = 0;
    /// frames dropped: the rank's host is unknown
    std::uint64_t unplaced = 0;
    /// frames dropped: the next agent does not answer
    std::uint64_t unreachable = 0;
    /// frames dropped: the rank is not on this host
    std::uint64_t absent = 0;
};

/// A directed path changed its congestion level.
struct LevelChangedEvent {
    /// the path
    core::HostId source = core::kNoHost;
    /// the path
    core::HostId destination = core::kNoHost;
    /// level before
    core::CongestionLevel from = core::CongestionLevel::low;
    /// level now
    core::CongestionLevel congestion_level = core::CongestionLevel::low;
    /// queueing delay that the level was judged by
    double queue_delay_s = 0.0;
};

/// A pair was rerouted, or moved to another relay or [equal-cost path](../explanation/equal-cost-paths.md).
struct ReroutedEvent {
    /// the pair
    core::HostId source = core::kNoHost;
    /// the pair
    core::HostId destination = core::kNoHost;
    /// relay of its traffic now; the destination: another equal-cost path
    core::HostId relay = core::kNoHost;
    /// its previous relay, likewise
    core::HostId before = core::kNoHost;
    /// on command
    bool manual = false;
    /// before the pair's next use, predicted from the program's pattern
    bool ahead = false;
    /// after a `pause`, as before it; its figures are 0
    bool again = false;
    /// a sentence for the terminal
    std::string reason{};
    /// queueing delay of the previous path
    double queue_delay_s = 0.0;
    /// share of the queue that is not the job's own, 0 to 1; 0 where only the connections met it
    double foreign_share = 0.0;
    /// expected latency of the pair's messages on the previous path
    double present_latency_s = 0.0;
    /// the same over the relay or equal-cost path
    double detour_latency_s = 0.0;
    /// when the sockets, a notice or the pattern raised the suspicion
    double suspected_t_s = 0.0;
    /// when the search had judged the queue
    double confirmed_t_s = 0.0;
    /// when the route was requested; `t_s`: when it was acknowledged
    double decided_t_s = 0.0;
    /// up to 16 of the job's pairs on the bottleneck, largest first
    std::vector<Flow> flows{};
};

/// A pair is on its direct path again.
struct RestoredEvent {
    /// the pair
    core::HostId source = core::kNoHost;
    /// the pair
    core::HostId destination = core::kNoHost;
    /// its previous relay, as in `rerouted`
    core::HostId relay = core::kNoHost;
    /// see below
    core::RestoreReason reason = core::RestoreReason::direct_good;
    /// of the direct path
    double queue_delay_s = 0.0;
    /// time for which it was rerouted
    double away_s = 0.0;
};

/// A search kept a pair on its path; for the same reason at most every 5 s.
struct KeptEvent {
    /// the pair
    core::HostId source = core::kNoHost;
    /// the pair
    core::HostId destination = core::kNoHost;
    /// relay of its traffic, as in `rerouted`
    core::HostId relay = core::kNoHost;
    /// see below; after a colon, `reroute_failed` has the guardian's message, `no_better_way` how many paths were
    /// measured
    std::string reason{};
    /// as in `rerouted`; 0 where not measured
    double queue_delay_s = 0.0;
    /// as in `rerouted`; 0 where not measured
    double foreign_share = 0.0;
    /// as in `rerouted`; 0 where not measured
    double present_latency_s = 0.0;
    /// fastest relay measured, as in `rerouted`
    core::HostId best = core::kNoHost;
    /// expected latency over it
    double best_latency_s = 0.0;
    /// as in `rerouted`
    std::vector<Flow> flows{};
};

/// Another agent reported congestion on a path from this host.
struct NoticeEvent {
    /// host that sent it
    core::HostId from = core::kNoHost;
    /// the congested path
    core::HostId source = core::kNoHost;
    /// the congested path
    core::HostId destination = core::kNoHost;
    /// its level as the sender saw it
    core::CongestionLevel congestion_level = core::CongestionLevel::low;
    /// its queueing delay as the sender saw it
    double queue_delay_s = 0.0;
};

/// A lasting change of latency became the new baseline.
struct BaseShiftedEvent {
    /// the path
    core::HostId source = core::kNoHost;
    /// the path
    core::HostId destination = core::kNoHost;
    /// previous latency of the smallest message
    double from_s = 0.0;
    /// its latency now
    double to_s = 0.0;
};

/// The baseline of a path is known, or fell; with `learn` only.
struct BaseLearntEvent {
    /// the path
    core::HostId source = core::kNoHost;
    /// the path
    core::HostId destination = core::kNoHost;
    /// its baseline
    double latency_s = 0.0;
    /// by how much the fastest probe exceeded it
    double hidden_s = 0.0;
    /// highest rate at which the program sent from this host; null: not yet known
    std::optional<double> link_bps{};
};

/// Every second for each pair in use, every 0.25 s for those that are congested or rerouted; with `manage` only.
struct PathLatencyEvent {
    /// the pair
    core::HostId source = core::kNoHost;
    /// the pair
    core::HostId destination = core::kNoHost;
    /// relay of its traffic, as in `rerouted`
    core::HostId relay = core::kNoHost;
    /// half the smoothed round trip of its connections
    double latency_s = 0.0;
    /// of the direct path, by probes
    double queue_delay_s = 0.0;
    /// acknowledged rate of the pair
    double rate_bps = 0.0;
    /// level of the direct path
    core::CongestionLevel congestion_level = core::CongestionLevel::low;
};

/// Messages that ranks of this host received from ranks of `source` within one second.
struct CommunicationEvent {
    /// host of the senders
    core::HostId source = core::kNoHost;
    /// this host
    core::HostId destination = core::kNoHost;
    /// number of messages
    std::uint64_t messages = 0;
    /// their bytes
    std::uint64_t size_B = 0;
    /// calls that waited
    std::uint64_t waits = 0;
    /// total time that they waited
    double waited_s = 0.0;
    /// the part for which the sender's end is known
    double known_s = 0.0;
    /// the part of `known_s` after the message was sent
    double network_s = 0.0;
    /// the part of `known_s` before the message was sent
    double late_sender_s = 0.0;
    /// messages whose two ends were joined, at most 512
    std::uint64_t joined = 0;
    /// of these; absent if there are none
    std::optional<double> latency_median_s{};
    /// of these; absent if there are none
    std::optional<double> latency_max_s{};
    /// largest error bound of their clocks; absent if there are none
    std::optional<double> clock_error_s{};
    /// records that this host's ranks have dropped since their start
    std::uint64_t dropped = 0;
    /// messages whose two ends do not match, since the start
    std::uint64_t mismatches = 0;
};

/// Messages that ranks of this host received, by pair of ranks.
struct RankPairsEvent {
    /// this host
    core::HostId destination = core::kNoHost;
    /// time since the previous report
    double span_s = 0.0;
    /// at most 256, those with most bytes first; the rest follow in the next report
    std::vector<RankPair> pairs{};
};

/// Every 5 s.
struct ClockEvent {
    /// by host; if there are more than 16, those that the program communicates with
    std::vector<PeerClock> peers{};
};

/// Totals since the agent's start, unless noted.
struct StatsEvent {
    /// processor time of the agent
    double cpu_s = 0.0;
    /// its resident memory now
    std::uint64_t rss_B = 0;
    /// datagrams to other agents
    std::uint64_t packets_sent = 0;
    /// their bytes [B]
    std::uint64_t bytes_sent = 0;
    /// datagrams that could not be sent
    std::uint64_t send_failures = 0;
    /// probes among them
    std::uint64_t probes_sent = 0;
    /// pairs from this host that carry the job's bytes now
    std::uint64_t pairs_in_use = 0;
    /// lines that were not read in time
    std::uint64_t events_dropped = 0;
    /// relay plane only
    std::optional<RelayCounts> relay{};
};

/// Datagrams or connections were refused; at most once a second.
struct RejectedEvent {
    /// `datagrams` plus `connections`
    std::uint64_t count = 0;
    /// how many were refused since the last report
    std::uint64_t datagrams = 0;
    /// how many were refused since the last report
    std::uint64_t connections = 0;
    /// number by reason
    std::map<std::string, std::uint64_t> reasons{};
};

/// The agent treats all its pairs as restored and continues probing.
struct PlaneLostEvent {
    /// how the guardian ended
    std::string reason{};
};

/// The user or a developer should know something.
struct LogEvent {
    /// `warning` or `error`
    LogLevel level = LogLevel::warning;
    /// a sentence
    std::string text{};
};

using Event = std::variant<LevelChangedEvent, ReroutedEvent, RestoredEvent, KeptEvent, NoticeEvent, BaseShiftedEvent,
                           BaseLearntEvent, PathLatencyEvent, CommunicationEvent, RankPairsEvent, ClockEvent,
                           StatsEvent, RejectedEvent, PlaneLostEvent, LogEvent>;

/// As the supervisor gets it.
nlohmann::json line_of(const Event& said);

}  // namespace fairlead::agent
