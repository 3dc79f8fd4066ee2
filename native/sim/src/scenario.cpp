// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/scenario.hpp"

#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

namespace fairlead::sim {

namespace {

SimulationSettings with_jobs(const Scenario& scenario) {
    SimulationSettings settings = scenario.simulation;
    settings.jobs = static_cast<int>(scenario.programs.size());
    settings.agents.jobs = scenario.managed ? settings.jobs : 0;
    return settings;
}

void disturb(Simulation& simulation, const Disturbance& each, double lead_s) {
    const auto from = static_cast<EndId>(each.from);
    const auto to = static_cast<EndId>(each.to);
    for (const Period& period : each.periods) {
        const double start_s = lead_s + period.start_s;
        const double stop_s = lead_s + period.stop_s;
        switch (each.kind) {
            case Disturbance::Kind::streams:
                simulation.congestion.streams(from, to, each.streams, start_s, stop_s);
                break;
            case Disturbance::Kind::paced:
                simulation.congestion.paced(from, to, each.streams, each.rate_bps, each.block_B, start_s, stop_s);
                break;
            case Disturbance::Kind::messages:
                simulation.congestion.messages(from, to, each.message_B, start_s, stop_s);
                break;
            case Disturbance::Kind::delay:
                simulation.congestion.delay(affected(simulation.network.topology(), each).front(), each.added_s,
                                            start_s, stop_s);
        }
    }
}

/// How long foreign connections were to send until `end_s` after the programs' start, all together.
double streaming_s(const Scenario& scenario, double end_s) {
    double total_s = 0.0;
    for (const Disturbance& each : scenario.congestion) {
        if (each.kind == Disturbance::Kind::delay) continue;
        const int connections = each.kind == Disturbance::Kind::messages ? 2 : each.streams;
        for (const Period& period : each.periods) {
            total_s += connections * std::max(0.0, std::min(period.stop_s, end_s) - period.start_s);
        }
    }
    return total_s;
}

RouteChange change(const Entry& entry, double lead_s, core::HostId destination, core::HostId relay) {
    return {entry.at - lead_s, entry.job, entry.host, destination, relay, {}};
}

void report_agents(const std::vector<Entry>& diary, double lead_s, Outcome& outcome) {
    for (const Entry& entry : diary) {
        outcome.diary.push_back({entry.at - lead_s, entry.job, entry.host, entry.action});
        if (const auto* rerouted = std::get_if<core::Rerouted>(&entry.action)) {
            outcome.changes.push_back(change(entry, lead_s, rerouted->destination, rerouted->relay));
            outcome.changes.back().reason = rerouted->ahead ? "ahead" : "congested";
        } else if (const auto* back = std::get_if<core::Restored>(&entry.action)) {
            outcome.changes.push_back(change(entry, lead_s, back->destination, core::kNoHost));
            outcome.changes.back().reason = core::name(back->reason);
        } else if (const auto* kept = std::get_if<core::Kept>(&entry.action)) {
            ++outcome.kept[std::string(core::name(kept->reason))];
        }
    }
}

void report_network(const Simulation& simulation, Outcome& outcome) {
    const Topology& topology = simulation.network.topology();
    for (LinkId id = 0; id < topology.links().size(); ++id) outcome.links.push_back(simulation.network.link(id));
    std::vector<bool> known(static_cast<std::size_t>(topology.ends()) * topology.ends());
    for (const Connection& connection : simulation.tcp.connections()) {
        if (connection.job == kForeign) {
            outcome.foreign_B += connection.delivered_B;
            continue;
        }
        if (connection.sent_B <= 0.0) continue;
        const core::Pair pair{connection.source, connection.destination};
        const std::size_t at = static_cast<std::size_t>(pair.source) * topology.ends() + pair.destination;
        if (!known[at]) outcome.used.push_back(pair);
        known[at] = true;
    }
}

}  // namespace

Path affected(const Topology& topology, const Disturbance& disturbance) {
    if (disturbance.kind != Disturbance::Kind::delay) {
        const auto from = static_cast<EndId>(disturbance.from);
        const auto to = static_cast<EndId>(disturbance.to);
        Path links = topology.path(from, to);
        if (disturbance.kind == Disturbance::Kind::messages) {
            const Path& back = topology.path(to, from);
            links.insert(links.end(), back.begin(), back.end());
        }
        return links;
    }
    const auto link = topology.link(disturbance.from, disturbance.to);
    if (!link) throw std::invalid_argument("a delay needs a link");
    return {*link};
}

Outcome run(const Scenario& scenario) {
    Simulation simulation(scenario.topology, with_jobs(scenario));
    std::vector<std::unique_ptr<Replay>> replays;
    for (const Program& program : scenario.programs) {
        const int job = static_cast<int>(replays.size());
        replays.push_back(std::make_unique<Replay>(simulation.events, simulation.tcp, program.trace, program.hosts, job,
                                                   program.replay));
    }
    for (const Disturbance& each : scenario.congestion) disturb(simulation, each, scenario.lead_s);
    for (const RouteChange& each : scenario.routes) {
        simulation.events.at(scenario.lead_s + each.at_s, [&simulation, &each] {
            simulation.network.set_relay(each.program, each.source, each.destination, each.relay);
        });
    }
    // Last: what happens at the same time as the programs' start has happened then.
    for (const auto& replay : replays) replay->start(scenario.lead_s);
    const auto ended = [&replays] {
        return std::ranges::all_of(replays, [](const auto& replay) { return replay->finished(); });
    };
    if (!simulation.events.run_until(scenario.lead_s + scenario.limit_s, ended)) {
        throw LimitError("the programs have not ended after " + std::to_string(scenario.limit_s) + " s");
    }
    Outcome outcome;
    for (const auto& replay : replays) {
        std::vector<double> transfers_s = replay->transfers_s();
        std::ranges::sort(transfers_s);
        outcome.programs.push_back(
            {replay->makespan_s(), replay->finished_s(), replay->waiting_s(), std::move(transfers_s)});
    }
    outcome.foreign_s = streaming_s(scenario, simulation.events.now() - scenario.lead_s);
    report_agents(simulation.agents.diary(), scenario.lead_s, outcome);
    report_network(simulation, outcome);
    outcome.probes = simulation.agents.probes_sent();
    outcome.events = simulation.events.executed();
    return outcome;
}

}  // namespace fairlead::sim
