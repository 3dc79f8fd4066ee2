// SPDX-License-Identifier: Apache-2.0
// The agents of every job on every host. Their decisions are the real ones of native/core; simulated are the clocks
// that they read, the processors that they wait for, their probes and messages on the network, what they read of the
// ranks' sockets, and the kernel's routes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/core/clock_sync.hpp"
#include "fairlead/core/controller.hpp"
#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/network.hpp"
#include "fairlead/sim/processor.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

struct AgentSettings {
    int jobs = 1;         ///< on the same hosts, none of which knows of another
    bool managed = true;  ///< false: agents look and tell, and reroute nothing
    bool learns = false;  ///< nothing is known of the network before: agents learn baselines while they manage
    core::Settings settings;
    std::uint64_t seed = 1;  ///< of their decisions
    ProcessorSettings processor;
    bool kernel_stamps = true;  ///< arrival is stamped by the kernel, not by the agent when it runs
    double reroute_s = 2e-3;    ///< that guardian and kernel take for a change of routes
};

/// A line of the diary: what an agent reported.
struct Entry {
    double at = 0.0;
    int job = 0;
    core::HostId host = core::kNoHost;
    core::Action action;
};

class Agents {
  public:
    /// Starts them. `seed` is that of their surroundings: clocks, processors, and when they look at sockets.
    Agents(EventQueue& events, Network& network, const Tcp& tcp, const AgentSettings& settings, std::uint64_t seed);
    ~Agents();
    Agents(const Agents&) = delete;
    Agents& operator=(const Agents&) = delete;

    /// From now on the agent neither runs nor answers.
    void kill(int job, core::HostId host);

    const std::vector<Entry>& diary() const { return diary_; }
    std::uint64_t probes_sent() const { return probes_sent_; }

  private:
    struct Clock {
        double offset_s = 0.0;
        double drift = 0.0;
    };
    struct Agent;
    struct Probe;

    Agent& agent(int job, core::HostId host);
    double own_time(const Agent& agent) const;
    std::int64_t clock_ns(const Agent& agent) const;
    double running_at(Agent& agent);
    void when_running(Agent& agent, double after_s, std::function<void()> what);

    void give(Agent& agent, const core::Event& event);
    void wake(Agent& agent);
    void poll(Agent& agent);
    bool network_limited(Agent& agent, const Connection& connection) const;
    void sample(Agent& agent);
    void look_at_interface(Agent& agent);

    void perform(Agent& agent, const core::Action& action);
    Route direct(const Agent& agent, core::HostId to);
    Route on_way(const Agent& agent, const core::wire::Echo& echo);
    void send(Agent& agent, core::HostId to, Route route, double size_B, const core::wire::Message& message);
    void send_probes(Agent& agent, const core::SendProbes& probes);
    void probe(Agent& agent, core::HostId peer, std::uint32_t burst);
    void turn_round(Agent& peer, const std::shared_ptr<Probe>& probe);
    void come_back(Agent& agent, const std::shared_ptr<Probe>& probe);
    void finish(Agent& agent, Probe& probe);

    EventQueue& events_;
    Network& network_;
    const Tcp& tcp_;
    AgentSettings settings_;
    std::vector<Clock> clocks_;  ///< by host
    std::vector<std::unique_ptr<Agent>> agents_;
    std::vector<Entry> diary_;
    std::uint64_t probes_sent_ = 0;
};

/// The reports of one kind, with their times.
template <typename T>
std::vector<std::pair<double, T>> reports(const std::vector<Entry>& diary) {
    std::vector<std::pair<double, T>> found;
    for (const Entry& entry : diary) {
        if (const T* report = std::get_if<T>(&entry.action)) found.emplace_back(entry.at, *report);
    }
    return found;
}

}  // namespace fairlead::sim
