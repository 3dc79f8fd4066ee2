// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstdint>
#include <string_view>

namespace fairlead::core {

/// How slow a path is compared with its baseline; datagrams carry the number.
enum class CongestionLevel : std::uint8_t {
    /// no congestion
    low,
    /// threshold: `congestion_level.medium_factor`
    medium,
    /// threshold: `congestion_level.high_factor`
    high,
};

constexpr std::string_view name(CongestionLevel value) {
    switch (value) {
        case CongestionLevel::low:
            return "low";
        case CongestionLevel::medium:
            return "medium";
        case CongestionLevel::high:
            return "high";
    }
    return "unknown";
}

/// Why a search kept a pair on its path.
enum class KeepReason : std::uint8_t {
    /// no host can relay this pair: none avoids the bottleneck, or none has a plane
    no_candidate,
    /// relays, or the hosts whose traffic had to be counted, did not answer in time
    no_answer,
    /// no relay is faster by the margin
    not_better,
    /// no host can relay this pair, and no other equal-cost path is faster by the margin. Those that failed or were
    /// slow a moment ago are not measured
    no_better_way,
    /// every path to the destination is congested: a case for the migration controller
    destination_congested,
    /// every path from this host is congested
    source_congested,
    /// the job's own traffic explains the queue
    own_load,
    /// the relays have no capacity left
    refused,
    /// the destination answers no probe on any path
    destination_silent,
    /// the kernel or the guardian refused
    reroute_failed,
    /// another pair of the job is rerouted first, which may be enough
    gives_way,
    /// the destination has no plane, or does not answer
    destination_lost,
    /// relays answered, but no echo came back over them; or none came back by any equal-cost path
    not_carried,
    /// a better path is known, but the last change is too recent
    held,
    /// a better path is known, but the pair's throughput without it is still being measured (with `learn`, and before a
    /// move to an equal-cost path that only the connections speak for)
    learning,
};

constexpr std::string_view name(KeepReason value) {
    switch (value) {
        case KeepReason::no_candidate:
            return "no_candidate";
        case KeepReason::no_answer:
            return "no_answer";
        case KeepReason::not_better:
            return "not_better";
        case KeepReason::no_better_way:
            return "no_better_way";
        case KeepReason::destination_congested:
            return "destination_congested";
        case KeepReason::source_congested:
            return "source_congested";
        case KeepReason::own_load:
            return "own_load";
        case KeepReason::refused:
            return "refused";
        case KeepReason::destination_silent:
            return "destination_silent";
        case KeepReason::reroute_failed:
            return "reroute_failed";
        case KeepReason::gives_way:
            return "gives_way";
        case KeepReason::destination_lost:
            return "destination_lost";
        case KeepReason::not_carried:
            return "not_carried";
        case KeepReason::held:
            return "held";
        case KeepReason::learning:
            return "learning";
    }
    return "unknown";
}

/// Why a pair was restored to its direct path.
enum class RestoreReason : std::uint8_t {
    /// the direct path has been free of congestion for long enough
    direct_good,
    /// the reroute became slower than the direct path
    detour_slow,
    /// the relay misses heartbeats, lost its plane, or was restarted
    relay_dead,
    /// the relay revoked its grant
    relay_revoked,
    /// this host's own guardian is gone
    plane_lost,
    /// the agent of the relay or of the destination was stopped
    peer_stopped,
    /// the destination's agent or plane is gone
    destination_lost,
    /// agents answer, but rerouted packets do not arrive
    detour_broken,
    /// the reroute brought no improvement (with `learn`, and on equal-cost paths that only the connections spoke for)
    in_vain,
    /// the pair carries no traffic
    idle,
    /// on command
    manual,
    /// the supervisor compares the program's progress with and without reroutes, or found that they do not pay
    paused,
    /// the run ends
    stopping,
};

constexpr std::string_view name(RestoreReason value) {
    switch (value) {
        case RestoreReason::direct_good:
            return "direct_good";
        case RestoreReason::detour_slow:
            return "detour_slow";
        case RestoreReason::relay_dead:
            return "relay_dead";
        case RestoreReason::relay_revoked:
            return "relay_revoked";
        case RestoreReason::plane_lost:
            return "plane_lost";
        case RestoreReason::peer_stopped:
            return "peer_stopped";
        case RestoreReason::destination_lost:
            return "destination_lost";
        case RestoreReason::detour_broken:
            return "detour_broken";
        case RestoreReason::in_vain:
            return "in_vain";
        case RestoreReason::idle:
            return "idle";
        case RestoreReason::manual:
            return "manual";
        case RestoreReason::paused:
            return "paused";
        case RestoreReason::stopping:
            return "stopping";
    }
    return "unknown";
}

/// For which slow messages the receiver's agent sends the source's agent a notice.
enum class Acknowledge : std::uint8_t {
    /// those that their receiver waited for
    waited,
    /// all between hosts, even if nobody waited for them
    always,
    /// none
    never,
};

constexpr std::string_view name(Acknowledge value) {
    switch (value) {
        case Acknowledge::waited:
            return "waited";
        case Acknowledge::always:
            return "always";
        case Acknowledge::never:
            return "never";
    }
    return "unknown";
}

}  // namespace fairlead::core
