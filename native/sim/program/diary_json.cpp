// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <variant>

#include "rounded.hpp"
#include "scenario_json.hpp"

namespace fairlead::sim {

using nlohmann::ordered_json;

namespace {

ordered_json host(const Topology& topology, core::HostId id) {
    return id == core::kNoHost || core::is_way(id) ? ordered_json(nullptr) : ordered_json(topology.name(id));
}

/// The number of an equal-cost path; null: it is none.
ordered_json way(core::HostId id) {
    return core::is_way(id) ? ordered_json(core::way_number(id) + 1) : ordered_json(nullptr);
}

/// The part that differs from report to report; null for what says nothing of a route.
ordered_json told(const Topology& topology, const core::Action& action) {
    if (const auto* change = std::get_if<core::LevelChanged>(&action)) {
        return {{"report", "level_changed"},
                {"destination", host(topology, change->path.destination)},
                {"from", core::name(change->from)},
                {"congestion_level", core::name(change->to)},
                {"queue_delay_s", rounded(change->queue_delay_s)}};
    }
    if (const auto* rerouted = std::get_if<core::Rerouted>(&action)) {
        return {{"report", "rerouted"},
                {"destination", host(topology, rerouted->destination)},
                {"relay", host(topology, rerouted->relay)},
                {"way", way(rerouted->relay)},
                {"before", host(topology, rerouted->before)},
                {"before_way", way(rerouted->before)},
                {"ahead", rerouted->ahead},
                {"queue_delay_s", rounded(rerouted->queue_delay_s)},
                {"foreign_share", rounded(rerouted->foreign_share)},
                {"present_latency_s", rounded(rerouted->present_latency_s)},
                {"detour_latency_s", rounded(rerouted->detour_latency_s)}};
    }
    if (const auto* back = std::get_if<core::Restored>(&action)) {
        return {{"report", "restored"},
                {"destination", host(topology, back->destination)},
                {"relay", host(topology, back->relay)},
                {"way", way(back->relay)},
                {"reason", core::name(back->reason)},
                {"queue_delay_s", rounded(back->queue_delay_s)},
                {"away_s", rounded(back->away_s)}};
    }
    if (const auto* kept = std::get_if<core::Kept>(&action)) {
        return {{"report", "kept"},
                {"destination", host(topology, kept->destination)},
                {"relay", host(topology, kept->relay)},
                {"way", way(kept->relay)},
                {"reason", core::name(kept->reason)},
                {"queue_delay_s", rounded(kept->queue_delay_s)},
                {"foreign_share", rounded(kept->foreign_share)},
                {"present_latency_s", rounded(kept->present_latency_s)},
                {"best", host(topology, kept->best)},
                {"best_way", way(kept->best)},
                {"best_latency_s", rounded(kept->best_latency_s)}};
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
