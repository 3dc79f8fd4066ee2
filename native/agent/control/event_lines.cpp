// SPDX-License-Identifier: Apache-2.0
#include "control/event_lines.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace fairlead::agent {
namespace {

std::vector<Flow> flows_of(const std::vector<core::FlowRate>& rates) {
    std::vector<Flow> flows;
    for (const core::FlowRate& each : rates) {
        flows.push_back({each.pair.source, each.pair.destination, each.relay, each.rate_bps});
    }
    return flows;
}

std::string milliseconds(double time_s) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.2f ms", time_s * 1e3);
    return text.data();
}

std::string way_words(core::HostId way) {
    return std::string("equal-cost path ").append(std::to_string(core::way_number(way) + 1));
}

std::string over(core::HostId relay) {
    if (!core::is_way(relay)) return "over the relay ";
    return std::string("over ").append(way_words(relay)).append(" ");
}

std::string why(const core::Rerouted& rerouted) {
    if (rerouted.manual) {
        std::string text = "by hand";
        if (core::is_way(rerouted.relay)) text.append(": ").append(way_words(rerouted.relay));
        return text;
    }
    if (rerouted.again) return "again, after a pause";
    const std::string times = "; messages take " + milliseconds(rerouted.present_latency_s) + ", " +
                              over(rerouted.relay) + milliseconds(rerouted.detour_latency_s);
    if (rerouted.unseen) {
        return milliseconds(rerouted.queue_delay_s) + " of queueing delay, met by the connections and not by probes" +
               times;
    }
    std::array<char, 32> share;
    std::snprintf(share.data(), share.size(), "%.0f %%", rerouted.foreign_share * 100.0);
    const std::string when = rerouted.ahead ? "ahead of its next use: " : "";
    return when + milliseconds(rerouted.queue_delay_s) + " of queueing delay, " + share.data() +
           " of it cross-traffic" + times;
}

std::string why(const core::Kept& kept) {
    std::string text{name(kept.reason)};
    return kept.detail.empty() ? text : text + ": " + kept.detail;
}

}  // namespace

core::HostId told_relay(core::HostId relay, core::HostId destination) {
    return core::is_way(relay) ? destination : relay;
}

LevelChangedEvent event_of(const core::LevelChanged& change) {
    return {.source = change.path.source,
            .destination = change.path.destination,
            .from = change.from,
            .congestion_level = change.to,
            .queue_delay_s = change.queue_delay_s};
}

ReroutedEvent event_of(const core::Rerouted& rerouted, core::HostId self, double wall_offset_s) {
    return {.source = self,
            .destination = rerouted.destination,
            .relay = told_relay(rerouted.relay, rerouted.destination),
            .before = told_relay(rerouted.before, rerouted.destination),
            .manual = rerouted.manual,
            .ahead = rerouted.ahead,
            .again = rerouted.again,
            .reason = why(rerouted),
            .queue_delay_s = rerouted.queue_delay_s,
            .foreign_share = rerouted.foreign_share,
            .present_latency_s = rerouted.present_latency_s,
            .detour_latency_s = rerouted.detour_latency_s,
            .suspected_t_s = rerouted.suspected_at + wall_offset_s,
            .confirmed_t_s = rerouted.confirmed_at + wall_offset_s,
            .decided_t_s = rerouted.decided_at + wall_offset_s,
            .flows = flows_of(rerouted.flows)};
}

RestoredEvent event_of(const core::Restored& restored, core::HostId self) {
    return {.source = self,
            .destination = restored.destination,
            .relay = told_relay(restored.relay, restored.destination),
            .reason = restored.reason,
            .queue_delay_s = restored.queue_delay_s,
            .away_s = restored.away_s};
}

KeptEvent event_of(const core::Kept& kept, core::HostId self) {
    return {.source = self,
            .destination = kept.destination,
            .relay = told_relay(kept.relay, kept.destination),
            .reason = why(kept),
            .queue_delay_s = kept.queue_delay_s,
            .foreign_share = kept.foreign_share,
            .present_latency_s = kept.present_latency_s,
            .best = told_relay(kept.best, kept.destination),
            .best_latency_s = kept.best_latency_s,
            .flows = flows_of(kept.flows)};
}

NoticeEvent event_of(const core::Noticed& noticed) {
    return {.from = noticed.from,
            .source = noticed.path.source,
            .destination = noticed.path.destination,
            .congestion_level = noticed.congestion_level,
            .queue_delay_s = noticed.queue_delay_s};
}

BaseShiftedEvent event_of(const core::BaseShifted& shifted) {
    return {.source = shifted.path.source,
            .destination = shifted.path.destination,
            .from_s = shifted.from_s,
            .to_s = shifted.to_s};
}

BaseLearntEvent event_of(const core::BaseLearnt& learnt) {
    return {.source = learnt.path.source,
            .destination = learnt.path.destination,
            .latency_s = learnt.latency_s,
            .hidden_s = learnt.hidden_s,
            .link_bps = learnt.link_bps > 0.0 ? std::optional(learnt.link_bps) : std::nullopt};
}

}  // namespace fairlead::agent
