// SPDX-License-Identifier: Apache-2.0
#include "rounded.hpp"
#include "scenario_json.hpp"

namespace fairlead::sim {

using nlohmann::ordered_json;

namespace {

constexpr const char* kSchemaVersion = "2.2";

ordered_json times(const std::vector<double>& seconds) {
    ordered_json list = ordered_json::array();
    for (const double each : seconds) list.push_back(rounded(each));
    return list;
}

ordered_json message_time(const std::vector<double>& ascending, double share) {
    return ascending.empty() ? ordered_json(nullptr) : ordered_json(rounded(quantile(ascending, share)));
}

ordered_json changes(const Topology& topology, const std::vector<RouteChange>& routes) {
    ordered_json list = ordered_json::array();
    for (const RouteChange& each : routes) {
        ordered_json entry{{"at_s", rounded(each.at_s)},
                           {"program", each.program},
                           {"source", topology.name(each.source)},
                           {"destination", topology.name(each.destination)},
                           {"relay", nullptr}};
        if (core::is_way(each.relay)) {
            entry["way"] = core::way_number(each.relay) + 1;
        } else if (each.relay != core::kNoHost) {
            entry["relay"] = topology.name(each.relay);
        }
        if (!each.reason.empty()) entry["reason"] = each.reason;
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json choice(const Topology& topology, const Choice& found) {
    return {{"makespan_s", rounded(found.makespan_s)},
            {"tried", found.tried},
            {"exhaustive", found.exhaustive},
            {"routes", changes(topology, found.routes)}};
}

}  // namespace

ordered_json outcome_json(const Scenario& scenario, const Outcome& outcome) {
    const Topology& topology = scenario.topology;
    ordered_json programs = ordered_json::array();
    for (const ProgramOutcome& each : outcome.programs) {
        programs.push_back({{"makespan_s", rounded(each.makespan_s)},
                            {"finished_s", times(each.finished_s)},
                            {"waiting_s", times(each.waiting_s)},
                            {"message_median_s", message_time(each.transfers_s, 0.5)},
                            {"message_p99_s", message_time(each.transfers_s, 0.99)}});
    }
    ordered_json links = ordered_json::array();
    for (LinkId id = 0; id < outcome.links.size(); ++id) {
        const Link& link = outcome.links[id];
        if (link.carried_B <= 0.0) continue;
        links.push_back({{"from", topology.name(topology.links()[id].from)},
                         {"to", topology.name(topology.links()[id].to)},
                         {"carried_B", std::llround(link.carried_B)},
                         {"dropped", link.dropped},
                         {"lost", link.lost}});
    }
    return {{"schema_version", kSchemaVersion},
            {"seed", scenario.simulation.seed},
            {"managed", scenario.managed},
            {"programs", std::move(programs)},
            {"route_changes", changes(topology, outcome.changes)},
            {"kept", outcome.kept},
            {"links", std::move(links)},
            {"probes", outcome.probes},
            {"events", outcome.events}};
}

ordered_json contenders_json(const Scenario& scenario, const std::vector<Standing>& standings) {
    ordered_json list = ordered_json::array();
    for (const Standing& each : standings) {
        const double ratio = each.makespan_s / standings.front().makespan_s;
        list.push_back(
            {{"name", each.name},
             {"makespan_s", rounded(each.makespan_s)},
             {"over_ecmp", std::round(ratio * 1e4) / 1e4},
             {"message_p99_s", each.message_p99_s > 0.0 ? ordered_json(rounded(each.message_p99_s)) : nullptr},
             {"foreign_bps", each.foreign_bps > 0.0 ? ordered_json(std::llround(each.foreign_bps)) : nullptr},
             {"route_changes", each.outcome.changes.size()},
             {"probes", each.outcome.probes}});
    }
    return {{"schema_version", kSchemaVersion}, {"seed", scenario.simulation.seed}, {"contenders", std::move(list)}};
}

ordered_json comparison_json(const Scenario& scenario, const Comparison& comparison) {
    ordered_json share = nullptr;
    if (const auto reached = comparison.share()) share = std::round(*reached * 1e4) / 1e4;
    return {{"schema_version", kSchemaVersion},
            {"seed", scenario.simulation.seed},
            {"clean_s", rounded(comparison.clean_s)},
            {"plain_s", rounded(comparison.plain_s)},
            {"managed_s", rounded(comparison.managed_s)},
            {"fixed", choice(scenario.topology, comparison.fixed)},
            {"oracle", choice(scenario.topology, comparison.oracle)},
            {"share_of_gain", share},
            {"regret_s", rounded(comparison.regret_s())}};
}

}  // namespace fairlead::sim
