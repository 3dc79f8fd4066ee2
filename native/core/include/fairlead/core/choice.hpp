// SPDX-License-Identifier: Apache-2.0
// Which candidate to take, or why to stay.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "fairlead/core/path_table.hpp"
#include "fairlead/core/random.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

enum class StayReason : std::uint8_t {
    no_candidate,           ///< no host of the job can be an intermediate for this pair (a star, or no route plane)
    no_answer,              ///< candidates were asked, none answered in time
    not_better,             ///< no candidate is better by the margin
    destination_congested,  ///< every path into the destination is slow: the migration controller's case
    source_congested,       ///< every path out of this host is slow
    own_load,               ///< the job's own bytes explain the queue
    refused,                ///< relays had no rate left
    destination_silent,     ///< the destination answers no probe on any path
    move_failed,            ///< the kernel or guardian refused
    gives_way,              ///< another of the job's pairs leaves first, and that may be enough
    destination_lost,       ///< the destination has no data plane, or does not answer
    not_carried,            ///< relays answered, but nothing came over them to the destination
    held,                   ///< a better path is known, but the last change is too recent
    learning,               ///< a better path is known; what the pair gets without it is being measured
};
std::string_view name(StayReason reason);

/// A candidate with what was measured for it in this search.
struct MeasuredCandidate {
    Candidate candidate;
    LegState first;     ///< this host -> relay
    LegState second;    ///< relay -> destination
    double load = 0.0;  ///< granted share of the relay's budget
};

struct Choice {
    HostId relay = kNoHost;                        ///< kNoHost: stay
    double latency_s = 0.0;                        ///< of the chosen (or, staying, of the best) candidate
    HostId best = kNoHost;                         ///< the fastest usable candidate, kNoHost if none
    StayReason reason = StayReason::no_candidate;  ///< only when staying
};

/// The present path and the thresholds it is judged by.
struct PresentPath {
    double latency_s = 0.0;
    double queue_delay_s = 0.0;
    double slow_queue_s = 0.0;  ///< a leg with this queueing delay is slow (the medium threshold)
    bool silent = false;        ///< its probes were all lost
};

/// Of the numbers of ways given (at least one), the first from `turn` on, going round.
std::size_t way_in_turn(std::span<const std::size_t> ways, std::size_t turn);

/// Good candidates beat the present path by the margin and are at most good_within slower than the best of them. Of the
/// ways that they take, the first from `turn` on is taken; of its relays two are drawn at random, and the less loaded
/// is taken (the faster if the loads are equal).
Choice choose(std::span<const MeasuredCandidate> measured, const PresentPath& present, std::size_t turn,
              const ChoiceSettings& settings, Random& random);

}  // namespace fairlead::core
