// SPDX-License-Identifier: Apache-2.0
// Dispatch of events and of what is due.
#include "fairlead/core/controller.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "state.hpp"

namespace fairlead::core {

namespace {

constexpr double kHelloUnheard_s = 2.0;  // repeated this often to a peer that never answered
constexpr double kHelloHeard_s = 30.0;
constexpr double kFirstRetry_s = 0.01;  // of a return that failed; settings allow no shorter pause

constexpr double kLargestWeight = 1e15;  // sums of weights and times stay finite
ControllerConfig checked(ControllerConfig config) {
    if (config.host_count < 1 || config.host_count > kMaxHosts || config.self >= config.host_count) {
        throw std::invalid_argument("controller: host " + std::to_string(config.self) + " of " +
                                    std::to_string(config.host_count) + " cannot be");
    }
    if (config.base.host_count() != config.host_count || config.sharing.host_count() != config.host_count) {
        throw std::invalid_argument("controller: base or sharing relation is of another number of hosts");
    }
    if (const auto mistake = validate(config.settings)) throw std::invalid_argument("controller: " + *mistake);
    return config;
}

/// A relay's budget: the given one, or a share of the best throughput measured from this host; 0: unknown.
double relay_budget_bps(const ControllerConfig& config) {
    if (config.settings.relay.budget_bps > 0.0) return config.settings.relay.budget_bps;
    double best = 0.0;
    for (HostId host = 0; host < config.host_count; ++host) {
        best = std::max(best, config.base.throughput_bps(Pair{config.self, host}).value_or(0.0));
    }
    return config.settings.relay.budget_share * best;
}

}  // namespace

Controller::Controller(ControllerConfig config) : state_(std::make_unique<State>(checked(std::move(config)))) {}
Controller::~Controller() = default;
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;

std::vector<Action> Controller::on(const Event& event, Time now) {
    return state_->on(event, now);
}
Time Controller::next_wakeup() const {
    return state_->next_wakeup();
}
PathView Controller::view(HostId peer) const {
    return state_->view(peer);
}
int Controller::pairs_in_use() const {
    return state_->pairs_in_use();
}

Controller::State::State(ControllerConfig config)
    : settings_(config.settings),
      self_(config.self),
      hosts_(config.host_count),
      base_(config.base),
      sharing_(std::move(config.sharing)),
      random_(config.seed),
      salt_(config.salt),
      automatic_(config.automatic),
      can_relay_(config.can_relay),
      proves_(config.proves),
      learns_(config.learns),
      link_bps_(config.link_bps),
      probes_(self_, hosts_, settings_),
      learnt_(hosts_, settings_),
      relay_desk_(hosts_, relay_budget_bps(config), settings_.relay),
      destinations_(hosts_, Destination(settings_)),
      peers_(hosts_) {
    for (Destination& destination : destinations_) {
        destination.dwell_s = settings_.detour.dwell_s;
        destination.hold_s = settings_.detour.hold_s;
    }
    for (HostId host = 0; host < hosts_; ++host) {
        if (const auto prior_s = base_.latency_s(path_to(host))) learnt_.set_prior(host, *prior_s);
    }
}

std::vector<Action> Controller::State::on(const Event& event, Time now) {
    std::vector<Action> out;
    out_ = &out;
    if (std::isfinite(now)) now_ = started_ ? std::max(now_, now) : now;
    std::visit([this](const auto& e) { handle(e); }, event);
    if (now_ >= next_wakeup()) advance();
    started_ = true;
    out_ = nullptr;
    return out;
}

void Controller::State::handle(const SocketSample& sample) {
    if (!other(sample.peer) || !plausible(sample.srtt_s) || !plausible(sample.min_rtt_s) || !plausible(sample.rto_s))
        return;
    Destination& destination = destinations_[sample.peer];
    const double base_bps = learns_ ? 0.0 : base_.throughput_bps(path_to(sample.peer)).value_or(0.0);
    const double base_round_trip_s = base_latency_s(path_to(sample.peer)) + base_latency_s(Pair{sample.peer, self_});
    const bool in_use = destination.sockets.active(now_, settings_.suspicion);
    const Suspicion suspicion = destination.sockets.on_sample(sample, base_round_trip_s, base_bps, settings_, now_);
    if (!in_use && destination.sockets.active(now_, settings_.suspicion)) destination.uses.begins(now_);
    const ChangeJudge::Verdict verdict = destination.judge.add(sample, now_);
    heed(destination, verdict);
    end_trial(sample.peer, verdict);
    if (!destination.detour && !destination.pending) probes_.expect(sample.peer, sample.srtt_s);
    learn_rate(destination, sample);
    watch_sockets(sample.peer);
    if (suspicion != Suspicion::none) suspect(sample.peer, suspicion);
}

void Controller::State::handle(const ProbeResult& given) {
    if (!other(given.peer)) return;
    ProbeResult result = given;
    // A time that cannot be is no answer.
    result.lost = result.lost || !plausible(result.round_trip_s) || !plausible(result.forward_queue_s) ||
                  !plausible(result.backward_queue_s) || !std::isfinite(result.sent_at);
    if (!plausible(result.peer_run_delay_s)) result.peer_run_delay_s = 0.0;
    if (const auto done = probes_.on_result(result, now_)) on_burst(*done);
    for (HostId host = 0; host < hosts_; ++host) progress(host);
}

void Controller::State::handle(const Received& received) {
    if (!other(received.from)) return;
    Peer& peer = peers_[received.from];
    if (!std::holds_alternative<wire::Goodbye>(received.message)) peer.down = false;
    if (std::holds_alternative<wire::LoadReport>(received.message)) peer.loads_unanswered = 0;
    if (std::holds_alternative<wire::Hello>(received.message)) meet(received.from, received.boot_id);
    std::visit([&](const auto& message) { answer(received.from, message); }, received.message);
    for (HostId host = 0; host < hosts_; ++host) progress(host);
}

void Controller::State::handle(const RerouteDone& done) {
    if (!other(done.destination)) return;
    Destination& destination = destinations_[done.destination];
    if (!destination.pending || !destination.pending->reroute || destination.pending->relay != done.relay) return;
    const Pending pending = *destination.pending;
    destination.pending.reset();
    rerouted(done.destination, pending);
    settle(done.destination);
}

void Controller::State::handle(const RerouteFailed& failed) {
    if (!other(failed.destination)) return;
    Destination& destination = destinations_[failed.destination];
    if (!destination.pending || !destination.pending->reroute || destination.pending->relay != failed.relay) return;
    const bool manual = destination.pending->decision.manual;
    destination.pending.reset();
    send(failed.relay, wire::RelayRelease{failed.destination});
    if (manual) {
        emit(ManualEnded{failed.destination, failed.relay, failed.reason});
    } else {
        peers_[failed.relay].shunned_until = now_ + settings_.detour.shun_s;
    }
    keep(failed.destination, KeepReason::reroute_failed, failed.relay, 0.0, failed.reason);
    destination.failed_backoff_s = std::clamp(2.0 * destination.failed_backoff_s, settings_.detour.failed_backoff_s,
                                              std::max(60.0, settings_.detour.failed_backoff_s));
    destination.next_search = now_ + destination.failed_backoff_s;
    settle(failed.destination);
}

void Controller::State::handle(const RestoreDone& done) {
    if (!other(done.destination)) return;
    Destination& destination = destinations_[done.destination];
    if (!destination.pending || destination.pending->reroute) return;
    const RestoreReason reason = destination.pending->reason;
    destination.pending.reset();
    destination.restore_backoff_s = 0.0;
    restored(done.destination, reason);
    settle(done.destination);
}

void Controller::State::handle(const RestoreFailed& failed) {
    if (!other(failed.destination)) return;
    Destination& destination = destinations_[failed.destination];
    if (!destination.pending || destination.pending->reroute) return;
    if (destination.pending->reason == RestoreReason::manual) {
        emit(ManualEnded{failed.destination, kNoHost, failed.reason});
    }
    destination.must_restore = destination.pending->reason;
    // Its traffic may be lost meanwhile, and most failures are an answer that got lost.
    destination.restore_backoff_s =
        std::clamp(2.0 * destination.restore_backoff_s, kFirstRetry_s, settings_.detour.failed_backoff_s);
    destination.retry_restore = now_ + destination.restore_backoff_s;
    destination.pending.reset();
    if (destination.manual_request) settle(failed.destination);
}

void Controller::State::handle(const ClockStepped& step) {
    if (other(step.peer)) probes_.meet_again(step.peer, now_);
}

void Controller::State::handle(const Tick& tick) {
    probes_.on_run_delay(plausible(tick.run_delay_s) ? tick.run_delay_s : 0.0);
    learn_link();
    answer_loads(true);
    advance();
}

void Controller::State::handle(const ManualReroute& reroute) {
    if (!other(reroute.destination) || !other(reroute.relay) || reroute.relay == reroute.destination) return;
    if (stopping_ || !can_relay_) return;
    request_manually(reroute.destination, reroute.relay);
}

void Controller::State::handle(const ManualRestore& back) {
    if (other(back.destination) && !stopping_) request_manually(back.destination, kNoHost);
}

void Controller::State::handle(const PairMix& mix) {
    if (!other(mix.peer)) return;
    std::vector<SizeShare> sizes;
    for (const SizeShare& share : mix.sizes) {
        if (std::isfinite(share.weight) && share.weight > 0.0 && share.weight <= kLargestWeight) sizes.push_back(share);
    }
    destinations_[mix.peer].mix = std::move(sizes);
}

/// A search that is under way goes on with the candidates and path groups that it began with; it lasts some
/// milliseconds.
void Controller::State::handle(const SharingChanged& change) {
    if (change.sharing.host_count() == hosts_) sharing_ = change.sharing;
}

void Controller::State::handle(const InterfaceBusy& busy) {
    if (std::isfinite(busy.rate_bps)) relay_desk_.on_interface(std::max(busy.rate_bps, 0.0));
}

/// Who has a detour over or to this host shall not wait for what does not come.
void Controller::State::handle(const PlaneLost&) {
    can_relay_ = false;
    for (HostId host = 0; host < hosts_; ++host) {
        if (!other(host)) continue;
        Destination& destination = destinations_[host];
        destination.search.reset();
        if (destination.trial) {
            emit(ManualEnded{host, destination.trial->relay, "this host's data plane is gone"});
            destination.trial.reset();
        }
        if (!stopping_) send(host, wire::Hello{hosts_, false});
        if (destination.detour || destination.pending) start_restore(host, RestoreReason::plane_lost);
    }
}

void Controller::State::handle(const Stop&) {
    if (stopping_) return;
    stopping_ = true;
    for (HostId host = 0; host < hosts_; ++host) {
        Destination& destination = destinations_[host];
        if (learns_ && other(host)) tell_learnt(host, true);
        destination.search.reset();
        destination.manual_request.reset();
        destination.trial.reset();
        if (destination.detour || (destination.pending && destination.pending->reroute)) {
            start_restore(host, RestoreReason::stopping);
        }
    }
    for (const Pair& path : relay_desk_.granted()) {
        send(path.source, wire::RelayRefuse{0, path.destination, wire::RefuseReason::stopping});
    }
    for (HostId host = 0; host < hosts_; ++host) {
        if (other(host) && peers_[host].heard) send(host, wire::Goodbye{});
    }
}

void Controller::State::greet() {
    for (HostId host = 0; host < hosts_; ++host) {
        Peer& peer = peers_[host];
        if (!other(host) || (started_ && now_ < peer.next_hello)) continue;
        send(host, wire::Hello{hosts_, can_relay_});
        if (peer.down) send(host, wire::Heartbeat{false});  // it is up as soon as anything is heard from it
        peer.next_hello = now_ + (peer.heard && !peer.down ? kHelloHeard_s : kHelloUnheard_s);
    }
}

void Controller::State::advance() {
    for (const Burst& burst : probes_.expire(now_)) on_burst(burst);
    relay_desk_.expire(now_);
    answer_loads(false);
    if (!stopping_) {
        greet();
        if (automatic_) probes_.background(now_, *out_);
        learn_paths();
    }
    beat();
    for (HostId host = 0; host < hosts_; ++host) {
        if (!other(host)) continue;
        settle(host);
        watch_detour(host);
        watch_echoes(host);
        try_manually(host);
        progress(host);
    }
}

/// A burst is done: what it says about the direct path, and who waits for it.
void Controller::State::on_burst(const Burst& burst) {
    learn(burst);
    judge_path(burst);
    notify_source(burst);
    std::vector<LegQuery> waiting;
    std::swap(waiting, leg_queries_);
    for (const LegQuery& query : waiting) {
        if (query.destination == burst.peer && query.burst == burst.id) {
            report_leg(query, burst);
        } else {
            leg_queries_.push_back(query);
        }
    }
    if (destinations_[burst.peer].detour) watch_detour(burst.peer);
    for (HostId host = 0; host < hosts_; ++host) {
        if (destinations_[host].detour && destinations_[host].detour->relay == burst.peer) judge_legs(host);
    }
}

void Controller::State::judge_path(const Burst& burst) {
    if (burst.answered == 0) return;
    const Pair path = path_to(burst.peer);
    const DelayWindow::Summary summary = probes_.forward(burst.peer, burst.started);
    const double base_s = base_latency_s(path);
    if (const auto before =
            probes_.congestion_level(burst.peer).judge(summary, base_s, settings_.congestion_level, now_)) {
        emit(LevelChanged{path, *before, probes_.congestion_level(burst.peer).congestion_level(), summary.typical_s});
    }
    Destination& destination = destinations_[burst.peer];
    if (destination.detour && probes_.congestion_level(burst.peer).congestion_level() != CongestionLevel::low)
        destination.uses.congested();
    if (burst.sent < settings_.congestion_level.min_samples || !base_.latency_s(path)) return;
    const double raw_s = probes_.forward_raw_s(burst.peer, burst.started);
    const double observed_s = base_s + raw_s - probes_.absorbed_s(burst.peer);
    if (const auto shift = base_.observe(path, observed_s, now_)) {
        probes_.absorb(burst.peer, shift->to_s - shift->from_s);
        emit(BaseShifted{path, shift->from_s, shift->to_s});
    }
}

Time Controller::State::next_wakeup() const {
    Time next = std::min(probes_.next_deadline(automatic_ && !stopping_), relay_desk_.next_deadline());
    if (learns_ && automatic_ && !stopping_) next = std::min(next, learnt_.next_due(self_));
    for (const LoadWaiting& query : load_queries_) next = std::min(next, query.deadline);
    for (HostId host = 0; host < hosts_; ++host) {
        if (!other(host)) continue;
        const Peer& peer = peers_[host];
        if (!stopping_) next = std::min(next, peer.next_hello);
        const Destination& destination = destinations_[host];
        if (destination.trial) next = std::min(next, destination.trial->proof.next_echo);
        if (destination.search) {
            const Search& search = *destination.search;
            next = std::min(next, next_trial(search));
            if (search.phase == Search::Phase::query) {
                for (const Time due :
                     {search.count_at, search.loads_deadline, search.queried_at + settings_.choice.query_timeout_s,
                      search.queried_at + settings_.choice.query_extended_s}) {
                    if (due > now_) next = std::min(next, due);
                }
            } else if (search.phase == Search::Phase::ask) {
                next = std::min(next, search.ask_deadline);
            }
        }
        if (!destination.search && !destination.detour && !destination.pending && automatic_ && !stopping_ &&
            probes_.congestion_level(host).congestion_level() != CongestionLevel::low) {
            next = std::min(next, std::max({destination.next_search, destination.next_relook, now_ + 1e-3}));
        }
        if (destination.must_restore && !destination.pending) next = std::min(next, destination.retry_restore);
        if (const auto ahead = ahead_of_use(host); ahead && *ahead > now_) next = std::min(next, *ahead);
        if (echoes_wanted(destination)) next = std::min(next, next_echo(destination));
        if (destination.detour) {
            next = std::min(next, peers_[destination.detour->relay].next_beat);
            if (!destination.detour->manual && automatic_ && !stopping_) {
                next = std::min({next, destination.detour->next_direct, destination.detour->next_legs});
            }
        }
    }
    return next;
}

PathView Controller::State::view(HostId peer) const {
    PathView view;
    if (!other(peer)) return view;
    const Destination& destination = destinations_[peer];
    view.congestion_level = probes_.congestion_level(peer).congestion_level();
    view.queue_delay_s = probes_.forward(peer, now_ - settings_.probes.background_period_s).typical_s;
    if (destination.detour) view.relay = destination.detour->relay;
    view.in_use = destination.sockets.active(now_, settings_.suspicion);
    view.rate_bps = destination.sockets.rate_bps(now_, settings_.own_load.window_s);
    return view;
}

int Controller::State::pairs_in_use() const {
    return static_cast<int>(std::count_if(destinations_.begin(), destinations_.end(), [this](const Destination& d) {
        return d.sockets.active(now_, settings_.suspicion);
    }));
}

}  // namespace fairlead::core
