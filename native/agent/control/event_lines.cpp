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

std::string why(const core::Moved& moved) {
    if (moved.manual) return "by hand";
    std::array<char, 32> share;
    std::snprintf(share.data(), share.size(), "%.0f %%", moved.foreign_share * 100.0);
    const std::string when = moved.ahead ? "ahead of its next use: " : "";
    return when + milliseconds(moved.queue_delay_s) + " of queueing delay, " + share.data() +
           " of it cross-traffic; messages take " + milliseconds(moved.present_latency_s) + ", over the relay " +
           milliseconds(moved.detour_latency_s);
}

std::string why(const core::Stayed& stayed) {
    std::string text{name(stayed.reason)};
    return stayed.detail.empty() ? text : text + ": " + stayed.detail;
}

}  // namespace

ZoneEvent event_of(const core::ZoneChanged& change) {
    return {.source = change.path.source,
            .destination = change.path.destination,
            .from = change.from,
            .zone = change.to,
            .queue_delay_s = change.queue_delay_s};
}

MovedEvent event_of(const core::Moved& moved, core::HostId self, double wall_offset_s) {
    return {.source = self,
            .destination = moved.destination,
            .relay = moved.relay,
            .before = moved.before,
            .manual = moved.manual,
            .ahead = moved.ahead,
            .reason = why(moved),
            .queue_delay_s = moved.queue_delay_s,
            .foreign_share = moved.foreign_share,
            .present_latency_s = moved.present_latency_s,
            .detour_latency_s = moved.detour_latency_s,
            .suspected_t_s = moved.suspected_at + wall_offset_s,
            .confirmed_t_s = moved.confirmed_at + wall_offset_s,
            .decided_t_s = moved.decided_at + wall_offset_s,
            .flows = flows_of(moved.flows)};
}

ReturnedEvent event_of(const core::Returned& returned, core::HostId self) {
    return {.source = self,
            .destination = returned.destination,
            .relay = returned.relay,
            .reason = returned.reason,
            .queue_delay_s = returned.queue_delay_s,
            .away_s = returned.away_s};
}

StayedEvent event_of(const core::Stayed& stayed, core::HostId self) {
    return {.source = self,
            .destination = stayed.destination,
            .relay = stayed.relay,
            .reason = why(stayed),
            .queue_delay_s = stayed.queue_delay_s,
            .foreign_share = stayed.foreign_share,
            .present_latency_s = stayed.present_latency_s,
            .best = stayed.best,
            .best_latency_s = stayed.best_latency_s,
            .flows = flows_of(stayed.flows)};
}

NoticeEvent event_of(const core::Noticed& noticed) {
    return {.from = noticed.from,
            .source = noticed.path.source,
            .destination = noticed.path.destination,
            .zone = noticed.zone,
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
