// SPDX-License-Identifier: Apache-2.0
// The life of a route: reroutes and restorations, what is asked of the guardian and what it answers, detours that are
// lost.
#include "reroutes/reroutes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "detours/return_rule.hpp"

namespace fairlead::core {

namespace {
// Heartbeats without an answer at which a relay whose echoes are missing is taken for dead.
constexpr int kSilentRelay = 3;
// A detour is not doubted before: to try the direct path costs half a second.
constexpr double kDoubt_s = 4.0;
// A delay is the same for all probes. The queue of few streams may be, too, for a while: the trial shows which it is.
constexpr double kSteady_s = 1.5;
constexpr double kSteadyShare = 0.1;
// Of the dwell time, for a pair whose detours may lose nothing more. The dwell time doubles with relapses.
constexpr double kSpentShare = 0.125;
// In which segments that were lost show that the direct path loses them.
constexpr double kLosing_s = 0.5;
}  // namespace

Reroutes::Reroutes(const SearchParts& parts, Traffic& traffic, Peers& peers, Notices& notices, const Learning& learning,
                   Random& random, Outbox& out)
    : parts_(parts),
      traffic_(traffic),
      peers_(peers),
      notices_(notices),
      learning_(learning),
      random_(random),
      out_(out),
      destinations_(parts.job.hosts, Destination(parts.job.settings, parts.job.learns)) {}

template <typename Act>
void Reroutes::each_awake(Act act) {
    for (auto host = awake_.begin(); host != awake_.end();) {
        act(*host);
        host = rests(*host) ? awake_.erase(host) : std::next(host);
    }
}

/// Whether nothing is under way with this host and nothing will be before an event tells of it.
bool Reroutes::rests(HostId host) const {
    const Destination& destination = destinations_[host];
    return !destination.search && !destination.detour && !destination.trial && !destination.manual_request &&
           !destination.route.pending() && !destination.route.must_restore() && destination.interrupted == kNoHost &&
           parts_.paths.congestion_level(host) == CongestionLevel::low && !traffic_.uses(host).was_congested();
}

void Reroutes::note_congestion(HostId host) {
    traffic_.uses(host).congested();
    awake_.insert(host);
}

void Reroutes::on_sample(const SocketSample& sample) {
    Destination& destination = destinations_[sample.peer];
    const Suspicion suspicion = traffic_.on_sample(sample, now_);
    if (destination.hold.on_sample(sample, destination.automatic_detour(), now_, random_)) {
        start_restore(sample.peer, RestoreReason::in_vain);
    } else if (destination.automatic_detour() && destination.hold.gets_little() && only_delayed(sample.peer)) {
        destination.hold.try_direct(now_);
        start_restore(sample.peer, RestoreReason::in_vain);
    }
    if (!destination.detour && !destination.route.pending() && sample.srtt_s > 0.0) {
        parts_.paths.probes().expect(sample.peer, sample.srtt_s);
    }
    book(sample);
    watch_sockets(sample.peer);
    if (suspicion != Suspicion::none) suspect(sample.peer, suspicion);
}

/// What the pair's detour gains or loses it. Where agents carry messages the sockets stay on the direct path, and an
/// equal-cost path costs nothing.
void Reroutes::book(const SocketSample& sample) {
    Destination& destination = destinations_[sample.peer];
    if (!parts_.job.proves || destination.route.pending()) return;
    const bool low = parts_.paths.congestion_level(sample.peer) == CongestionLevel::low;
    if (!destination.detour) {
        if (low && !destination.search) destination.account.on_direct(sample);
    } else if (!destination.detour->manual() && !is_way(destination.detour->relay())) {
        const Time recent = now_ - 2.0 * parts_.job.settings.detour.direct_period_s;
        const ProbeDesk& probes = parts_.paths.probes();
        const double queue_s =
            probes.forward(sample.peer, recent).typical_s + probes.backward(sample.peer, recent).typical_s;
        destination.account.on_detour(sample, {queue_s, low}, now_);
    }
}

/// For how long the direct path must have been low before the pair returns. Of equal-cost paths nothing is booked, so
/// what relays have cost is no reason to leave them.
double Reroutes::dwell_s(HostId host) const {
    const Destination& destination = destinations_[host];
    const double dwell_s = destination.hold.dwell_s();
    const bool booked = parts_.job.proves && !is_way(destination.detour->relay());
    if (!booked || !destination.account.spent()) return dwell_s;
    return std::min(kSpentShare * dwell_s, parts_.job.settings.detour.slow_dwell_s);
}

/// Whether the direct path may be longer, rather than full: all probes take the same time. Then its throughput is all
/// there.
bool Reroutes::only_delayed(HostId host) const {
    if (now_ < destinations_[host].hold.left_direct_at() + kDoubt_s) return false;
    const DelayWindow::Summary seen = parts_.paths.probes().forward(host, now_ - kSteady_s);
    const bool congested = seen.typical_s >= parts_.paths.threshold_s(host);
    return congested && seen.samples >= parts_.job.settings.congestion_level.min_samples &&
           seen.span_s >= kSteady_s * 2.0 / 3.0 && seen.most_s - seen.low_s <= kSteadyShare * seen.typical_s;
}

void Reroutes::on_burst(const Burst& burst) {
    const bool low = burst.answered == 0 || parts_.paths.congestion_level(burst.peer) == CongestionLevel::low;
    if (!low) awake_.insert(burst.peer);
    if (destinations_[burst.peer].detour && !low) note_congestion(burst.peer);
    if (destinations_[burst.peer].detour) watch_detour(burst.peer);
    for (const HostId host : awake_) {
        if (destinations_[host].detour && destinations_[host].detour->relay() == burst.peer) judge_legs(host);
    }
}

void Reroutes::on_notice(const wire::Notice& notice) {
    const HostId host = notice.destination;
    note_congestion(host);
    if (!traffic_.active(host, now_)) return;
    traffic_.hear_foreign(host, notice.foreign_share, now_);
    suspect(host, Suspicion::delay);
}

void Reroutes::on_load(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries) {
    for (const HostId host : awake_) {
        Destination& destination = destinations_[host];
        if (destination.search) destination.search->take_load(source, token, entries, now_);
    }
}

void Reroutes::on_report(HostId relay, const wire::PathReport& report) {
    Destination& destination = destinations_[report.destination];
    if (destination.search) destination.search->take_report(relay, report, now_);
    if (destination.detour && destination.detour->take(relay, report)) judge_legs(report.destination);
}

void Reroutes::on_grant(HostId relay, const wire::RelayGrant& grant) {
    Destination& destination = destinations_[grant.destination];
    RelayAsk* const ask = destination.search ? destination.search->asked() : nullptr;
    if (ask != nullptr && ask->answered_by(relay, grant.token) && !destination.route.pending()) {
        ask->grant(now_);
        return take(grant.destination);
    }
    // A grant that came too late; one for a detour made by hand is in use or on its way.
    if (!destination.uses(relay)) out_.send(relay, wire::RelayRelease{grant.destination});
}

void Reroutes::on_refusal(HostId relay, const wire::RelayRefuse& refuse) {
    const HostId host = refuse.destination;
    Destination& destination = destinations_[host];
    const RelayAsk* const ask = destination.search ? destination.search->asked() : nullptr;
    if (ask != nullptr && ask->answered_by(relay, refuse.token)) return refused(host);
    if (refuse.reason == wire::RefuseReason::budget || !destination.uses(relay)) return;
    peers_.shun(relay, now_);
    if (destination.route.moves_over(relay) && destination.route.rerouting()->manual) {
        out_.emit(ManualEnded{host, relay, "the relay refused: it has no data plane, or is stopping"});
    }
    destination.route.retry_at_once(now_);
    const bool stops = refuse.reason == wire::RefuseReason::stopping;
    start_restore(host, stops ? RestoreReason::peer_stopped : RestoreReason::relay_revoked);
}

void Reroutes::on_echo(const wire::EchoReply& reply, std::optional<Time> free_departure) {
    Destination& destination = destinations_[reply.destination];
    if (destination.uses(reply.relay)) peers_.answered(reply.destination);
    if (destination.trial && destination.trial->proof.answered(reply)) return try_manually(reply.destination);
    RelayAsk* const ask = destination.search ? destination.search->asked() : nullptr;
    if (ask != nullptr && ask->answered(reply)) return take(reply.destination);
    if (destination.search && destination.search->take_echo(reply, now_, free_departure)) return;
    if (!destination.detour || destination.detour->relay() != reply.relay) return;
    destination.detour->take(reply, now_, free_departure);
}

void Reroutes::on_guardian(const RerouteDone& done) {
    const std::optional<Rerouted> decision = destinations_[done.destination].route.move_answered(done.relay);
    if (!decision) return;
    rerouted(done.destination, *decision);
    settle(done.destination);
}

void Reroutes::on_guardian(const RerouteFailed& failed) {
    Destination& destination = destinations_[failed.destination];
    const std::optional<Rerouted> decision = destination.route.move_answered(failed.relay);
    if (!decision) return;
    release(failed.relay, failed.destination);
    if (decision->manual) {
        out_.emit(ManualEnded{failed.destination, failed.relay, failed.reason});
    } else if (is_way(failed.relay)) {
        destination.avoided.lost(failed.relay, parts_.job.settings.detour.shun_s, now_);
    } else {
        peers_.shun(failed.relay, now_);
    }
    Choice tried;
    tried.best = failed.relay;
    keep(failed.destination, KeepReason::reroute_failed, tried, failed.reason);
    destination.pause.reroute_failed(now_);
    settle(failed.destination);
}

void Reroutes::on_guardian(const RestoreDone& done) {
    const std::optional<RestoreReason> reason = destinations_[done.destination].route.restored();
    if (!reason) return;
    restored(done.destination, *reason);
    settle(done.destination);
}

void Reroutes::on_guardian(const RestoreFailed& failed) {
    const std::optional<RestoreReason> reason = destinations_[failed.destination].route.return_failed(now_);
    if (!reason) return;
    if (*reason == RestoreReason::manual) out_.emit(ManualEnded{failed.destination, kNoHost, failed.reason});
    if (destinations_[failed.destination].manual_request) settle(failed.destination);
}

void Reroutes::reroute(HostId host, Rerouted decision) {
    decision.destination = host;
    decision.before = traffic_.relay(host);
    decision.decided_at = now_;
    destinations_[host].route.reroute(decision, out_);
    awake_.insert(host);
}

void Reroutes::rerouted(HostId host, const Rerouted& decision) {
    Destination& destination = destinations_[host];
    const HostId relay = decision.relay;
    const HostId before = traffic_.relay(host);
    if (!is_way(relay) && !relays_for_us(relay)) peers_.begin_beats(relay, now_);
    if (before == kNoHost) destination.account.leaves_direct(traffic_.sockets(host).retransmits(now_, kLosing_s) > 0);
    destination.account.changed();
    traffic_.sockets(host).begin_anew(now_);
    destination.detour.emplace(parts_.job, host, relay, decision.manual, now_);
    traffic_.lead_over(host, relay);
    if (before != kNoHost && before != relay) release(before, host);
    RouteHold::Change change{before == kNoHost,
                             decision.manual,
                             decision.ahead || decision.again,
                             std::nullopt,
                             traffic_.bottleneck_bps(host),
                             decision.unseen};
    // Congested in two uses in a row: it stays away until it has been used once more.
    const PatternSettings& pattern = parts_.job.settings.pattern;
    if (const auto period_s = traffic_.uses(host).period_s(pattern); period_s && traffic_.uses(host).lasting()) {
        change.away_for_s = (1.0 + pattern.spread) * *period_s;
    }
    destination.hold.rerouted(change, now_, random_);
    destination.pause.rerouted();
    out_.emit(decision);
    if (stopping_) return;
    if (!is_way(relay) && peers_.down(relay)) return start_restore(host, RestoreReason::relay_dead);
    if (!peers_.reachable(host)) start_restore(host, RestoreReason::destination_lost);
}

void Reroutes::start_restore(HostId host, RestoreReason reason) {
    destinations_[host].search.reset();
    destinations_[host].route.restore(host, traffic_.relay(host), reason, out_);
    awake_.insert(host);
}

void Reroutes::restored(HostId host, RestoreReason reason) {
    Destination& destination = destinations_[host];
    if (!destination.detour) return;
    const Detour detour = *destination.detour;
    destination.detour.reset();
    destination.account.changed();
    traffic_.lead_over(host, kNoHost);
    const bool taken_again = reason == RestoreReason::paused && destination.interrupted == detour.relay();
    if (!taken_again) release(detour.relay(), host);
    const Time recent = now_ - 2.0 * parts_.job.settings.detour.direct_period_s;
    const double queue_s = parts_.paths.probes().forward(host, recent).typical_s;
    out_.emit(Restored{host, detour.relay(), reason, queue_s, now_ - detour.since()});
    destination.hold.restored(reason, detour.manual(), now_, random_);
    if (reason == RestoreReason::paused) return destination.pause.end(now_);
    const bool lost = reason == RestoreReason::relay_dead || reason == RestoreReason::relay_revoked ||
                      reason == RestoreReason::detour_broken || reason == RestoreReason::peer_stopped;
    if (!lost || !peers_.reachable(host) || !decides()) return;
    // The direct path is probably still congested: look for another relay at once.
    destination.pause.end(now_);
    destination.hold.release(now_);
    if (traffic_.active(host, now_)) suspect(host, Suspicion::delay);
}

/// It need not keep room for the pair any more. Of a way nobody has to hear it.
void Reroutes::release(HostId relay, HostId host) {
    if (destinations_[host].interrupted == relay) destinations_[host].interrupted = kNoHost;
    if (!is_way(relay)) out_.send(relay, wire::RelayRelease{host});
}

/// What had to wait for the guardian's answer.
void Reroutes::settle(HostId host) {
    Destination& destination = destinations_[host];
    if (destination.route.pending()) return;
    if (destination.manual_request) return request_manually(host, *destination.manual_request);
    if (const auto reason = destination.route.due_return(now_)) start_restore(host, *reason);
}

bool Reroutes::relays_for_us(HostId relay) const {
    return std::ranges::any_of(awake_, [&](HostId host) {
        return destinations_[host].detour && destinations_[host].detour->relay() == relay;
    });
}

void Reroutes::lose_host(HostId lost, bool stopped) {
    lose_relay(lost, stopped ? RestoreReason::peer_stopped : RestoreReason::relay_dead);
    Destination& destination = destinations_[lost];
    destination.interrupted = kNoHost;
    if (!destination.detour && destination.route.rerouting() == nullptr) return;
    destination.route.retry_at_once(now_);
    start_restore(lost, stopped ? RestoreReason::peer_stopped : RestoreReason::destination_lost);
}

/// Nothing more goes over it. Detours to it lead over others, and their own echoes show whether they arrive.
void Reroutes::lose_relay(HostId lost, RestoreReason reason) {
    peers_.shun(lost, now_);
    for (const HostId host : awake_) {
        if (destinations_[host].interrupted == lost) destinations_[host].interrupted = kNoHost;
        if (!destinations_[host].uses(lost)) continue;
        destinations_[host].route.retry_at_once(now_);
        start_restore(host, reason);
    }
}

/// The failure was that of the agent before: the new one is asked at once, also for pairs that no relay would take.
void Reroutes::replace_host(HostId host) {
    lose_host(host);
    peers_.trust(host);
    for (Destination& each : destinations_) each.avoided.forget(host);
    destinations_[host].avoided = {};
    for (const HostId waiting : awake_) {
        Destination& destination = destinations_[waiting];
        if (destination.detour || destination.search) continue;
        destination.pause.end(now_);
        destination.pause.restart();
    }
}

void Reroutes::lose_plane() {
    for (HostId host = 0; host < parts_.job.hosts; ++host) {
        if (!parts_.job.other(host)) continue;
        Destination& destination = destinations_[host];
        destination.search.reset();
        destination.interrupted = kNoHost;
        if (destination.trial) {
            out_.emit(ManualEnded{host, destination.trial->proof.relay(), "this host's data plane is gone"});
            destination.trial.reset();
        }
        if (!stopping_) out_.send(host, wire::Hello{parts_.job.hosts, false});
        if (destination.detour || destination.route.pending()) start_restore(host, RestoreReason::plane_lost);
    }
}

void Reroutes::pause(Time until) {
    const bool within = now_ < paused_until_;  // another pause, which has ended the detours
    paused_until_ = until;
    each_awake([&](HostId host) {
        if (now_ >= until) return resume(host);
        if (!within) destinations_[host].interrupted = kNoHost;
        interrupt(host);
    });
}

void Reroutes::interrupt(HostId host) {
    Destination& destination = destinations_[host];
    destination.search.reset();
    const Rerouted* const rerouting = destination.route.rerouting();
    if (!destination.automatic_detour() && (rerouting == nullptr || rerouting->manual)) return;
    // Where the direct path is dead, not slow, a pause would stop the program, and compare nothing.
    const std::optional<Burst> last = parts_.paths.probes().completed_since(host, -HUGE_VAL);
    if (last && last->silent()) return;
    if (destination.automatic_detour()) destination.interrupted = destination.detour->relay();
    start_restore(host, RestoreReason::paused);
}

void Reroutes::resume(HostId host) {
    Destination& destination = destinations_[host];
    const HostId relay = std::exchange(destination.interrupted, kNoHost);
    const bool free = !destination.search && !destination.detour && !destination.trial && !destination.route.pending();
    const bool may = decides() && free && traffic_.active(host, now_);
    if (may && relay != kNoHost) {
        destination.search.emplace(parts_, host, Suspicion::delay, now_);
        return destination.search->resume(relay, now_, out_);
    }
    if (relay != kNoHost && !destination.uses(relay)) release(relay, host);
    if (may && parts_.paths.congestion_level(host) != CongestionLevel::low) suspect(host, Suspicion::delay);
}

int Reroutes::detours() const {
    return static_cast<int>(
        std::ranges::count_if(awake_, [&](HostId host) { return destinations_[host].automatic_detour(); }));
}

void Reroutes::stop(HostId host) {
    stopping_ = true;
    Destination& destination = destinations_[host];
    destination.search.reset();
    destination.manual_request.reset();
    destination.trial.reset();
    if (destination.detour || destination.route.rerouting() != nullptr) start_restore(host, RestoreReason::stopping);
}

void Reroutes::advance() {
    beat();
    each_awake([this](HostId host) {
        settle(host);
        watch_detour(host);
        watch_echoes(host);
        try_manually(host);
        progress(host);
    });
}

void Reroutes::progress() {
    each_awake([this](HostId host) { progress(host); });
}

/// What a relay is asked to grant for the pair, now that it is in use.
double Reroutes::rate_over_relay_bps(HostId host) const {
    if (destinations_[host].detour && destinations_[host].detour->manual()) return 0.0;
    return requested_bps(parts_.job.settings.relay, traffic_.sockets(host).peak_rate_bps());
}

/// The relay that keeps room for the pair as long as heartbeats ask for it. In a pause that is the relay of the detour
/// which will be taken again: others would have its room by then.
HostId Reroutes::reserved(HostId host) const {
    const Destination& destination = destinations_[host];
    if (destination.detour) return destination.detour->relay();
    return now_ < paused_until_ && !stopping_ ? destination.interrupted : kNoHost;
}

void Reroutes::beat() {
    std::map<HostId, std::vector<wire::RelayUse>> uses;  // of those that relay for this host
    for (const HostId host : awake_) {
        const HostId relay = reserved(host);
        if (parts_.job.other(relay)) uses[relay].push_back({host, rate_over_relay_bps(host)});
    }
    for (const auto& [relay, pairs] : uses) {
        if (peers_.beat(relay, pairs, now_, out_)) lose_relay(relay, RestoreReason::relay_dead);
    }
}

void Reroutes::watch_detour(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.automatic_detour() || !decides()) return;
    Detour& detour = *destination.detour;
    detour.measure(parts_.paths, now_, random_, out_);
    if (destination.route.pending() || destination.route.must_restore()) return;
    const Time last_use = std::max(traffic_.sockets(host).last_active(), detour.since());
    if (now_ - last_use >= parts_.job.settings.detour.idle_restore_s) return start_restore(host, RestoreReason::idle);
    if (destination.search) return;
    if (is_way(detour.relay())) judge_way(host);
    if (destination.route.pending()) return;
    if (detour.direct_queues_longer(parts_.paths, now_)) return;
    const double low_s = low_for_s(parts_.paths, host, detour.since(), now_);
    // An equal-cost path has the direct one's base: that is as good once it has been low for so long.
    const std::optional<double> detour_s =
        is_way(detour.relay()) ? std::nullopt : detour.latency_s(parts_.paths, traffic_, now_);
    if (direct_is_good(parts_.job, parts_.paths, traffic_, host, low_s, dwell_s(host), detour_s, now_)) {
        start_restore(host, RestoreReason::direct_good);
    }
}

/// Both legs were measured: a standing queue on the detour starts a search among the others.
void Reroutes::judge_legs(HostId host) {
    Destination& destination = destinations_[host];
    if (!decides() || !spare_ || !destination.automatic_detour() || destination.search || destination.trial) return;
    if (destination.route.pending() || destination.route.must_restore()) return;
    if (destination.hold.holds(now_) || !destination.pause.over(now_)) return;
    if (destination.detour->slow(parts_.paths, traffic_, now_)) start_search(host, Suspicion::delay);
}

/// An equal-cost path that has a queue is left for the direct one: where that has one, too, another detour is searched
/// for once the hold is over.
void Reroutes::judge_way(HostId host) {
    Destination& destination = destinations_[host];
    if (!spare_ || destination.hold.holds(now_)) return;
    if (!destination.detour->way_slow(parts_.paths, traffic_, now_)) return;
    destination.avoided.lost(destination.detour->relay(), AvoidedRelays::kSoon_s, now_);
    start_restore(host, RestoreReason::detour_slow);
}

/// Not of a detour that is being left.
bool Reroutes::echoes_wanted(const Destination& destination) const {
    return destination.detour && !destination.route.leaving();
}

Time Reroutes::next_echo(HostId host) const {
    return destinations_[host].detour->next_echo(!parts_.job.automatic || traffic_.active(host, now_));
}

void Reroutes::watch_echoes(HostId host) {
    Destination& destination = destinations_[host];
    if (stopping_ || !echoes_wanted(destination)) return;
    if (destination.detour->lost(now_)) return lose_detour(host);
    if (now_ >= next_echo(host)) destination.detour->send_echo(now_, out_);
}

/// Nothing came back for long enough. The relay may be dead, which its heartbeats show, too. A destination that answers
/// by another way lives: then it is the way.
void Reroutes::lose_detour(HostId host) {
    Destination& destination = destinations_[host];
    const HostId relay = destination.detour->relay();
    if (!is_way(relay) && peers_.beats_missed(relay) >= kSilentRelay) {
        peers_.give_up(relay);
        return lose_relay(relay, RestoreReason::relay_dead);
    }
    const std::optional<Time> asked = destination.detour->asked_directly();
    const bool lives = asked && peers_.last_beat(host) > *asked;
    if (lives) {
        destination.avoided.lost(relay, AvoidedRelays::kSoon_s, now_);
    } else {
        peers_.miss(host, now_);
    }
    destination.route.retry_at_once(now_);
    start_restore(host, lives ? RestoreReason::detour_broken : RestoreReason::destination_lost);
}

/// Echoes come back, but nothing of what the program sends: a filter tells them apart. Where agents carry messages the
/// sockets stay on the direct path, and say nothing of the detour.
void Reroutes::watch_sockets(HostId host) {
    Destination& destination = destinations_[host];
    if (stopping_ || !parts_.job.proves || !echoes_wanted(destination)) return;
    if (!traffic_.sockets(host).stuck(parts_.job.settings.suspicion, now_)) return;
    destination.avoided.lost(destination.detour->relay(), parts_.job.settings.detour.shun_s, now_);
    destination.route.retry_at_once(now_);
    start_restore(host, RestoreReason::detour_broken);
}

Time Reroutes::next_due() const {
    Time next = HUGE_VAL;
    for (const HostId host : awake_) next = std::min({next, next_due(host), next_search(host)});
    return next;
}

Time Reroutes::next_due(HostId host) const {
    const Destination& destination = destinations_[host];
    Time next = destination.route.next_return();
    if (destination.trial) next = std::min(next, destination.trial->proof.next_echo());
    if (echoes_wanted(destination)) next = std::min(next, next_echo(host));
    const HostId relay = reserved(host);
    if (parts_.job.other(relay)) next = std::min(next, peers_.next_beat(relay));
    if (destination.automatic_detour() && decides()) next = std::min(next, destination.detour->next_measurement());
    return next;
}

}  // namespace fairlead::core
