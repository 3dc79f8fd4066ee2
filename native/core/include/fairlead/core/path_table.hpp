// SPDX-License-Identifier: Apache-2.0
// For each destination the ordered list of intermediate hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/core/base.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/sharing.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// A message size of a pair and its share of the pair's messages.
struct SizeShare {
    std::uint64_t size_B = 0;
    double weight = 0.0;
};

/// Sizes that a pair is judged by as long as nothing is known of its program: small and large alike.
std::span<const SizeShare> default_mix();

/// What is measured now on one directed path, on top of the base.
struct LegState {
    double queue_delay_s = 0.0;
    double half_round_trip_s = 0.0;  ///< stands in for the base where the pair was never measured; 0: unknown
    bool usable = true;              ///< false: silent, lost or refused
};

/// Mean time of a message of the mix over the direct path; a pair limited to achieved_bps (0: not known to be) is
/// charged for that. Nothing if neither a base nor a round trip is known.
std::optional<double> direct_latency_s(const BaseTable& base, Pair pair, const LegState& state,
                                       std::span<const SizeShare> mix, double achieved_bps = 0.0);

/// Mean time over the relay: both legs' smallest latency and queues, the relay's cost, and the size once, at the
/// slower leg (packets are forwarded one by one).
std::optional<double> detour_latency_s(const BaseTable& base, Pair pair, HostId relay, const LegState& first,
                                       const LegState& second, std::span<const SizeShare> mix,
                                       const ChoiceSettings& settings);

struct Candidate {
    HostId relay = kNoHost;
    double latency_s = 0.0;      ///< of the pair's mix, now
    double weight = 0.0;         ///< larger weight of the two legs: less robust
    bool leg_shares = false;     ///< a leg and the direct path hurt each other somewhere: it must gain more
    std::size_t path_group = 0;  ///< SharingRelation::path_groups
    bool usable = false;         ///< it can avoid something, and both legs answer
};

/// The current state of a directed path: a function, since who knows it differs (measurement, controller).
using LegStateOf = std::function<LegState(Pair)>;

/// All intermediates for one pair: usable ones first, then lowest latency, then robustness (smaller weight), then
/// index. `eligible` has an entry per host: false keeps it out (no route plane, shunned). No usable one at all is an
/// answer, not an error.
std::vector<Candidate> candidates(Pair pair, const BaseTable& base, const SharingRelation& sharing,
                                  const LegStateOf& state, std::span<const SizeShare> mix,
                                  const std::vector<bool>& eligible, const ChoiceSettings& settings);

}  // namespace fairlead::core
