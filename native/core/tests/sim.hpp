// SPDX-License-Identifier: Apache-2.0
// A small discrete-event network for tests: first-in first-out links that drop at their tails, flows that behave
// roughly like TCP, hosts whose agents now and then do not run, clocks that are off. The agents' decisions are real.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fairlead/core/clock_sync.hpp"
#include "fairlead/core/controller.hpp"
#include "fairlead/core/random.hpp"

namespace fairlead::core::sim {

struct Link {
    double rate_bps = 0.0;
    double delay_s = 30e-6;
    double limit_B = 0.0;
    double busy_until = 0.0;
    double carried_B = 0.0;

    double backlog_s(double now) const { return busy_until > now ? busy_until - now : 0.0; }
    double backlog_B(double now) const { return backlog_s(now) * rate_bps / 8.0; }
};

struct Config {
    int jobs = 1;   ///< on the same hosts, none of which knows of another
    int leafs = 4;  ///< 1: a star
    int hosts_per_leaf = 2;
    double host_bps = 1e9;
    double core_bps = 200e6;  ///< between leafs
    double core_limit_B = 250e3;
    double host_limit_B = 500e3;
    std::uint64_t seed = 1;
    double stall_rate_per_s = 20.0;  ///< how often a host's agent does not get a core
    double stall_mean_s = 3e-3;
    bool kernel_stamps = true;  ///< arrival is stamped by the kernel, not by the agent when it runs
    double move_s = 2e-3;       ///< guardian and kernel
    bool managed = true;        ///< false: agents look and tell, and move nothing
    Settings settings;
};

/// A line of the diary: what an agent reported.
struct Entry {
    double at = 0.0;
    int job = 0;
    HostId host = kNoHost;
    Action action;
};

class Simulation;

constexpr int kForeign = -1;

/// A sender of one-directional bytes with a congestion window.
struct Flow {
    HostId source = 0;  ///< index of the network end (foreign ends lie behind the job's hosts)
    HostId destination = 0;
    int job = kForeign;
    bool unlimited = false;  ///< always has data
    double chunk_B = 9000;
    double window_B = 36000;
    double threshold_B = 1e9;
    double wanted_B = 0.0;  ///< still to be sent
    double in_flight_B = 0.0;
    double delivered_B = 0.0;
    std::uint64_t retransmits = 0;
    double srtt_s = 0.0;
    double min_rtt_s = 0.0;
    double last_cut = -1.0;
    std::function<void()> on_drained;  ///< everything wanted was acknowledged
};

class Simulation {
  public:
    explicit Simulation(Config config);

    /// Hosts with agents: 0 .. hosts()-1.
    HostId hosts() const { return static_cast<HostId>(config_.leafs * config_.hosts_per_leaf); }
    double now() const { return now_; }
    int leaf(HostId end) const;

    void at(double when, std::function<void()> what);
    void run_until(double when);

    /// The program: each pair sends messages of `message_B`, with pauses of mean `pause_s` between them.
    void exchange(HostId source, HostId destination, double message_B, double pause_s, int job = 0);
    /// The same, but only for `length_s` from each of these moments on.
    void exchange_at(HostId source, HostId destination, double message_B, double pause_s, std::vector<double> begins,
                     double length_s);
    /// Foreign streams from a leaf's foreign end to another's, `count` of them, while on.
    void foreign(int from_leaf, int to_leaf, int count, double start, double stop);
    /// The same, each limited to rate_bps by a sender that writes a block whenever it is behind its rate.
    void foreign_paced(int from_leaf, int to_leaf, int count, double rate_bps, double block_B, double start,
                       double stop);
    /// Foreign streams that end at one of the job's hosts.
    void foreign_into(HostId host, int from_leaf, int count, double start, double stop);

    Link& core(int from, int to) { return core_[static_cast<std::size_t>(from * config_.leafs + to)]; }
    Link& down(HostId end) { return down_[end]; }
    Link& up(HostId end) { return up_[end]; }
    HostId relay_of(HostId source, HostId destination, int job = 0) const {
        return route_[index(job, source, destination)];
    }
    /// From now on the host's agent neither runs nor answers.
    void kill_agent(HostId host) { dead_[agent_of(0, host)] = true; }
    /// Bytes of a job's program that have arrived.
    double delivered_B(int job) const;

    const std::vector<Entry>& diary() const { return diary_; }
    template <typename T>
    std::vector<std::pair<double, T>> reports() const {
        std::vector<std::pair<double, T>> found;
        for (const Entry& entry : diary_) {
            if (const T* report = std::get_if<T>(&entry.action)) found.emplace_back(entry.at, *report);
        }
        return found;
    }
    std::uint64_t probes_sent() const { return probes_sent_; }

  private:
    struct Event {
        double at;
        std::uint64_t order;
        std::function<void()> what;
        bool operator<(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
    };
    struct Clock {
        double offset_s = 0.0;
        double drift = 0.0;
    };
    using Path = std::vector<Link*>;

    /// Of a job's agent on a host: the number by which the vectors below know it.
    using Agent = std::size_t;

    Agent agent_of(int job, HostId host) const { return static_cast<std::size_t>(job) * hosts() + host; }
    HostId host_of(Agent agent) const { return static_cast<HostId>(agent % hosts()); }
    int job_of(Agent agent) const { return static_cast<int>(agent / hosts()); }
    std::size_t index(int job, HostId source, HostId destination) const {
        return (static_cast<std::size_t>(job) * ends_ + source) * ends_ + destination;
    }
    Path direct(HostId source, HostId destination);
    Path routed(int job, HostId source, HostId destination);
    void travel(std::shared_ptr<Path> path, std::size_t hop, double size_B, std::function<void()> arrived,
                std::function<void()> dropped);
    double return_time(const Flow& flow);

    Flow& add_flow(HostId source, HostId destination, int job);
    void push(Flow& flow);
    void acknowledged(Flow& flow, double size_B, double sent_at, double sent_window_B);
    void lost(Flow& flow, double size_B);

    void start_agents();
    ControllerConfig agent_config(Agent agent);
    void give(Agent agent, core::Event event);
    void perform(Agent agent, const Action& action);
    void probe(Agent agent, HostId peer, std::uint32_t burst);
    void poll(Agent agent, bool again);
    void sample(Agent agent);
    void look_at_interface(Agent agent);
    void wake(Agent agent);
    double running_at(Agent agent);
    std::int64_t clock_ns(Agent agent) const;
    double own_time(Agent agent) const;

    Config config_;
    Random random_;
    std::size_t ends_;
    double now_ = 0.0;
    std::uint64_t order_ = 0;
    std::vector<Event> events_;  // a heap: std::priority_queue would have what happens copied, with all that it holds
    std::vector<Link> up_, down_, core_;
    std::vector<HostId> route_;
    std::deque<Flow> flows_;
    std::vector<std::unique_ptr<Controller>> agents_;
    std::vector<std::vector<ClockSync>> clocks_;
    std::vector<Clock> clock_;
    std::vector<bool> dead_;
    std::vector<double> stall_begin_, stall_end_, run_delay_, last_run_delay_, answered_run_delay_, wake_at_;
    std::vector<double> looked_at_, sent_B_, received_B_;  ///< by agent, of its host's interface
    std::vector<Entry> diary_;
    std::uint64_t probes_sent_ = 0;
};

}  // namespace fairlead::core::sim
