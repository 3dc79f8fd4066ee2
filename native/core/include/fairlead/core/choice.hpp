// SPDX-License-Identifier: Apache-2.0
// Which candidate to take, or why to keep the path.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "fairlead/core/path_table.hpp"
#include "fairlead/core/random.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// The job's other pairs on a leg, where there are more of them than on the direct path.
struct Crowd {
    double expected_bps = 0.0;  ///< what the pair gets there if all send at the same time
    double longer_s = 0.0;      ///< for so much longer than on the direct path its messages then wait for theirs
};

/// A candidate with what was measured for it in this search.
struct MeasuredCandidate {
    Candidate candidate;
    LegState first;              ///< this host -> relay
    LegState second;             ///< relay -> destination
    double load = 0.0;           ///< granted share of the relay's budget
    std::optional<Crowd> crowd;  ///< nothing: its legs are not crowded
};

struct Choice {
    HostId relay = kNoHost;  ///< kNoHost: keep the present path
    double latency_s = 0.0;  ///< of the chosen (or, where the path is kept, of the best) candidate
    HostId best = kNoHost;   ///< the fastest usable candidate, kNoHost if none
    KeepReason reason = KeepReason::no_candidate;  ///< only where the path is kept
};

/// The present path and the thresholds it is judged by.
struct PresentPath {
    double latency_s = 0.0;
    double queue_delay_s = 0.0;
    double slow_queue_s = 0.0;  ///< a leg with this queueing delay is slow (the medium threshold)
    bool silent = false;        ///< its probes were all lost
    double service_bps = 0.0;   ///< what the pair gets while it sends; 0: unknown
};

/// Of the path groups given (at least one), the first from `turn` on, going round.
std::size_t path_group_in_turn(std::span<const std::size_t> path_groups, std::size_t turn);

/// Good candidates beat the present path by the margin and are at most good_within slower than the best of them. Of the
/// path groups that they are in, the first from `turn` on is taken; of its relays two are drawn at random, and the less
/// loaded is taken (the faster if the loads are equal).
Choice choose(std::span<const MeasuredCandidate> measured, const PresentPath& present, std::size_t turn,
              const ChoiceSettings& settings, Random& random);

}  // namespace fairlead::core
