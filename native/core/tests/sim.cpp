// SPDX-License-Identifier: Apache-2.0
#include "sim.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace fairlead::core::sim {

namespace {

constexpr double kPoll_s = 0.040;
constexpr double kInterface_s = 0.25;
constexpr double kStack_s = 30e-6;  // through one host's kernel
constexpr double kProbe_B = 100.0;
constexpr double kControl_B = 200.0;
constexpr double kEcho_B = 1500.0;
constexpr double kProbeTimeout_s = 0.25;

double exponential(Random& random, double mean) {
    return -mean * std::log(1.0 - random.uniform());
}

}  // namespace

Simulation::Simulation(Config config)
    : config_(config), random_(config.seed), ends_(static_cast<std::size_t>(hosts() + config.leafs)) {
    up_.assign(ends_, Link{config.host_bps, 10e-6, config.host_limit_B, 0.0});
    down_ = up_;
    for (std::size_t end = hosts(); end < ends_; ++end) up_[end].rate_bps = down_[end].rate_bps = 10 * config.host_bps;
    const auto pairs = static_cast<std::size_t>(config.leafs * config.leafs);
    core_.assign(pairs, Link{config.core_bps, 30e-6, config.core_limit_B, 0.0});
    const Agent agents = agent_of(config.jobs, 0);
    route_.assign(index(config.jobs, 0, 0), kNoHost);
    for (HostId host = 0; host < hosts(); ++host) {
        clock_.push_back(Clock{1000.0 * random_.uniform(), 1e-4 * (random_.uniform() - 0.5)});
    }
    clocks_.assign(agents, std::vector<ClockSync>(hosts()));
    dead_.assign(agents, false);
    stall_begin_.assign(agents, 0.0);
    stall_end_ = run_delay_ = last_run_delay_ = answered_run_delay_ = stall_begin_;
    wake_at_.assign(agents, HUGE_VAL);
    looked_at_ = sent_B_ = received_B_ = stall_begin_;
    start_agents();
}

/// A job's host belongs to a leaf by its index; behind them comes one foreign end a leaf.
int Simulation::leaf(HostId end) const {
    return end < hosts() ? end / config_.hosts_per_leaf : end - hosts();
}

void Simulation::at(double when, std::function<void()> what) {
    events_.push_back(Event{std::max(when, now_), order_++, std::move(what)});
    std::push_heap(events_.begin(), events_.end());
}

void Simulation::run_until(double when) {
    while (!events_.empty() && events_.front().at <= when) {
        std::pop_heap(events_.begin(), events_.end());
        const Event event = std::move(events_.back());
        events_.pop_back();
        now_ = event.at;
        event.what();
    }
    now_ = when;
}

Simulation::Path Simulation::direct(HostId source, HostId destination) {
    Path path{&up_[source]};
    if (leaf(source) != leaf(destination)) path.push_back(&core(leaf(source), leaf(destination)));
    path.push_back(&down_[destination]);
    return path;
}

Simulation::Path Simulation::routed(int job, HostId source, HostId destination) {
    const HostId relay = job == kForeign ? kNoHost : route_[index(job, source, destination)];
    if (relay == kNoHost) return direct(source, destination);
    Path path = direct(source, relay);
    const Path second = direct(relay, destination);
    path.insert(path.end(), second.begin(), second.end());
    return path;
}

void Simulation::travel(std::shared_ptr<Path> path, std::size_t hop, double size_B, std::function<void()> arrived,
                        std::function<void()> dropped) {
    if (hop == path->size()) return arrived();
    Link& link = *(*path)[hop];
    if (link.backlog_B(now_) + size_B > link.limit_B) {
        if (dropped) dropped();
        return;
    }
    link.busy_until = std::max(link.busy_until, now_) + 8.0 * size_B / link.rate_bps;
    link.carried_B += size_B;
    at(link.busy_until + link.delay_s,
       [this, path, hop, size_B, arrived = std::move(arrived), dropped = std::move(dropped)]() mutable {
           travel(std::move(path), hop + 1, size_B, std::move(arrived), std::move(dropped));
       });
}

/// Time of an acknowledgement: it queues like data, but its own size counts for nothing.
double Simulation::return_time(const Flow& flow) {
    double total = kStack_s;
    for (const Link* link : routed(flow.job, flow.destination, flow.source))
        total += link->delay_s + link->backlog_s(now_);
    return total;
}

Flow& Simulation::add_flow(HostId source, HostId destination, int job) {
    flows_.emplace_back();
    Flow& flow = flows_.back();
    flow.source = source;
    flow.destination = destination;
    flow.job = job;
    return flow;
}

void Simulation::push(Flow& flow) {
    while ((flow.unlimited || flow.wanted_B > 0.0) && flow.in_flight_B + flow.chunk_B <= flow.window_B + 1.0) {
        const double size_B = flow.unlimited ? flow.chunk_B : std::min(flow.chunk_B, flow.wanted_B);
        if (!flow.unlimited) flow.wanted_B -= size_B;
        flow.in_flight_B += size_B;
        const double sent_at = now_;
        auto path = std::make_shared<Path>(routed(flow.job, flow.source, flow.destination));
        travel(
            std::move(path), 0, size_B,
            [this, &flow, size_B, sent_at] {
                at(now_ + return_time(flow),
                   [this, &flow, size_B, sent_at] { acknowledged(flow, size_B, sent_at, flow.window_B); });
            },
            [this, &flow, size_B] {
                // Noticed when later segments are acknowledged.
                at(now_ + std::max(flow.srtt_s, 1e-3), [this, &flow, size_B] { lost(flow, size_B); });
            });
    }
}

void Simulation::acknowledged(Flow& flow, double size_B, double sent_at, double) {
    const double rtt_s = now_ - sent_at;
    flow.srtt_s = flow.srtt_s > 0.0 ? 0.875 * flow.srtt_s + 0.125 * rtt_s : rtt_s;
    flow.min_rtt_s = flow.min_rtt_s > 0.0 ? std::min(flow.min_rtt_s, rtt_s) : rtt_s;
    flow.in_flight_B = std::max(0.0, flow.in_flight_B - size_B);
    flow.delivered_B += size_B;
    flow.window_B += flow.window_B < flow.threshold_B ? size_B : flow.chunk_B * size_B / flow.window_B;
    flow.window_B = std::min(flow.window_B, 2e6);
    push(flow);
    if (!flow.unlimited && flow.wanted_B <= 0.0 && flow.in_flight_B < 1.0 && flow.on_drained) flow.on_drained();
}

void Simulation::lost(Flow& flow, double size_B) {
    flow.in_flight_B = std::max(0.0, flow.in_flight_B - size_B);
    ++flow.retransmits;
    if (!flow.unlimited) flow.wanted_B += size_B;
    if (now_ - flow.last_cut > flow.srtt_s) {
        flow.window_B = flow.threshold_B = std::max(2.0 * flow.chunk_B, 0.7 * flow.window_B);
        flow.last_cut = now_;
    }
    push(flow);
}

void Simulation::exchange(HostId source, HostId destination, double message_B, double pause_s, int job) {
    Flow& flow = add_flow(source, destination, job);
    flow.chunk_B = std::min(9000.0, message_B);
    flow.on_drained = [this, &flow, message_B, pause_s] {
        const double pause = pause_s * (0.5 + random_.uniform());
        at(now_ + pause, [this, &flow, message_B] {
            if (flow.wanted_B > 0.0 || flow.in_flight_B > 0.0) return;
            flow.wanted_B = message_B;
            push(flow);
        });
    };
    at(now_ + 0.01 * random_.uniform(), flow.on_drained);
}

void Simulation::exchange_at(HostId source, HostId destination, double message_B, double pause_s,
                             std::vector<double> begins, double length_s) {
    Flow& flow = add_flow(source, destination, 0);
    flow.chunk_B = std::min(9000.0, message_B);
    auto until = std::make_shared<double>(0.0);
    const auto next = [this, &flow, message_B] {
        if (flow.wanted_B > 0.0 || flow.in_flight_B > 0.0) return;
        flow.wanted_B = message_B;
        push(flow);
    };
    flow.on_drained = [this, next, until, pause_s] {
        if (now_ + pause_s < *until) at(now_ + pause_s, next);
    };
    for (const double begin : begins) {
        at(begin, [this, next, until, length_s] {
            *until = now_ + length_s;
            next();
        });
    }
}

void Simulation::foreign(int from_leaf, int to_leaf, int count, double start, double stop) {
    for (int i = 0; i < count; ++i) {
        Flow& flow =
            add_flow(static_cast<HostId>(hosts() + from_leaf), static_cast<HostId>(hosts() + to_leaf), kForeign);
        at(start + 1e-3 * random_.uniform(), [this, &flow] {
            flow.unlimited = true;
            push(flow);
        });
        at(stop, [&flow] { flow.unlimited = false; });
    }
}

void Simulation::foreign_paced(int from_leaf, int to_leaf, int count, double rate_bps, double block_B, double start,
                               double stop) {
    const double period_s = 8.0 * block_B / rate_bps;
    for (int i = 0; i < count; ++i) {
        Flow& flow =
            add_flow(static_cast<HostId>(hosts() + from_leaf), static_cast<HostId>(hosts() + to_leaf), kForeign);
        for (double t = start + period_s * random_.uniform(); t < stop; t += period_s) {
            at(t, [this, &flow, block_B] {
                flow.wanted_B = std::min(flow.wanted_B + block_B, 4.0 * block_B);  // the socket's buffer is full then
                push(flow);
            });
        }
    }
}

void Simulation::foreign_into(HostId host, int from_leaf, int count, double start, double stop) {
    for (int i = 0; i < count; ++i) {
        Flow& flow = add_flow(static_cast<HostId>(hosts() + from_leaf), host, kForeign);
        at(start + 1e-3 * random_.uniform(), [this, &flow] {
            flow.unlimited = true;
            push(flow);
        });
        at(stop, [&flow] { flow.unlimited = false; });
    }
}

double Simulation::delivered_B(int job) const {
    double sum_B = 0.0;
    for (const Flow& flow : flows_) {
        if (flow.job == job) sum_B += flow.delivered_B;
    }
    return sum_B;
}

// ------------------------------------------------------------------------------------------------ agents

ControllerConfig Simulation::agent_config(Agent agent) {
    const HostId host = host_of(agent);
    ControllerConfig config(host, hosts());
    config.settings = config_.settings;
    config.seed = config_.seed * 1000 + agent;
    config.salt = static_cast<std::size_t>(job_of(agent));
    config.automatic = config_.managed;
    config.proves = true;
    std::vector<std::set<const Link*>> all(static_cast<std::size_t>(hosts()) * hosts());
    auto narrow = all;
    for (HostId s = 0; s < hosts(); ++s) {
        for (HostId d = 0; d < hosts(); ++d) {
            if (s == d) continue;
            const Path path = direct(s, d);
            double rate_bps = HUGE_VAL;
            double delay_s = 2 * kStack_s;
            for (const Link* link : path) rate_bps = std::min(rate_bps, link->rate_bps), delay_s += link->delay_s;
            for (const Link* link : path) {
                all[pair_index({s, d}, hosts())].insert(link);
                if (link->rate_bps <= rate_bps) narrow[pair_index({s, d}, hosts())].insert(link);
            }
            for (const double size : {64.0, 1024.0, 8192.0, 65536.0, 524288.0}) {
                config.base.set_latency({s, d}, static_cast<std::uint64_t>(size), delay_s + 8 * size / rate_bps, -60.0);
            }
            config.base.set_throughput({s, d}, rate_bps, -60.0);
        }
    }
    const auto pair_at = [&](std::size_t i) {
        return Pair{static_cast<HostId>(i / hosts()), static_cast<HostId>(i % hosts())};
    };
    for (std::size_t injected = 0; injected < narrow.size(); ++injected) {
        for (std::size_t hurt = 0; hurt < all.size(); ++hurt) {
            const bool meet = std::any_of(narrow[injected].begin(), narrow[injected].end(),
                                          [&](const Link* link) { return all[hurt].count(link) > 0; });
            if (meet) config.sharing.set_hurts(pair_at(injected), pair_at(hurt));
        }
    }
    return config;
}

void Simulation::start_agents() {
    for (Agent agent = 0; agent < dead_.size(); ++agent) {
        agents_.push_back(std::make_unique<Controller>(agent_config(agent)));
        at(kPoll_s * random_.uniform(), [this, agent] { poll(agent, true); });
    }
}

std::int64_t Simulation::clock_ns(Agent agent) const {
    return static_cast<std::int64_t>(own_time(agent) * 1e9);
}

double Simulation::own_time(Agent agent) const {
    return clock_[host_of(agent)].offset_s + now_ * (1.0 + clock_[host_of(agent)].drift);
}

/// When the host's agent next gets a core: now, or the end of the stall that now falls into.
double Simulation::running_at(Agent agent) {
    if (config_.stall_rate_per_s <= 0.0) return now_;
    while (stall_end_[agent] <= now_) {
        stall_begin_[agent] = stall_end_[agent] + exponential(random_, 1.0 / config_.stall_rate_per_s);
        stall_end_[agent] = stall_begin_[agent] + exponential(random_, config_.stall_mean_s);
    }
    if (now_ < stall_begin_[agent]) return now_;
    run_delay_[agent] += stall_end_[agent] - now_;
    return stall_end_[agent];
}

void Simulation::give(Agent agent, core::Event event) {
    if (dead_[agent]) return;
    const std::vector<Action> actions = agents_[agent]->on(event, own_time(agent));
    for (const Action& action : actions) perform(agent, action);
    wake(agent);
}

void Simulation::wake(Agent agent) {
    const double in_s = agents_[agent]->next_wakeup() - own_time(agent);
    if (!std::isfinite(in_s)) return;
    const double when = now_ + std::max(in_s, 1e-4);
    if (wake_at_[agent] <= when && wake_at_[agent] > now_) return;
    wake_at_[agent] = when;
    at(when, [this, agent, when] {
        if (wake_at_[agent] != when) return;
        wake_at_[agent] = HUGE_VAL;
        at(running_at(agent), [this, agent] { give(agent, Tick{0.0}); });
    });
}

void Simulation::poll(Agent agent, bool again) {
    at(running_at(agent), [this, agent] {
        sample(agent);
        look_at_interface(agent);
        const double waited = run_delay_[agent] - last_run_delay_[agent];
        last_run_delay_[agent] = run_delay_[agent];
        give(agent, Tick{waited});
    });
    if (again) at(now_ + kPoll_s, [this, agent] { poll(agent, true); });
}

void Simulation::sample(Agent agent) {
    std::vector<SocketSample> samples(hosts());
    for (const Flow& flow : flows_) {
        if (flow.job != job_of(agent)) continue;
        if (flow.destination == host_of(agent)) {
            samples[flow.source].peer = flow.source;
            samples[flow.source].received_B += static_cast<std::uint64_t>(flow.delivered_B);
        }
        if (flow.source != host_of(agent)) continue;
        SocketSample& s = samples[flow.destination];
        s.peer = flow.destination;
        s.srtt_s = std::max(s.srtt_s, flow.srtt_s);
        s.min_rtt_s = flow.min_rtt_s;
        s.in_flight_B += static_cast<std::uint64_t>(flow.in_flight_B);
        s.delivered_B += static_cast<std::uint64_t>(flow.delivered_B);
        s.retransmits += flow.retransmits;
        s.rto_s = std::max({s.rto_s, 0.2, 2.0 * flow.srtt_s});
    }
    for (const SocketSample& s : samples) {
        if (s.peer != kNoHost) give(agent, s);
    }
}

void Simulation::look_at_interface(Agent agent) {
    const double elapsed_s = now_ - looked_at_[agent];
    if (elapsed_s < kInterface_s) return;
    const double sent_B = up_[host_of(agent)].carried_B;
    const double received_B = down_[host_of(agent)].carried_B;
    give(agent, InterfaceBusy{8.0 * std::max(sent_B - sent_B_[agent], received_B - received_B_[agent]) / elapsed_s});
    looked_at_[agent] = now_;
    sent_B_[agent] = sent_B;
    received_B_[agent] = received_B;
}

void Simulation::probe(Agent agent, HostId peer, std::uint32_t burst) {
    if (dead_[agent]) return;
    ++probes_sent_;
    const Agent other = agent_of(job_of(agent), peer);
    const std::int64_t t1 = clock_ns(agent);
    const double sent_at = own_time(agent);
    auto answered = std::make_shared<bool>(false);
    at(now_ + kProbeTimeout_s, [=, this] {
        if (*answered) return;
        *answered = true;
        ProbeResult result;
        result.peer = peer;
        result.burst = burst;
        result.sent_at = sent_at;
        result.lost = true;
        give(agent, result);
    });
    const auto finish = [=, this](std::int64_t t2, std::int64_t t3, std::int64_t t4, double peer_run_delay_s) {
        if (*answered) return;
        *answered = true;
        const auto queueing = clocks_[agent][peer].add(Exchange{t1, t2, t3, t4});
        if (!queueing) return;
        ProbeResult result;
        result.peer = peer;
        result.burst = burst;
        result.sent_at = sent_at;
        result.round_trip_s = queueing->round_trip_s;
        result.forward_queue_s = queueing->forward_s;
        result.backward_queue_s = queueing->backward_s;
        result.peer_run_delay_s = peer_run_delay_s;
        give(agent, result);
    };
    const auto come_back = [=, this](std::int64_t t2, std::int64_t t3, double peer_run_delay_s) {
        const std::int64_t arrived = clock_ns(agent);
        at(running_at(agent) + kStack_s,
           [=, this] { finish(t2, t3, config_.kernel_stamps ? arrived : clock_ns(agent), peer_run_delay_s); });
    };
    const auto turn_round = [=, this] {
        const std::int64_t arrived = clock_ns(other);
        at(running_at(other) + kStack_s, [=, this] {
            if (dead_[other]) return;
            const std::int64_t t3 = clock_ns(other);
            const double waited = run_delay_[other] - answered_run_delay_[other];
            answered_run_delay_[other] = run_delay_[other];
            travel(std::make_shared<Path>(direct(peer, host_of(agent))), 0, kProbe_B,
                   [=, this] { come_back(config_.kernel_stamps ? arrived : t3, t3, waited); }, {});
        });
    };
    travel(std::make_shared<Path>(direct(host_of(agent), peer)), 0, kProbe_B, turn_round, {});
}

void Simulation::perform(Agent agent, const Action& action) {
    const int job = job_of(agent);
    const HostId host = host_of(agent);
    if (const auto* send = std::get_if<Send>(&action)) {
        travel(std::make_shared<Path>(direct(host, send->to)), 0, kControl_B,
               [this, host, to = agent_of(job, send->to), message = send->message] {
                   at(running_at(to) + kStack_s, [=, this] { give(to, Received{host, message}); });
               },
               {});
    } else if (const auto* probes = std::get_if<SendProbes>(&action)) {
        for (int i = 0; i < probes->count; ++i) {
            at(now_ + i * probes->spacing_s, [this, agent, peer = probes->peer, burst = probes->burst] {
                at(running_at(agent), [=, this] { probe(agent, peer, burst); });
            });
        }
    } else if (const auto* echo = std::get_if<SendEcho>(&action)) {
        const auto way = std::make_shared<Path>(direct(host, echo->echo.relay));
        for (Link* link : direct(echo->echo.relay, echo->echo.destination)) way->push_back(link);
        travel(way, 0, kEcho_B,
               [this, host, to = agent_of(job, echo->echo.destination), echo = echo->echo] {
                   at(running_at(to) + kStack_s, [=, this] { give(to, Received{host, echo}); });
               },
               {});
    } else if (std::holds_alternative<SampleSockets>(action)) {
        at(now_ + 1e-4, [this, agent] {
            sample(agent);
            give(agent, Tick{0.0});
        });
    } else if (const auto* move = std::get_if<Move>(&action)) {
        at(now_ + config_.move_s, [this, agent, job, host, move = *move] {
            route_[index(job, host, move.destination)] = move.relay;
            give(agent, MoveDone{move.destination, move.relay});
        });
    } else if (const auto* back = std::get_if<Return>(&action)) {
        at(now_ + config_.move_s, [this, agent, job, host, back = *back] {
            route_[index(job, host, back.destination)] = kNoHost;
            give(agent, ReturnDone{back.destination});
        });
    } else {
        diary_.push_back(Entry{now_, job, host, action});
    }
}

}  // namespace fairlead::core::sim
