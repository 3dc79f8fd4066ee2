// SPDX-License-Identifier: Apache-2.0
// The life of a detour: reroute, heartbeat, watching the direct path and both legs, restoration.
#include <algorithm>

#include "state.hpp"

namespace fairlead::core {

void Controller::State::reroute(HostId host, HostId relay, const Rerouted& decision) {
    Destination& destination = destinations_[host];
    Pending pending;
    pending.reroute = true;
    pending.relay = relay;
    pending.decision = decision;
    pending.decision.destination = host;
    pending.decision.relay = relay;
    pending.decision.before = destination.detour ? destination.detour->relay : kNoHost;
    pending.decision.decided_at = now_;
    destination.pending = pending;
    emit(Reroute{host, relay});
}

void Controller::State::rerouted(HostId host, const Pending& pending) {
    Destination& destination = destinations_[host];
    const HostId before = destination.detour ? destination.detour->relay : kNoHost;
    Peer& relay = peers_[pending.relay];
    if (!relays_for_us(pending.relay)) {
        relay.beats_missed = 0;
        relay.next_beat = now_;
    }
    Detour detour;
    detour.relay = pending.relay;
    detour.manual = pending.decision.manual;
    detour.since = now_;
    detour.next_direct = now_ + settings_.detour.direct_period_s;
    detour.next_legs = now_ + settings_.detour.legs_period_s;
    destination.sockets.begin_anew(now_);
    destination.detour = detour;
    if (before != kNoHost && before != pending.relay) send(before, wire::RelayRelease{host});
    const bool soon = now_ - destination.last_change < settings_.detour.hold_max_s;
    if (!detour.manual) {
        const bool relapse = now_ - destination.last_restore < settings_.detour.relapse_s;
        if (before == kNoHost) {
            destination.dwell_s =
                relapse ? std::min(2.0 * destination.dwell_s, settings_.detour.dwell_max_s) : settings_.detour.dwell_s;
            // Congested in two uses in a row: it stays away until it has been used once more.
            if (const auto period_s = destination.uses.period_s(settings_.pattern);
                period_s && destination.uses.lasting()) {
                const double until_used_s = (1.0 + settings_.pattern.spread) * *period_s;
                destination.dwell_s =
                    std::max(destination.dwell_s, std::min(until_used_s, settings_.detour.dwell_max_s));
            }
        }
        if (before != kNoHost && soon) {
            destination.hold_s = std::min(2.0 * destination.hold_s, settings_.detour.hold_max_s);
        } else if (!soon) {
            destination.hold_s = settings_.detour.hold_s;
        }
        hold(destination);
        destination.last_change = now_;
    }
    // What it got before its first reroute of late may be of the time before the congestion.
    const bool comparable = before != kNoHost || soon || learns_;
    destination.on_trial = learns_ && before == kNoHost;
    destination.judge.changed(!detour.manual && !pending.decision.ahead && comparable, now_);
    destination.keep_backoff_s = 0.0;
    destination.failed_backoff_s = 0.0;
    destination.last_keep.reset();
    emit(pending.decision);
    if (stopping_) return;
    if (relay.down) return start_restore(host, RestoreReason::relay_dead);
    if (!reachable(host)) start_restore(host, RestoreReason::destination_lost);
}

/// The pair keeps its route for a while. Drawn: jobs that met on a detour must not all leave it in the same moment.
void Controller::State::hold(Destination& destination) {
    const double jitter = settings_.detour.hold_jitter;
    destination.hold_until = now_ + destination.hold_s * (1.0 - jitter + 2.0 * jitter * random_.uniform());
}

/// Where a change improved nothing, as on paths that are all full, another would hardly do so: whoever goes on looking
/// chases others from path to path. It stays until others have come.
void Controller::State::heed(Destination& destination, ChangeJudge::Verdict verdict) {
    switch (verdict) {
        case ChangeJudge::Verdict::none:
            return;
        case ChangeJudge::Verdict::in_vain:
            destination.hold_s = settings_.detour.hold_max_s;
            return hold(destination);
        case ChangeJudge::Verdict::worse:
            destination.hold_s = settings_.detour.hold_s;
            destination.hold_until = now_;
            return;
    }
}

void Controller::State::start_restore(HostId host, RestoreReason reason) {
    Destination& destination = destinations_[host];
    destination.search.reset();
    if (destination.pending) {
        // A restoration that is under way serves this reason as well.
        if (destination.pending->reroute) destination.must_restore = reason;
        return;
    }
    destination.must_restore.reset();
    if (!destination.detour) return;
    Pending pending;
    pending.relay = destination.detour->relay;
    pending.reason = reason;
    destination.pending = pending;
    emit(Restore{host});
}

void Controller::State::restored(HostId host, RestoreReason reason) {
    Destination& destination = destinations_[host];
    if (!destination.detour) return;
    const Detour detour = *destination.detour;
    destination.detour.reset();
    destination.last_restore = now_;
    send(detour.relay, wire::RelayRelease{host});
    Restored report;
    report.destination = host;
    report.relay = detour.relay;
    report.reason = reason;
    report.queue_delay_s = probes_.forward(host, now_ - 2.0 * settings_.detour.direct_period_s).typical_s;
    report.away_s = now_ - detour.since;
    emit(report);
    if (!detour.manual) destination.last_change = now_;
    if (reason == RestoreReason::detour_slow) {
        destination.hold_s = std::min(2.0 * destination.hold_s, settings_.detour.hold_max_s);
        hold(destination);
    } else if (reason == RestoreReason::direct_good || reason == RestoreReason::idle) {
        // What was learnt on the detours ends with the congestion: the next one is left as soon as the first.
        destination.hold_s = settings_.detour.hold_s;
        destination.hold_until = now_;
        destination.vain_hold_s = 0.0;
    }
    destination.judge.changed(reason == RestoreReason::detour_slow, now_);
    const bool lost = reason == RestoreReason::relay_dead || reason == RestoreReason::relay_revoked ||
                      reason == RestoreReason::detour_broken || reason == RestoreReason::peer_stopped;
    if (!lost || !reachable(host) || stopping_ || !automatic_) return;
    // The direct path is probably still congested: look for another relay at once.
    destination.next_search = now_;
    destination.hold_until = now_;
    if (destination.sockets.active(now_, settings_.suspicion)) suspect(host, Suspicion::delay);
}

/// A manual reroute (relay) or restoration (kNoHost). What the controller had in mind is dropped.
void Controller::State::request_manually(HostId host, HostId relay) {
    Destination& destination = destinations_[host];
    destination.manual_request.reset();
    if (relay != kNoHost && peers_[relay].heard && !peers_[relay].can_relay) {
        return emit(ManualEnded{host, relay, "the relay has no data plane"});
    }
    if (relay != kNoHost && peers_[relay].down) return emit(ManualEnded{host, relay, "the relay does not answer"});
    if (relay != kNoHost && !reachable(host)) {
        const char* why = peers_[host].down ? "the destination does not answer" : "the destination has no data plane";
        return emit(ManualEnded{host, relay, why});
    }
    destination.search.reset();
    destination.trial.reset();
    if (destination.pending) {
        destination.manual_request = relay;
        return;
    }
    destination.must_restore.reset();
    if (relay == kNoHost) {
        if (!destination.detour) return emit(ManualEnded{host, kNoHost, {}});
        return start_restore(host, RestoreReason::manual);
    }
    if (!proves_) return reroute_manually(host, relay);
    destination.trial = ManualTrial{relay, now_ + settings_.echo.manual_s, {}};
    try_manually(host);
}

void Controller::State::reroute_manually(HostId host, HostId relay) {
    // Rate 0: a grant is not waited for, but the relay knows of the path and keeps it by the heartbeats.
    send(relay, wire::RelayRequest{next_token_++, host, 0.0});
    Rerouted decision;
    decision.manual = true;
    decision.suspected_at = decision.confirmed_at = now_;
    reroute(host, relay, decision);
}

/// What had to wait for the guardian's answer.
void Controller::State::settle(HostId host) {
    Destination& destination = destinations_[host];
    if (destination.pending) return;
    if (destination.manual_request) return request_manually(host, *destination.manual_request);
    if (destination.must_restore && now_ >= destination.retry_restore) start_restore(host, *destination.must_restore);
}

/// Whether the traffic is led over this relay, or about to be.
bool Controller::State::uses(const Destination& destination, HostId relay) {
    return (destination.detour && destination.detour->relay == relay) ||
           (destination.pending && destination.pending->reroute && destination.pending->relay == relay);
}

bool Controller::State::relays_for_us(HostId relay) const {
    return std::any_of(destinations_.begin(), destinations_.end(), [relay](const Destination& destination) {
        return destination.detour && destination.detour->relay == relay;
    });
}

/// Whether a detour may lead to this host: it takes the destination's plane as well. Who was not heard yet may have
/// one.
bool Controller::State::reachable(HostId host) const {
    const Peer& peer = peers_[host];
    return !peer.down && (!peer.heard || peer.can_relay);
}

/// A host's agent or its plane is gone: nothing is led over it or to it any more.
void Controller::State::lose_host(HostId lost, bool stopped) {
    peers_[lost].shunned_until = now_ + settings_.detour.shun_s;
    for (HostId host = 0; host < hosts_; ++host) {
        Destination& destination = destinations_[host];
        const bool away = destination.detour || (destination.pending && destination.pending->reroute);
        const bool over = uses(destination, lost);
        if (!over && !(away && host == lost)) continue;
        destination.retry_restore = now_;
        const RestoreReason reason = over ? RestoreReason::relay_dead : RestoreReason::destination_lost;
        start_restore(host, stopped ? RestoreReason::peer_stopped : reason);
    }
}

/// Heartbeats are counted, not timed: an agent that did not run sent none and misses none.
void Controller::State::beat() {
    for (HostId relay = 0; relay < hosts_; ++relay) {
        Peer& peer = peers_[relay];
        if (!other(relay) || now_ < peer.next_beat || !relays_for_us(relay)) continue;
        if (peer.beats_missed >= settings_.relay.heartbeats_missed) {
            peer.beats_missed = 0;
            peer.down = true;
            lose_host(relay);
            peer.next_beat = now_ + settings_.relay.heartbeat_s;
            continue;
        }
        send(relay, wire::Heartbeat{false});
        ++peer.beats_missed;
        peer.next_beat = now_ + settings_.relay.heartbeat_s;
    }
}

void Controller::State::watch_detour(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.detour || destination.detour->manual || !automatic_ || stopping_) return;
    Detour& detour = *destination.detour;
    if (now_ >= detour.next_direct) {
        probes_.burst(host, now_, *out_);
        // At random: a queue of few streams rises and falls with a period of its own, and may be empty half of the
        // time.
        detour.next_direct = now_ + settings_.detour.direct_period_s * (0.5 + random_.uniform());
    }
    if (now_ >= detour.next_legs) check_legs(host);
    if (destination.pending || destination.must_restore) return;
    if (now_ - std::max(destination.sockets.last_active(), detour.since) >= settings_.detour.idle_restore_s) {
        return start_restore(host, RestoreReason::idle);
    }
    if (!destination.search && ready_to_restore(host)) start_restore(host, RestoreReason::direct_good);
}

/// How long the direct path has been seen low while its traffic was away.
double Controller::State::low_for_s(HostId host) const {
    const std::optional<Time> since = probes_.congestion_level(host).low_since();
    return since ? now_ - std::max(*since, destinations_[host].detour->since) : 0.0;
}

bool Controller::State::ready_to_restore(HostId host) const {
    const Destination& destination = destinations_[host];
    if (low_for_s(host) < destination.dwell_s) return false;
    // A low congestion level after a shift of the base may still be slower than the detour.
    const Time recent = now_ - 2.0 * settings_.detour.direct_period_s;
    const DelayWindow::Summary seen = probes_.forward(host, recent);
    if (seen.samples < settings_.congestion_level.min_samples || seen.typical_s >= threshold_s(host)) return false;
    const LegState state{seen.typical_s, probes_.half_round_trip_s(host), true};
    const auto direct_s = direct_latency_s(base_, path_to(host), state, mix_of(host));
    const auto detour_s = present_detour_s(host);
    return !direct_s || !detour_s || *direct_s <= *detour_s;
}

std::optional<double> Controller::State::present_detour_s(HostId host) const {
    const Detour& detour = *destinations_[host].detour;
    const Time recent = now_ - 2.0 * settings_.detour.legs_period_s;
    const LegState first{probes_.forward(detour.relay, recent).typical_s, probes_.half_round_trip_s(detour.relay),
                         true};
    return detour_latency_s(base_, path_to(host), detour.relay, first, detour.second.value_or(LegState{}), mix_of(host),
                            settings_.choice);
}

void Controller::State::check_legs(HostId host) {
    Detour& detour = *destinations_[host].detour;
    const Time last = detour.next_legs - settings_.detour.legs_period_s;
    if (now_ < detour.next_legs && now_ - last < settings_.detour.legs_apart_s) return;
    detour.next_legs = now_ + settings_.detour.legs_period_s;
    detour.legs_awaited = true;
    detour.legs_token = next_token_++;
    probes_.burst(detour.relay, now_, *out_);
    send(detour.relay, wire::PathQuery{detour.legs_token, host});
}

/// Both legs were measured: a standing queue on the detour starts a search among the others.
void Controller::State::judge_legs(HostId host) {
    Destination& destination = destinations_[host];
    const Detour& detour = *destination.detour;
    if (detour.manual || detour.legs_awaited || !detour.second || destination.search || destination.pending) return;
    if (destination.must_restore || destination.trial || stopping_ || !automatic_) return;
    if (now_ < destination.hold_until || now_ < destination.next_search) return;
    const Time asked_at = detour.next_legs - settings_.detour.legs_period_s;
    const DelayWindow::Summary first = probes_.forward(detour.relay, asked_at);
    if (first.samples < settings_.congestion_level.min_samples) return;
    const double second_s = detour.second->usable ? detour.second->queue_delay_s : 0.0;
    if (first.low_s + second_s < leave_threshold_s(host) || fills_detour(host)) return;
    start_search(host, Suspicion::delay);
}

/// Whether the pair's own bytes explain a queue on its detour: any other would look the same as soon as it is used.
bool Controller::State::fills_detour(HostId host) const {
    const HostId relay = destinations_[host].detour->relay;
    const double first_bps = base_.throughput_bps(Pair{self_, relay}).value_or(0.0);
    const double second_bps = base_.throughput_bps(Pair{relay, host}).value_or(0.0);
    const double narrow_bps = first_bps > 0.0 && second_bps > 0.0 ? std::min(first_bps, second_bps) : 0.0;
    const double own_bps = destinations_[host].sockets.rate_bps(now_, settings_.own_load.window_s);
    return narrow_bps > 0.0 && own_bps >= settings_.detour.fills_share * narrow_bps;
}

}  // namespace fairlead::core
