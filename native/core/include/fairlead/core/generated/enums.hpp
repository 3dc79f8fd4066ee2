// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstdint>
#include <string_view>

namespace fairlead::core {

/// How slow a path is against its baseline; datagrams have the number.
enum class Zone : std::uint8_t {
    /// no congestion
    low,
    /// from `zones.medium_factor` on
    medium,
    /// from `zones.high_factor` on
    high,
};

constexpr std::string_view name(Zone value) {
    switch (value) {
        case Zone::low:
            return "low";
        case Zone::medium:
            return "medium";
        case Zone::high:
            return "high";
    }
    return "unknown";
}

/// Why a search moved nothing.
enum class StayReason : std::uint8_t {
    /// no host can relay this pair: none avoids the bottleneck, or none has a plane
    no_candidate,
    /// relays, or the hosts whose traffic had to be counted, did not answer in time
    no_answer,
    /// no relay is faster by the margin
    not_better,
    /// every path to the destination is congested: the migration controller's case
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
    move_failed,
    /// another of the job's pairs leaves first, which may be enough
    gives_way,
    /// the destination has no plane, or does not answer
    destination_lost,
    /// relays answered, but no echo came back over them
    not_carried,
    /// a better path is known, but the last change is too recent
    held,
    /// a better path is known; what the pair gets without it is being measured (with `learn` only)
    learning,
};

constexpr std::string_view name(StayReason value) {
    switch (value) {
        case StayReason::no_candidate:
            return "no_candidate";
        case StayReason::no_answer:
            return "no_answer";
        case StayReason::not_better:
            return "not_better";
        case StayReason::destination_congested:
            return "destination_congested";
        case StayReason::source_congested:
            return "source_congested";
        case StayReason::own_load:
            return "own_load";
        case StayReason::refused:
            return "refused";
        case StayReason::destination_silent:
            return "destination_silent";
        case StayReason::move_failed:
            return "move_failed";
        case StayReason::gives_way:
            return "gives_way";
        case StayReason::destination_lost:
            return "destination_lost";
        case StayReason::not_carried:
            return "not_carried";
        case StayReason::held:
            return "held";
        case StayReason::learning:
            return "learning";
    }
    return "unknown";
}

/// Why a pair came back to its direct path.
enum class ReturnReason : std::uint8_t {
    /// the direct path has been free for long enough
    direct_good,
    /// the reroute became slower than the direct path
    detour_slow,
    /// the relay misses heartbeats, lost its plane, or was restarted
    relay_dead,
    /// the relay took its grant back
    relay_revoked,
    /// this host's own guardian is gone
    plane_lost,
    /// the agent of the relay or of the destination was stopped
    peer_stopped,
    /// the destination's agent or plane is gone
    destination_lost,
    /// agents answer, but rerouted packets do not arrive
    detour_broken,
    /// the reroute improved nothing (with `learn` only)
    in_vain,
    /// the pair carries no traffic
    idle,
    /// on command
    manual,
    /// the run ends
    stopping,
};

constexpr std::string_view name(ReturnReason value) {
    switch (value) {
        case ReturnReason::direct_good:
            return "direct_good";
        case ReturnReason::detour_slow:
            return "detour_slow";
        case ReturnReason::relay_dead:
            return "relay_dead";
        case ReturnReason::relay_revoked:
            return "relay_revoked";
        case ReturnReason::plane_lost:
            return "plane_lost";
        case ReturnReason::peer_stopped:
            return "peer_stopped";
        case ReturnReason::destination_lost:
            return "destination_lost";
        case ReturnReason::detour_broken:
            return "detour_broken";
        case ReturnReason::in_vain:
            return "in_vain";
        case ReturnReason::idle:
            return "idle";
        case ReturnReason::manual:
            return "manual";
        case ReturnReason::stopping:
            return "stopping";
    }
    return "unknown";
}

}  // namespace fairlead::core
