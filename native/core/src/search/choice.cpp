// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/choice.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace fairlead::core {

namespace {

bool answered(const MeasuredCandidate& m) {
    return m.candidate.usable && m.first.usable && m.second.usable;
}

/// Why nothing is better: if all second legs are slow it is the destination, if all first legs are, this host.
KeepReason why_not_better(std::span<const MeasuredCandidate> measured, const PresentPath& present) {
    int first_slow = 0;
    int second_slow = 0;
    int known = 0;
    for (const MeasuredCandidate& m : measured) {
        if (!answered(m)) continue;
        ++known;
        first_slow += m.first.queue_delay_s >= present.slow_queue_s;
        second_slow += m.second.queue_delay_s >= present.slow_queue_s;
    }
    if (known > 0 && second_slow == known) return KeepReason::destination_congested;
    if (known > 0 && first_slow == known) return KeepReason::source_congested;
    return KeepReason::not_better;
}

/// The pair's messages would wait for others of the job instead of for the queue, and the pair would not get much more
/// than it gets: it would slow those others down as well.
bool crowded_out(const Crowd& crowd, const PresentPath& present, const ChoiceSettings& settings) {
    return crowd.longer_s > settings.crowded_queue * present.queue_delay_s &&
           crowd.expected_bps < (1.0 + settings.crowded_margin) * present.service_bps;
}

bool better(const MeasuredCandidate& m, const PresentPath& present, const ChoiceSettings& settings) {
    if (present.silent) return true;
    // A queue that shows on the detour as well, perhaps only measured a moment earlier or later, is the same one.
    const double legs_s = m.first.queue_delay_s + m.second.queue_delay_s;
    if (present.queue_delay_s >= present.slow_queue_s && legs_s > settings.max_leg_queue * present.queue_delay_s) {
        return false;
    }
    if (m.crowd && crowded_out(*m.crowd, present, settings)) return false;
    const double margin = m.candidate.leg_shares ? std::max(settings.margin, settings.flagged_margin) : settings.margin;
    const double limit_s = std::min((1.0 - margin) * present.latency_s, present.latency_s - settings.min_gain_s);
    return m.candidate.latency_s <= limit_s;
}

const MeasuredCandidate& less_loaded(const MeasuredCandidate& a, const MeasuredCandidate& b) {
    return std::pair(b.load, b.candidate.latency_s) < std::pair(a.load, a.candidate.latency_s) ? b : a;
}

}  // namespace

std::size_t path_group_in_turn(std::span<const std::size_t> path_groups, std::size_t turn) {
    const std::size_t count = *std::max_element(path_groups.begin(), path_groups.end()) + 1;
    const auto distance = [&](std::size_t path_group) { return (path_group + count - turn % count) % count; };
    return *std::min_element(path_groups.begin(), path_groups.end(),
                             [&](auto a, auto b) { return distance(a) < distance(b); });
}

Choice choose(std::span<const MeasuredCandidate> measured, const PresentPath& present, std::size_t turn,
              const ChoiceSettings& settings, Random& random) {
    Choice choice;
    std::vector<const MeasuredCandidate*> good;
    const MeasuredCandidate* best = nullptr;
    for (const MeasuredCandidate& m : measured) {
        if (!answered(m)) continue;
        if (best == nullptr || m.candidate.latency_s < best->candidate.latency_s) best = &m;
        if (better(m, present, settings)) good.push_back(&m);
    }
    if (best == nullptr) {
        choice.reason = measured.empty() ? KeepReason::no_candidate
                        : present.silent ? KeepReason::destination_silent
                                         : KeepReason::no_answer;
        return choice;
    }
    choice.best = best->candidate.relay;
    choice.latency_s = best->candidate.latency_s;
    if (good.empty()) {
        choice.reason = why_not_better(measured, present);
        return choice;
    }
    double fastest_s = good.front()->candidate.latency_s;
    for (const MeasuredCandidate* m : good) fastest_s = std::min(fastest_s, m->candidate.latency_s);
    std::erase_if(good, [&](const MeasuredCandidate* m) {
        return m->candidate.latency_s > (1.0 + settings.good_within) * fastest_s;
    });
    std::vector<std::size_t> path_groups;
    for (const MeasuredCandidate* m : good) path_groups.push_back(m->candidate.path_group);
    const std::size_t path_group = path_group_in_turn(path_groups, turn);
    std::erase_if(good, [&](const MeasuredCandidate* m) { return m->candidate.path_group != path_group; });
    const std::size_t first = random.below(good.size());
    std::size_t second = first;
    if (good.size() > 1) second = (first + 1 + random.below(good.size() - 1)) % good.size();
    const MeasuredCandidate& taken = less_loaded(*good[first], *good[second]);
    choice.relay = taken.candidate.relay;
    choice.latency_s = taken.candidate.latency_s;
    return choice;
}

}  // namespace fairlead::core
