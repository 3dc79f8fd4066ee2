// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <variant>

#include "rounded.hpp"
#include "scenario_json.hpp"

namespace fairlead::sim {

using nlohmann::ordered_json;

namespace {

ordered_json host(const Topology& topology, core::HostId id) {
    return id == core::kNoHost ? ordered_json(nullptr) : ordered_json(topology.name(id));
}

/// The part that differs from report to report; null for what says nothing of a route.
ordered_json told(const Topology& topology, const core::Action& action) {
    if (const auto* zone = std::get_if<core::ZoneChanged>(&action)) {
        return {{"report", "zone"},
                {"destination", host(topology, zone->path.destination)},
                {"from", core::name(zone->from)},
                {"zone", core::name(zone->to)},
                {"queue_delay_s", rounded(zone->queue_delay_s)}};
    }
    if (const auto* moved = std::get_if<core::Moved>(&action)) {
        return {{"report", "moved"},
                {"destination", host(topology, moved->destination)},
                {"relay", host(topology, moved->relay)},
                {"before", host(topology, moved->before)},
                {"ahead", moved->ahead},
                {"queue_delay_s", rounded(moved->queue_delay_s)},
                {"foreign_share", rounded(moved->foreign_share)},
                {"present_latency_s", rounded(moved->present_latency_s)},
                {"detour_latency_s", rounded(moved->detour_latency_s)}};
    }
    if (const auto* back = std::get_if<core::Returned>(&action)) {
        return {{"report", "returned"},
                {"destination", host(topology, back->destination)},
                {"relay", host(topology, back->relay)},
                {"reason", core::name(back->reason)},
                {"queue_delay_s", rounded(back->queue_delay_s)},
                {"away_s", rounded(back->away_s)}};
    }
    if (const auto* stayed = std::get_if<core::Stayed>(&action)) {
        return {{"report", "stayed"},
                {"destination", host(topology, stayed->destination)},
                {"relay", host(topology, stayed->relay)},
                {"reason", core::name(stayed->reason)},
                {"queue_delay_s", rounded(stayed->queue_delay_s)},
                {"foreign_share", rounded(stayed->foreign_share)},
                {"present_latency_s", rounded(stayed->present_latency_s)},
                {"best", host(topology, stayed->best)},
                {"best_latency_s", rounded(stayed->best_latency_s)}};
    }
    return nullptr;
}

}  // namespace

ordered_json diary_json(const Scenario& scenario, const Outcome& outcome) {
    const Topology& topology = scenario.topology;
    ordered_json list = ordered_json::array();
    for (const Entry& entry : outcome.diary) {
        ordered_json report = told(topology, entry.action);
        if (report.is_null()) continue;
        ordered_json line{{"at_s", rounded(entry.at)}, {"program", entry.job}, {"host", topology.name(entry.host)}};
        line.update(report);
        list.push_back(std::move(line));
    }
    return list;
}

}  // namespace fairlead::sim
