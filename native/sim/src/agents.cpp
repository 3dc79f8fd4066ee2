// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/agents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "agent.hpp"
#include "fairlead/sim/knowledge.hpp"

namespace fairlead::sim {

using core::HostId;

namespace {

constexpr double kPoll_s = 0.040;
constexpr double kInterface_s = 0.25;
constexpr double kSample_s = 1e-4;                             // to read the sockets when asked to
constexpr double kShortest_s = 1e-4;                           // of an agent's timer
constexpr double kBusyShare = 0.8;                             // of the time since the last look
constexpr std::uint64_t kAgentFlow = std::uint64_t{1} << 63U;  // no connection of ranks has this number

core::ControllerConfig controller_config(const AgentSettings& settings, int job, HostId host, std::size_t number,
                                         const core::BaseTable& base, const core::SharingRelation& sharing) {
    core::ControllerConfig config(host, base.host_count());
    config.settings = settings.settings;
    config.learns = settings.learns;
    if (!settings.learns) {
        config.base = base;
        config.sharing = sharing;
    }
    config.seed = settings.seed * 1000 + number;
    config.salt = static_cast<std::size_t>(job);
    config.automatic = settings.managed;
    config.proves = true;
    config.ways = settings.settings.ways.count;
    return config;
}

}  // namespace

Agents::Agents(EventQueue& events, Network& network, const Tcp& tcp, const AgentSettings& settings, std::uint64_t seed)
    : events_(events), network_(network), tcp_(tcp), settings_(settings) {
    if (settings.jobs == 0) return;  // what they would know takes time: pairs of a large network are many
    core::Random random(seed);
    const Topology& topology = network.topology();
    for (HostId host = 0; host < topology.hosts(); ++host) {
        clocks_.push_back(Clock{1000.0 * random.uniform(), 1e-4 * (random.uniform() - 0.5)});
    }
    const core::BaseTable base = base_table(topology);
    const core::SharingRelation sharing = sharing_relation(network);
    for (int job = 0; job < settings.jobs; ++job) {
        for (HostId host = 0; host < topology.hosts(); ++host) {
            auto config = controller_config(settings, job, host, agents_.size(), base, sharing);
            agents_.push_back(
                std::make_unique<Agent>(std::move(config), job, Processor(settings.processor, random.next())));
            Agent& started = *agents_.back();
            events_.at(kPoll_s * random.uniform(), [this, &started] { poll(started); });
        }
    }
}

Agents::~Agents() = default;

Agents::Agent& Agents::agent(int job, HostId host) {
    return *agents_[static_cast<std::size_t>(job) * network_.topology().hosts() + host];
}

void Agents::kill(int job, HostId host) {
    agent(job, host).dead = true;
}

std::int64_t Agents::clock_ns(const Agent& agent) const {
    return static_cast<std::int64_t>(own_time(agent) * 1e9);
}

double Agents::own_time(const Agent& agent) const {
    const Clock& clock = clocks_[agent.host];
    return clock.offset_s + events_.now() * (1.0 + clock.drift);
}

/// When the agent next gets a core.
double Agents::running_at(Agent& agent) {
    return agent.processor.running_at(events_.now());
}

void Agents::when_running(Agent& agent, double after_s, std::function<void()> what) {
    events_.at(running_at(agent) + after_s, std::move(what));
}

void Agents::give(Agent& agent, const core::Event& event) {
    if (agent.dead) return;
    const std::vector<core::Action> actions = agent.controller.on(event, own_time(agent));
    for (const core::Action& action : actions) perform(agent, action);
    wake(agent);
}

void Agents::wake(Agent& agent) {
    const double in_s = agent.controller.next_wakeup() - own_time(agent);
    if (!std::isfinite(in_s)) return;
    const double when = events_.now() + std::max(in_s, kShortest_s);
    if (agent.wake_at <= when && agent.wake_at > events_.now()) return;
    agent.wake_at = when;
    events_.at(when, [this, &agent, when] {
        if (agent.wake_at != when) return;
        agent.wake_at = HUGE_VAL;
        when_running(agent, 0.0, [this, &agent] { give(agent, core::Tick{agent.run_delay.take_s(agent.processor)}); });
    });
}

/// Polls that fall into one stall of the processor are one at its end, as those of a timer are.
void Agents::poll(Agent& agent) {
    const auto look = [this, &agent] {
        agent.polls = false;
        sample(agent);
        look_at_interface(agent);
        give(agent, core::Tick{agent.run_delay.take_s(agent.processor)});
        agent.run_delay.end_poll();
    };
    if (!std::exchange(agent.polls, true)) when_running(agent, 0.0, look);
    events_.at(events_.now() + kPoll_s, [this, &agent] { poll(agent); });
}

/// Whether the network was what limited a connection since the last look (native/agent/watch/flow_table.cpp).
bool Agents::network_limited(Agent& agent, const Connection& c) const {
    const double now = events_.now();
    const auto last = std::exchange(agent.looked[&c], {now, c.busy_s(now)});
    double& longest_s = agent.longest_busy_s[c.destination];
    longest_s = std::max(longest_s, c.busy_s(now) - last.busy_s);
    return c.limited && c.busy_s(now) - last.busy_s >= kBusyShare * (now - last.at);
}

void Agents::sample(Agent& agent) {
    std::vector<core::SocketSample> samples(network_.topology().hosts());
    for (const Connection& c : tcp_.connections()) {
        if (c.job != agent.job) continue;
        if (c.destination == agent.host) {
            samples[c.source].peer = c.source;
            samples[c.source].received_B += static_cast<std::uint64_t>(c.delivered_B);
        }
        if (c.source != agent.host) continue;
        core::SocketSample& s = samples[c.destination];
        s.peer = c.destination;
        s.srtt_s = std::max(s.srtt_s, c.srtt_s);
        if (c.min_rtt_s > 0.0 && (s.min_rtt_s <= 0.0 || c.min_rtt_s < s.min_rtt_s)) s.min_rtt_s = c.min_rtt_s;
        s.in_flight_B += static_cast<std::uint64_t>(c.in_flight_B);
        s.delivered_B += static_cast<std::uint64_t>(c.delivered_B);
        s.retransmits += c.retransmits;
        s.delivery_bps = std::max(s.delivery_bps, c.delivery_bps);
        s.network_limited = network_limited(agent, c) || s.network_limited;
        if (!c.flights.empty()) s.rto_s = std::max(s.rto_s, c.timeout_s);
    }
    for (core::SocketSample& s : samples) {
        if (s.peer == core::kNoHost) continue;
        s.busy_s = agent.busy_s[s.peer] += std::exchange(agent.longest_busy_s[s.peer], 0.0);
        give(agent, s);
    }
}

void Agents::look_at_interface(Agent& agent) {
    const double elapsed_s = events_.now() - agent.looked_at;
    if (elapsed_s < kInterface_s) return;
    double sent_B = 0.0;
    double received_B = 0.0;
    const std::vector<Topology::Edge>& edges = network_.topology().links();
    for (LinkId id = 0; id < edges.size(); ++id) {
        if (edges[id].from == agent.host) sent_B += network_.link(id).carried_B;
        if (edges[id].to == agent.host) received_B += network_.link(id).carried_B;
    }
    const double busier_B = std::max(sent_B - agent.sent_B, received_B - agent.received_B);
    give(agent, core::InterfaceBusy{8.0 * busier_B / elapsed_s});
    agent.looked_at = events_.now();
    agent.sent_B = sent_B;
    agent.received_B = received_B;
}

void Agents::perform(Agent& agent, const core::Action& action) {
    if (const auto* message = std::get_if<core::Send>(&action)) {
        send(agent, message->to, direct(agent, message->to), kControl_B, message->message);
    } else if (const auto* probes = std::get_if<core::SendProbes>(&action)) {
        send_probes(agent, *probes);
    } else if (const auto* sent = std::get_if<core::SendEcho>(&action)) {
        const core::wire::Echo& echo = sent->echo;
        send(agent, echo.destination, on_way(agent, echo), kEcho_B, echo);
    } else if (std::holds_alternative<core::SampleSockets>(action)) {
        events_.at(events_.now() + kSample_s, [this, &agent] {
            sample(agent);
            give(agent, core::Tick{agent.run_delay.take_s(agent.processor)});
        });
    } else if (const auto* reroute = std::get_if<core::Reroute>(&action)) {
        events_.at(events_.now() + settings_.reroute_s, [this, &agent, reroute = *reroute] {
            network_.set_relay(agent.job, agent.host, reroute.destination, reroute.relay);
            give(agent, core::RerouteDone{reroute.destination, reroute.relay});
        });
    } else if (const auto* back = std::get_if<core::Restore>(&action)) {
        events_.at(events_.now() + settings_.reroute_s, [this, &agent, back = *back] {
            network_.set_relay(agent.job, agent.host, back.destination, core::kNoHost);
            give(agent, core::RestoreDone{back.destination});
        });
    } else {
        diary_.push_back(Entry{events_.now(), agent.job, agent.host, action});
    }
}

/// What one agent sends another is a single flow.
Route Agents::direct(const Agent& agent, HostId to) {
    return network_.direct(agent.host, to, network_.label(agent.job, agent.host, to, kAgentFlow));
}

Route Agents::on_way(const Agent& agent, const core::wire::Echo& echo) {
    if (core::is_way(echo.relay)) return network_.by_way(agent.job, agent.host, echo.destination, echo.relay);
    const FlowLabel label = network_.label(agent.job, agent.host, echo.destination, kAgentFlow);
    return network_.over(agent.host, echo.relay, echo.destination, label);
}

void Agents::send(Agent& agent, HostId to, Route route, double size_B, const core::wire::Message& message) {
    Agent& receiver = this->agent(agent.job, to);
    network_.send(route, size_B,
                  [this, from = agent.host, &receiver, message] {
                      when_running(receiver, kStack_s, [this, from, &receiver, message] {
                          give(receiver, core::Received{from, message});
                      });
                  },
                  {});
}

}  // namespace fairlead::sim
