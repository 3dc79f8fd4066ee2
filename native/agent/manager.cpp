// SPDX-License-Identifier: Apache-2.0
#include "manager.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "control/event_lines.hpp"
#include "fairlead/core/look_period.hpp"
#include "generated/numbers.hpp"
#include "planes/route_plane.hpp"

namespace fairlead::agent {
namespace {

namespace wire = core::wire;

/// Between ticks where no connections are watched.
constexpr double kTick_s = 0.250;
/// So much of its period a look is early where something else wakes the agent.
constexpr double kEarlyShare = 0.25;
/// After the kernel did not list the connections; after so many failures in a row that is told, and tried more rarely.
constexpr double kSamplePause_s = 0.5;
constexpr double kSampleLongPause_s = 3.0;
constexpr int kFailedSamples = 6;
/// Between looks at the interface's counters.
constexpr double kInterfacePeriod_s = 0.25;
constexpr double kProbeLost_s = 0.25;
constexpr double kStop_s = 1.0;
/// After goodbye, before the overlay goes: the time for others to take their traffic off this host.
constexpr double kFarewell_s = 0.15;

core::ControllerConfig complete(core::ControllerConfig config, const DataPlane& plane) {
    config.can_relay = plane.up();
    config.proves = plane.proves();
    config.ways = plane.ways();
    return config;
}

/// Empty where no interface has the address: then its load is not known.
std::string interface_name(const Config& config) {
    try {
        return interface_with(config.own().address);
    } catch (const std::runtime_error&) {
        return {};
    }
}

std::string without(const DataPlane& plane) {
    return "there is no " + std::string(plane.name()) + " plane: " + plane.reason();
}

/// Why there is no equal-cost path of this number, from 1; empty: there is.
std::string without_way(const DataPlane& plane, int number) {
    const int ways = plane.ways();
    if (number >= 1 && number <= ways) return {};
    if (ways == 0) return "there are no equal-cost paths: only the route plane has them, as many as ways.count says";
    return std::string("there is no equal-cost path ")
        .append(std::to_string(number))
        .append(": ways.count is ")
        .append(std::to_string(ways));
}

}  // namespace

Manager::Manager(EventLoop& loop, const Config& config, const Clock& clock, UdpChannel& channel, Prober& prober,
                 DataPlane& plane, ManageConfig manage, Precedence precedence, Report report)
    : loop_(loop),
      config_(config),
      clock_(clock),
      channel_(channel),
      prober_(prober),
      plane_(plane),
      report_(std::move(report)),
      controller_(complete(manage.controller, plane)),
      automatic_(manage.controller.automatic),
      looks_(manage.controller.settings.looks),
      interface_(interface_name(config)),
      precedence_(precedence) {
    watch_sockets();
    prober_.on_step([this](core::HostId peer) { feed(core::ClockStepped{peer}); });
    plane_.on_trial_left([this](const wire::Echo& echo) {
        feed(core::EchoLeft{echo.destination, echo.relay, echo.token});
    });
    for (core::PairMix& mix : manage.mixes) feed(std::move(mix));
    poll();
}

/// Also for manual reroutes: a packet filter on a detour may let echoes pass, and not the program's connections.
void Manager::watch_sockets() {
    if (automatic_) {
        monitor_.emplace(config_, looks_, monotonic_s());
    } else if (plane_.up() && plane_.proves()) {
        try {
            monitor_.emplace(config_, looks_, monotonic_s());
        } catch (const std::system_error&) {  // echoes still tell
        }
    }
}

Manager::~Manager() {
    prober_.on_step(nullptr);
    plane_.on_trial_left(nullptr);
    for (const auto timer : {wake_timer_, poll_timer_, stop_timer_}) loop_.cancel(timer);
    for (const auto& [destination, wish] : manual_requests_) loop_.cancel(wish.timer);
}

/// Events that an action brings about at once wait until that action's siblings are done.
void Manager::feed(core::Event event) {
    events_.push_back(std::move(event));
    feed_waiting();
}

void Manager::feed_waiting() {
    if (feeding_) return;
    feeding_ = true;
    while (!events_.empty()) {
        const core::Event next = std::move(events_.front());
        events_.pop_front();
        for (const core::Action& action : controller_.on(next, monotonic_s())) {
            std::visit([this](const auto& a) { perform(a); }, action);
        }
    }
    feeding_ = false;
    wake();
}

void Manager::wake() {
    loop_.cancel(wake_timer_);
    const double next = controller_.next_wakeup();
    if (next < 1e18) wake_timer_ = loop_.at(next, [this] { tick(); });
}

void Manager::tick() {
    const double run_delay_s = run_delay_.take_s();
    run_delay_since_poll_s_ += run_delay_s;
    feed(core::Tick{run_delay_s, precedence_.spare()});
}

void Manager::poll() {
    if (monitor_) sample_sockets(false);
    sample_interface();
    tick();
    precedence_.look(monotonic_s(), run_delay_since_poll_s_);
    prober_.set_run_delay(std::exchange(run_delay_since_poll_s_, 0.0));
    poll_due_s_ = HUGE_VAL;
    plan_next_poll();
}

/// Brings the next poll forward, and never puts it off. While bytes move polls have their place in the period; at rest
/// they go along with what else wakes the agent.
void Manager::plan_next_poll() {
    const double now_s = monotonic_s();
    const double period_s = monitor_ ? monitor_->period_s(now_s) : kTick_s;
    const bool moving = monitor_ && period_s <= looks_.period_s;
    const double due_s = moving ? core::next_look(now_s, period_s, config_.self) : now_s + period_s;
    if (due_s >= poll_due_s_) return;
    poll_due_s_ = due_s;
    loop_.cancel(poll_timer_);
    const double early_s = moving ? 0.0 : kEarlyShare * period_s;
    poll_timer_ = loop_.at(
        due_s - early_s, [this] { poll(); }, early_s);
}

void Manager::sample_sockets(bool complete) {
    if (monotonic_s() < next_sample_s_) return;
    try {
        // All of them at once: when to wake next is asked for once.
        const std::vector<Carried> carried = plane_.carried();
        for (const core::SocketSample& sample : monitor_->sample(monotonic_s(), complete, carried)) {
            events_.push_back(sample);
        }
        feed_waiting();
        if (std::exchange(failed_samples_, 0) >= kFailedSamples) {
            report_(LogEvent{LogLevel::warning, "the program's connections are watched again"});
        }
    } catch (const std::system_error& error) {
        const bool lasting = ++failed_samples_ >= kFailedSamples;
        next_sample_s_ = monotonic_s() + (lasting ? kSampleLongPause_s : kSamplePause_s);
        // Probes still see the paths, so the agent goes on; the supervisor is told what is missing.
        if (failed_samples_ == kFailedSamples) {
            report_(
                LogEvent{LogLevel::error, std::string("the program's connections are not watched: ") + error.what()});
        }
    }
}

void Manager::sample_interface() {
    const double now_s = monotonic_s();
    if (now_s < next_interface_s_) return;
    next_interface_s_ = now_s + kInterfacePeriod_s;
    if (const auto rate_bps = interface_.take_bps(now_s)) feed(core::InterfaceBusy{*rate_bps});
}

void Manager::on_message(core::HostId from, std::uint64_t boot_id, const wire::Message& message,
                         std::int64_t received_ns) {
    core::Received received{from, message, boot_id};
    if (const auto* grant = std::get_if<wire::RelayGrant>(&message)) {
        learn_leg(from, *grant);
    } else if (std::holds_alternative<wire::Echo>(message)) {
        echo_arrived_ns_ = received_ns;
    } else if (const auto* reply = std::get_if<wire::EchoReply>(&message);
               reply != nullptr && reply->source == config_.self && reply->arrived_ns != 0) {
        received.free_departure = prober_.free_departure_s(reply->destination, reply->arrived_ns);
    }
    feed(std::move(received));
}

/// Where several hosts' messages came in one call, it is not certain whose was late.
void Manager::on_message_time(const core::NetworkTime& time) {
    if (!automatic_ || !time.certain_path) return;
    feed(core::MessageTime{time.source, time.size_B, time.latency_s, time.error_s});
}

/// Before the controller hears of the grant, and reroutes.
void Manager::learn_leg(core::HostId relay, const wire::RelayGrant& grant) {
    const core::HostId destination = grant.destination;
    if (destination == config_.self || grant.leg_mtu_B == 0) return;
    plane_.learn_leg(destination, relay, grant.leg_mtu_B, [this, destination](const std::string& error) {
        report_(LogEvent{LogLevel::error, "a detour to " + config_.hosts[destination].label() + ": " + error});
        feed(core::ManualRestore{destination});
    });
}

void Manager::perform(const core::Send& send) {
    if (const auto* grant = std::get_if<wire::RelayGrant>(&send.message)) {
        wire::RelayGrant told = *grant;
        told.leg_mtu_B = plane_.route_mtu_B(grant->destination);
        channel_.send(send.to, told);
        return;
    }
    if (const auto* reply = std::get_if<wire::EchoReply>(&send.message);
        reply != nullptr && reply->destination == config_.self) {
        wire::EchoReply told = *reply;
        told.arrived_ns = echo_arrived_ns_;
        channel_.send(send.to, told);
        return;
    }
    channel_.send(send.to, send.message);
}

void Manager::perform(const core::SendProbes& burst) {
    const std::uint32_t number = burst.burst;
    prober_.burst(burst.peer, burst.count, burst.spacing_s, kProbeLost_s, [this, number](const ProbeOutcome& outcome) {
        core::ProbeResult result;
        result.peer = outcome.peer;
        result.burst = number;
        result.sent_at = outcome.sent_at_s;
        result.lost = outcome.lost;
        result.round_trip_s = outcome.queueing.round_trip_s;
        result.forward_queue_s = outcome.queueing.forward_s;
        result.backward_queue_s = outcome.queueing.backward_s;
        result.peer_run_delay_s = outcome.peer_run_delay_s;
        feed(result);
    });
}

void Manager::perform(const core::SendEcho& send) {
    if (!plane_lost_) plane_.echo(send.echo, send.trial);
}

void Manager::perform(const core::SampleSockets&) {
    if (monitor_) sample_sockets(true);
    tick();                            // after the samples: load queries wait for it
    if (!stopping_) plan_next_poll();  // what it saw may want a look sooner than at rest
}

void Manager::perform(const core::Reroute& reroute) {
    plane_.reroute(reroute.destination, reroute.relay, [this, reroute](const std::string& error) {
        if (error.empty()) {
            detours_[reroute.destination] = reroute.relay;
            feed(core::RerouteDone{reroute.destination, reroute.relay});
        } else {
            feed(core::RerouteFailed{reroute.destination, reroute.relay, error});
        }
    });
}

void Manager::perform(const core::Restore& back) {
    if (plane_lost_) {
        detours_.erase(back.destination);
        feed(core::RestoreDone{back.destination});
        return;
    }
    plane_.restore(back.destination, [this, back](const std::string& error) {
        if (error.empty()) {
            detours_.erase(back.destination);
            feed(core::RestoreDone{back.destination});
        } else {
            feed(core::RestoreFailed{back.destination, error});
        }
    });
}

void Manager::perform(const core::LevelChanged& change) {
    report_(event_of(change));
}

void Manager::perform(const core::Rerouted& rerouted) {
    report_(event_of(rerouted, config_.self, clock_.now_s() - monotonic_s()));
    if (rerouted.manual) settle(rerouted.destination, rerouted.relay, {});
}

void Manager::perform(const core::Restored& restored) {
    report_(event_of(restored, config_.self));
    settle(restored.destination, core::kNoHost, {});
    if (stopped_ && detours_.empty()) finish_stop();
}

void Manager::perform(const core::Kept& kept) {
    report_(event_of(kept, config_.self));
}
void Manager::perform(const core::Noticed& noticed) {
    report_(event_of(noticed));
}
void Manager::perform(const core::BaseShifted& shifted) {
    report_(event_of(shifted));
}
void Manager::perform(const core::BaseLearnt& learnt) {
    report_(event_of(learnt));
}
void Manager::perform(const core::ManualEnded& ended) {
    settle(ended.destination, ended.relay, ended.error);
}

void Manager::reroute(core::HostId destination, core::HostId relay, ManualDone done) {
    if (!plane_.up()) return done(without(plane_));
    await(destination, {relay, std::move(done), 0});
    feed(core::ManualReroute{destination, relay});
}

void Manager::reroute_by_way(core::HostId destination, int number, ManualDone done) {
    if (!plane_.up()) return done(without(plane_));
    if (const std::string mistake = without_way(plane_, number); !mistake.empty()) return done(mistake);
    reroute(destination, core::way_of(number - 1), std::move(done));
}

void Manager::restore(core::HostId destination, ManualDone done) {
    if (!plane_.up()) return done(without(plane_));
    await(destination, {core::kNoHost, std::move(done), 0});
    feed(core::ManualRestore{destination});
}

void Manager::pause(double for_s) {
    feed(core::Pause{for_s});
}

Manager::Progress Manager::progress() {
    if (monitor_) sample_sockets(true);
    return {controller_.delivered_B(), controller_.detours()};
}

void Manager::learn(core::SharingRelation sharing) {
    feed(core::SharingChanged{std::move(sharing)});
}

void Manager::await(core::HostId destination, ManualRequest wish) {
    if (auto earlier = manual_requests_.extract(destination)) {
        loop_.cancel(earlier.mapped().timer);
        earlier.mapped().done("superseded by another command for the same path");
    }
    wish.timer = loop_.after(kManual_s, [this, destination] {
        const auto late = manual_requests_.extract(destination);
        late.mapped().done("timed out");
    });
    manual_requests_.emplace(destination, std::move(wish));
}

/// Answers the command for this path, if it is for this relay (kNoHost: a restoration).
void Manager::settle(core::HostId destination, core::HostId relay, const std::string& error) {
    const auto found = manual_requests_.find(destination);
    if (found == manual_requests_.end() || found->second.relay != relay) return;
    const ManualRequest wish = std::move(found->second);
    manual_requests_.erase(found);
    loop_.cancel(wish.timer);
    wish.done(error);
}

/// Peers find out by the first probe that they get.
void Manager::on_clock_stepped() {
    for (core::HostId host = 0; host < config_.host_count(); ++host) feed(core::ClockStepped{host});
}

/// The supervisor removes the routes that the guardian left. Relays are told, and nothing is believed to be rerouted.
void Manager::on_plane_lost() {
    plane_lost_ = true;
    feed(core::PlaneLost{});
}

void Manager::stop(std::function<void()> done) {
    stopping_ = true;
    stopped_ = std::move(done);
    loop_.cancel(poll_timer_);
    feed(core::Stop{});
    if (detours_.empty() || plane_lost_) return finish_stop();
    stop_timer_ = loop_.after(kStop_s, [this] { finish_stop(); });
}

void Manager::finish_stop() {
    const auto done = std::exchange(stopped_, nullptr);
    if (!done) return;
    loop_.cancel(stop_timer_);
    stop_timer_ = plane_.up() ? loop_.after(kFarewell_s, done) : loop_.after(0.0, done);
}

void Manager::report_latencies(bool all) {
    for (const core::HostId host : controller_.partners()) {
        const core::PathView view = controller_.view(host);
        if (!all && view.congestion_level == core::CongestionLevel::low && view.relay == core::kNoHost) continue;
        if (!automatic_ || !monitor_ || !view.in_use || monitor_->srtt_s(host) <= 0.0) continue;
        report_(PathLatencyEvent{.source = config_.self,
                                 .destination = host,
                                 .relay = told_relay(view.relay, host),
                                 .latency_s = monitor_->srtt_s(host) / 2.0,
                                 .queue_delay_s = view.queue_delay_s,
                                 .rate_bps = view.rate_bps,
                                 .congestion_level = view.congestion_level});
    }
}

}  // namespace fairlead::agent
