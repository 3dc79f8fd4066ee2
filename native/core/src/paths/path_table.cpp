// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/path_table.hpp"

#include <algorithm>
#include <tuple>

namespace fairlead::core {

namespace {

constexpr SizeShare kDefaultMix[] = {{1024, 0.5}, {65536, 0.5}};

/// One leg's time of its smallest message on the free path; what was measured now stands in where there is no base.
std::optional<double> smallest_s(const BaseTable& base, Pair pair, const LegState& state) {
    if (const auto known = base.latency_s(pair)) return known;
    if (state.half_round_trip_s > 0.0) return state.half_round_trip_s;
    return std::nullopt;
}

/// What a message of this size takes longer than the smallest one.
double size_part_s(const BaseTable& base, Pair pair, std::uint64_t size_B) {
    const auto smallest = base.latency_s(pair);
    if (smallest) return std::max(0.0, *base.latency_s(pair, size_B) - *smallest);
    if (const auto rate_bps = base.throughput_bps(pair)) return 8.0 * static_cast<double>(size_B) / *rate_bps;
    return 0.0;
}

template <typename F>
double mean_over(std::span<const SizeShare> mix, F size_part) {
    double sum = 0.0;
    double weights = 0.0;
    for (const SizeShare& share : mix) {
        sum += share.weight * size_part(share.size_B);
        weights += share.weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

}  // namespace

std::span<const SizeShare> default_mix() {
    return kDefaultMix;
}

std::optional<double> direct_latency_s(const BaseTable& base, Pair pair, const LegState& state,
                                       std::span<const SizeShare> mix, double achieved_bps) {
    const auto smallest = smallest_s(base, pair, state);
    if (!smallest) return std::nullopt;
    const double size_s = mean_over(mix, [&](std::uint64_t size_B) {
        const double free_s = size_part_s(base, pair, size_B);
        return achieved_bps > 0.0 ? std::max(free_s, 8.0 * static_cast<double>(size_B) / achieved_bps) : free_s;
    });
    return *smallest + state.queue_delay_s + size_s;
}

std::optional<double> detour_latency_s(const BaseTable& base, Pair pair, HostId relay, const LegState& first,
                                       const LegState& second, std::span<const SizeShare> mix,
                                       const ChoiceSettings& settings) {
    const Pair leg1{pair.source, relay};
    const Pair leg2{relay, pair.destination};
    const auto smallest1 = smallest_s(base, leg1, first);
    const auto smallest2 = smallest_s(base, leg2, second);
    if (!smallest1 || !smallest2) return std::nullopt;
    const double size_s = mean_over(mix, [&](std::uint64_t size_B) {
        return std::max(size_part_s(base, leg1, size_B), size_part_s(base, leg2, size_B));
    });
    return *smallest1 + first.queue_delay_s + *smallest2 + second.queue_delay_s + settings.relay_cost_s +
           size_s * (1.0 + settings.overlay_share);
}

std::vector<Candidate> candidates(Pair pair, const BaseTable& base, const SharingRelation& sharing,
                                  const LegStateOf& state, std::span<const SizeShare> mix,
                                  const std::vector<bool>& eligible, const ChoiceSettings& settings) {
    std::vector<Candidate> found;
    if (!valid(pair, base.host_count())) return found;
    for (HostId relay = 0; relay < base.host_count(); ++relay) {
        if (relay == pair.source || relay == pair.destination) continue;
        if (relay >= eligible.size() || !eligible[relay]) continue;
        const Pair leg1{pair.source, relay};
        const Pair leg2{relay, pair.destination};
        const LegState first = state(leg1);
        const LegState second = state(leg2);
        Candidate candidate;
        candidate.relay = relay;
        candidate.weight = std::max(sharing.weight(leg1), sharing.weight(leg2));
        candidate.leg_shares = sharing.known() && (sharing.shares(pair, leg1) || sharing.shares(pair, leg2));
        candidate.usable = first.usable && second.usable && sharing.avoids(pair, relay);
        // A leg that nothing is known of yet is not ruled out: its time comes with the answer to a query.
        candidate.latency_s = detour_latency_s(base, pair, relay, first, second, mix, settings).value_or(0.0);
        found.push_back(candidate);
    }
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return std::tuple(!a.usable, a.latency_s, a.weight, a.relay) <
               std::tuple(!b.usable, b.latency_s, b.weight, b.relay);
    });
    return found;
}

}  // namespace fairlead::core
