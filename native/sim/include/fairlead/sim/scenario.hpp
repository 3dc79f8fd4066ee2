// SPDX-License-Identifier: Apache-2.0
// An experiment: programs on a network, what congests it, and whether agents manage their traffic.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fairlead/sim/replay.hpp"
#include "fairlead/sim/simulation.hpp"

namespace fairlead::sim {

/// Seconds from the programs' start on.
struct Period {
    double start_s = 0.0;
    double stop_s = 0.0;
};

/// What slows the network down.
struct Disturbance {
    enum class Kind : std::uint8_t {
        streams,   ///< that always have data
        paced,     ///< streams with a rate
        messages,  ///< exchanged by two ranks of an MPI program, both ways
        delay      ///< a fixed one, on a link
    };
    Kind kind = Kind::streams;
    NodeId from = 0;  ///< two ends; of a delay two nodes with a link
    NodeId to = 0;
    int streams = 1;
    double rate_bps = 0.0;   ///< paced: of each stream
    double block_B = 0.0;    ///< paced: what its sender writes at once
    double message_B = 0.0;  ///< messages
    double added_s = 0.0;    ///< delay
    std::vector<Period> periods;
};

/// The links that it slows down.
Path affected(const Topology& topology, const Disturbance& disturbance);

struct Program {
    Trace trace;
    std::vector<EndId> hosts;  ///< of each rank
    ReplaySettings replay;
};

/// A change of a pair's route: by hand in a scenario, by an agent in an outcome.
struct RouteChange {
    double at_s = 0.0;  ///< from the programs' start on
    int program = 0;
    core::HostId source = 0;
    core::HostId destination = 0;
    core::HostId relay = core::kNoHost;  ///< or a way (core::is_way); kNoHost: the direct path
    std::string reason;                  ///< of an agent
};

struct Scenario {
    Topology topology;
    SimulationSettings simulation;
    bool managed = true;  ///< false: there are no agents
    double lead_s = 2.0;  ///< agents run for so long before the programs
    double limit_s = 600.0;
    std::vector<Program> programs;
    std::vector<Disturbance> congestion;
    std::vector<RouteChange> routes;
};

struct ProgramOutcome {
    double makespan_s = 0.0;
    std::vector<double> finished_s;   ///< by rank, from the start on
    std::vector<double> waiting_s;    ///< by rank: for messages
    std::vector<double> transfers_s;  ///< of each message between two hosts, ascending
};

struct Outcome {
    std::vector<ProgramOutcome> programs;
    std::vector<RouteChange> changes;  ///< by agents
    std::map<std::string, int> kept;   ///< reasons of searches that rerouted nothing: how often they were reported
    std::vector<Entry> diary;          ///< all that agents reported, from the programs' start on
    std::vector<Link> links;           ///< as the topology numbers them, at the end
    double foreign_B = 0.0;            ///< that connections of congestion delivered
    double foreign_s = 0.0;            ///< how long they were to send, all together, until the last program's end
    std::vector<core::Pair> used;      ///< pairs of different hosts that the programs sent anything between
    std::uint64_t probes = 0;
    std::uint64_t events = 0;
};

struct LimitError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Until the last program has ended. Throws what Replay's events throw, LimitError where a program has not ended
/// after limit_s, and std::invalid_argument for what does not fit together.
Outcome run(const Scenario& scenario);

}  // namespace fairlead::sim
