// SPDX-License-Identifier: Apache-2.0
#include "event_lines.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace fairlead::agent {
namespace {

using nlohmann::json;

json host_or_null(core::HostId host) {
    return host == core::kNoHost ? json(nullptr) : json(host);
}

json lines_of(const std::vector<core::FlowRate>& flows) {
    json lines = json::array();
    for (const core::FlowRate& flow : flows) {
        lines.push_back({{"source", flow.pair.source},
                         {"destination", flow.pair.destination},
                         {"relay", host_or_null(flow.relay)},
                         {"rate_bps", flow.rate_bps}});
    }
    return lines;
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
           " of it from other traffic; messages take " + milliseconds(moved.present_latency_s) + ", over the relay " +
           milliseconds(moved.detour_latency_s);
}

std::string why(const core::Stayed& stayed) {
    std::string text{name(stayed.reason)};
    return stayed.detail.empty() ? text : text + ": " + stayed.detail;
}

}  // namespace

json line_of(const core::ZoneChanged& change) {
    return {{"type", "zone"},
            {"source", change.path.source},
            {"destination", change.path.destination},
            {"from", name(change.from)},
            {"zone", name(change.to)},
            {"queue_delay_s", change.queue_delay_s}};
}

json line_of(const core::Moved& moved, core::HostId self, double wall_offset_s) {
    return {{"type", "moved"},
            {"source", self},
            {"destination", moved.destination},
            {"relay", moved.relay},
            {"before", host_or_null(moved.before)},
            {"manual", moved.manual},
            {"ahead", moved.ahead},
            {"reason", why(moved)},
            {"queue_delay_s", moved.queue_delay_s},
            {"foreign_share", moved.foreign_share},
            {"present_latency_s", moved.present_latency_s},
            {"detour_latency_s", moved.detour_latency_s},
            {"suspected_t_s", moved.suspected_at + wall_offset_s},
            {"confirmed_t_s", moved.confirmed_at + wall_offset_s},
            {"decided_t_s", moved.decided_at + wall_offset_s},
            {"flows", lines_of(moved.flows)}};
}

json line_of(const core::Returned& returned, core::HostId self) {
    return {{"type", "returned"},
            {"source", self},
            {"destination", returned.destination},
            {"relay", returned.relay},
            {"reason", name(returned.reason)},
            {"queue_delay_s", returned.queue_delay_s},
            {"away_s", returned.away_s}};
}

json line_of(const core::Stayed& stayed, core::HostId self) {
    return {{"type", "stayed"},
            {"source", self},
            {"destination", stayed.destination},
            {"relay", host_or_null(stayed.relay)},
            {"reason", why(stayed)},
            {"queue_delay_s", stayed.queue_delay_s},
            {"foreign_share", stayed.foreign_share},
            {"present_latency_s", stayed.present_latency_s},
            {"best", host_or_null(stayed.best)},
            {"best_latency_s", stayed.best_latency_s},
            {"flows", lines_of(stayed.flows)}};
}

json line_of(const core::Noticed& noticed) {
    return {{"type", "notice"},
            {"from", noticed.from},
            {"source", noticed.path.source},
            {"destination", noticed.path.destination},
            {"zone", name(noticed.zone)},
            {"queue_delay_s", noticed.queue_delay_s}};
}

json line_of(const core::BaseShifted& shifted) {
    return {{"type", "base_shifted"},
            {"source", shifted.path.source},
            {"destination", shifted.path.destination},
            {"from_s", shifted.from_s},
            {"to_s", shifted.to_s}};
}

json line_of(const core::BaseLearnt& learnt) {
    return {{"type", "base_learnt"},
            {"source", learnt.path.source},
            {"destination", learnt.path.destination},
            {"latency_s", learnt.latency_s},
            {"hidden_s", learnt.hidden_s},
            {"link_bps", learnt.link_bps > 0.0 ? json(learnt.link_bps) : json(nullptr)}};
}

}  // namespace fairlead::agent
