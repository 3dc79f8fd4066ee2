// SPDX-License-Identifier: Apache-2.0
// The simulated network of native/sim as the tests of decisions use it: leafs that are joined pairwise, or one switch,
// with one foreign end a leaf.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "fairlead/sim/simulation.hpp"

namespace fairlead::core::sim {

using fairlead::sim::Entry;
using fairlead::sim::Link;

struct Config {
    int jobs = 1;
    int leafs = 4;  ///< 1: a star
    int hosts_per_leaf = 2;
    double host_bps = 1e9;
    double core_bps = 200e6;  ///< between leafs
    double core_limit_B = 250e3;
    double host_limit_B = 500e3;
    std::uint64_t seed = 1;
    double stall_rate_per_s = 20.0;
    double stall_mean_s = 3e-3;
    bool kernel_stamps = true;
    bool managed = true;
    bool learns = false;  ///< nothing is known of the network before
    Settings settings;
};

class Simulation {
  public:
    explicit Simulation(const Config& config)
        : hosts_per_leaf_(config.hosts_per_leaf), net_(topology(config), settings(config)) {}

    HostId hosts() const { return net_.network.topology().hosts(); }
    double now() const { return net_.events.now(); }
    int leaf(HostId end) const { return end < hosts() ? end / hosts_per_leaf_ : end - hosts(); }
    void at(double when, std::function<void()> what) { net_.events.at(when, std::move(what)); }
    void run_until(double when) { net_.events.run_until(when); }

    /// The program: each pair sends messages of `message_B`, with pauses of mean `pause_s` between them.
    void exchange(HostId source, HostId destination, double message_B, double pause_s, int job = 0) {
        net_.exchanges.always(source, destination, message_B, pause_s, job);
    }
    /// The same, but only for `length_s` from each of these moments on.
    void exchange_at(HostId source, HostId destination, double message_B, double pause_s,
                     const std::vector<double>& begins, double length_s) {
        net_.exchanges.at_times(source, destination, message_B, pause_s, begins, length_s);
    }
    /// Foreign streams from a leaf's foreign end to another's, `count` of them, while on.
    void foreign(int from_leaf, int to_leaf, int count, double start, double stop) {
        net_.congestion.streams(foreign_end(from_leaf), foreign_end(to_leaf), count, start, stop);
    }
    /// The same, each limited to rate_bps by a sender that writes a block whenever it is behind its rate.
    void foreign_paced(int from_leaf, int to_leaf, int count, double rate_bps, double block_B, double start,
                       double stop) {
        net_.congestion.paced(foreign_end(from_leaf), foreign_end(to_leaf), count, rate_bps, block_B, start, stop);
    }
    /// Foreign streams that end at one of the job's hosts.
    void foreign_into(HostId host, int from_leaf, int count, double start, double stop) {
        net_.congestion.streams(foreign_end(from_leaf), host, count, start, stop);
    }

    Link& core(int from, int to) { return link(leaf_node(from), leaf_node(to)); }
    Link& down(HostId end) { return link(leaf_node(leaf(end)), end); }
    HostId relay_of(HostId source, HostId destination) const { return net_.network.relay(0, source, destination); }
    void kill_agent(HostId host) { net_.agents.kill(0, host); }
    /// Bytes of a job's program that have arrived.
    double delivered_B(int job) const {
        double sum_B = 0.0;
        for (const fairlead::sim::Connection& connection : net_.tcp.connections()) {
            if (connection.job == job) sum_B += connection.delivered_B;
        }
        return sum_B;
    }

    const std::vector<Entry>& diary() const { return net_.agents.diary(); }
    template <typename T>
    std::vector<std::pair<double, T>> reports() const {
        return fairlead::sim::reports<T>(diary());
    }
    std::uint64_t probes_sent() const { return net_.agents.probes_sent(); }

  private:
    static fairlead::sim::Topology topology(const Config& config) {
        fairlead::sim::Leafs kind;
        kind.leafs = config.leafs;
        kind.hosts_per_leaf = config.hosts_per_leaf;
        kind.host = {config.host_bps, 10e-6, config.host_limit_B};
        kind.neighbour = {10 * config.host_bps, 10e-6, config.host_limit_B};
        kind.trunk = {config.core_bps, 30e-6, config.core_limit_B};
        return config.leafs == 1 ? star(kind) : mesh(kind);
    }
    static fairlead::sim::SimulationSettings settings(const Config& config) {
        fairlead::sim::SimulationSettings settings;
        settings.seed = config.seed;
        settings.jobs = settings.agents.jobs = config.jobs;
        settings.agents.managed = config.managed;
        settings.agents.learns = config.learns;
        settings.agents.settings = config.settings;
        settings.agents.seed = config.seed;
        settings.agents.processor = {config.stall_rate_per_s, config.stall_mean_s};
        settings.agents.kernel_stamps = config.kernel_stamps;
        return settings;
    }
    HostId foreign_end(int of_leaf) const { return static_cast<HostId>(hosts() + of_leaf); }
    fairlead::sim::NodeId leaf_node(int number) const {
        return net_.network.topology().ends() + static_cast<fairlead::sim::NodeId>(number);
    }
    Link& link(fairlead::sim::NodeId from, fairlead::sim::NodeId to) {
        return net_.network.link(*net_.network.topology().link(from, to));
    }

    int hosts_per_leaf_;
    fairlead::sim::Simulation net_;
};

}  // namespace fairlead::core::sim
