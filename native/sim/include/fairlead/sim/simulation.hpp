// SPDX-License-Identifier: Apache-2.0
// A network, TCP and agents on it, and what they carry: everything of one simulated run. The same seed gives the same
// run.
#pragma once

#include <cstdint>
#include <utility>

#include "fairlead/core/random.hpp"
#include "fairlead/sim/agents.hpp"
#include "fairlead/sim/congestion.hpp"
#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/exchanges.hpp"
#include "fairlead/sim/network.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

struct SimulationSettings {
    std::uint64_t seed = 1;
    int jobs = 1;  ///< that have routes of their own; agents.jobs of them have agents
    LoadBalancingSettings load_balancing;
    TcpSettings tcp;
    AgentSettings agents;
};

class Simulation {
  public:
    /// What is by chance in one part does not depend on what others draw: congestion is the same with agents that
    /// reroute something as with agents that do not. Throws std::invalid_argument for settings that core::validate
    /// refuses.
    Simulation(Topology topology, const SimulationSettings& settings)
        : seeds_(settings.seed),
          network(events, std::move(topology), settings.jobs, seeds_.next(), settings.load_balancing),
          tcp(events, network, settings.tcp),
          agents(events, network, tcp, settings.agents, seeds_.next()),
          congestion(events, network, tcp, seeds_.next()),
          exchanges(events, tcp, seeds_.next()) {}

  private:
    core::Random seeds_;

  public:
    EventQueue events;
    Network network;
    Tcp tcp;
    Agents agents;
    Congestion congestion;
    Exchanges exchanges;
};

}  // namespace fairlead::sim
