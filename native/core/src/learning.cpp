// SPDX-License-Identifier: Apache-2.0
// What the controller learns of its paths while the program runs: baselines by bursts of probes in the gaps of the
// program's traffic, what detours take at best, and how much the program was seen to send.
#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace fairlead::core {

namespace {
constexpr std::uint64_t kSmallest_B = 1;  // probes stand for the smallest message
constexpr double kFastest_bps = 1e15;
constexpr double kLongestHold = 16.0;  // after trials in vain, of the longest hold
constexpr double kNoBudget_s = 0.1;    // until probes are affordable again
}  // namespace

/// Sends the bursts that are due: before the program uses any pair on all paths, then on those of pairs in use, in the
/// gaps of their traffic where there are some.
void Controller::State::learn_paths() {
    if (!learns_ || !automatic_ || stopping_) return;
    const bool begun = pairs_in_use() > 0;
    for (const bool in_use : {true, false}) {
        for (HostId host = 0; host < hosts_; ++host) {
            if (!other(host) || !learnt_.due(host, now_)) continue;
            const SocketWatch& sockets = destinations_[host].sockets;
            if (sockets.active(now_, settings_.suspicion) != in_use) continue;
            if (!peers_[host].heard || peers_[host].down || (!in_use && learnt_.known(host))) {
                learnt_.looked(host, now_, random_);
            } else if (begun && !in_use) {
                learnt_.postpone(host, now_ + 2.0 * settings_.learn.period_s);
            } else if (sockets.in_flight_B() > 0 && !learnt_.urgent(host, now_)) {
                learnt_.postpone(host, now_ + settings_.looks.period_s);
            } else if (!probes_.affordable(now_)) {
                learnt_.postpone(host, now_ + kNoBudget_s);
            } else {
                learn_path(host);
            }
        }
    }
}

/// A burst on the direct path; a relay that is drawn at random measures the second leg of a detour.
void Controller::State::learn_path(HostId host) {
    probes_.burst(host, now_, *out_);
    learnt_.looked(host, now_, random_);
    Destination& destination = destinations_[host];
    destination.learn_token = next_token_++;
    const std::size_t first = random_.below(hosts_);
    int asked = 0;
    for (HostId step = 0; step < hosts_ && asked < settings_.learn.relays; ++step) {
        const auto relay = static_cast<HostId>((first + step) % hosts_);
        if (!other(relay) || relay == host || !peers_[relay].heard || peers_[relay].down) continue;
        send(relay, wire::PathQuery{destination.learn_token, host});
        ++asked;
    }
}

/// A burst on the direct path was answered.
void Controller::State::learn(const Burst& burst) {
    if (!learns_ || 2 * burst.answered < burst.sent) return;
    const bool whole = burst.sent >= settings_.congestion_level.min_samples;
    learnt_.on_burst(burst.peer, probes_.half_round_trip_s(burst.peer), whole, now_);
    use_learnt(burst.peer);
}

/// A relay measured the second leg of a detour.
void Controller::State::learn(HostId relay, const wire::PathReport& report) {
    const double first_s = probes_.half_round_trip_s(relay);
    if (!learns_ || report.received == 0 || !plausible(report.half_round_trip_s)) return;
    if (destinations_[report.destination].learn_token != report.token || relay == report.destination) return;
    if (first_s <= 0.0 || report.half_round_trip_s <= 0.0) return;
    learnt_.on_detour(report.destination, first_s + report.half_round_trip_s + settings_.choice.relay_cost_s);
    use_learnt(report.destination);
}

void Controller::State::use_learnt(HostId host) {
    const std::optional<double> base_s = learnt_.base_s(host);
    if (!base_s) return;
    Destination& destination = destinations_[host];
    // A lasting shift of the base stands until something new was learnt.
    if (*base_s != destination.used_base_s) {
        base_.set_latency(path_to(host), kSmallest_B, *base_s, now_);
        destination.used_base_s = *base_s;
    }
    probes_.set_hidden(host, learnt_.hidden_s(host));
    tell_learnt(host, false);
}

void Controller::State::tell_learnt(HostId host, bool end) {
    if (!learnt_.news(host, end)) return;
    learnt_.told(host);
    emit(BaseLearnt{path_to(host), *learnt_.base_s(host), learnt_.hidden_s(host), link_bps_});
}

/// The highest rate at which a burst was delivered stands in for the rate of the path's narrowest link, and the highest
/// of all paths for that of the host's own.
void Controller::State::learn_rate(Destination& destination, const SocketSample& sample) {
    if (!learns_ || destination.detour || !std::isfinite(sample.delivery_bps)) return;
    destination.delivery_bps = std::max(destination.delivery_bps, std::min(sample.delivery_bps, kFastest_bps));
    link_bps_ = std::max(link_bps_, destination.delivery_bps);
}

/// So does the rate of all pairs together.
void Controller::State::learn_link() {
    if (!learns_) return;
    double sum_bps = 0.0;
    for (HostId host = 0; host < hosts_; ++host) {
        if (other(host)) sum_bps += destinations_[host].sockets.rate_bps(now_, settings_.own_load.window_s);
    }
    link_bps_ = std::max(link_bps_, sum_bps);
}

/// Where bottlenecks are not known, leaving the direct path is a trial: it is judged by what the pair got in the
/// congestion before it. Whether the reroute waits until that was measured.
bool Controller::State::waits_for_trial(HostId host, const Choice& choice) {
    Destination& destination = destinations_[host];
    if (!learns_ || destination.search->silent || destination.detour) return false;
    if (now_ - destination.congested_at > settings_.learn.memory_s) destination.judge.restart();
    destination.congested_at = now_;
    if (destination.judge.ready()) return false;
    keep(host, KeepReason::learning, choice.relay, choice.latency_s, {});
    destination.keep_backoff_s = 0.0;
    return true;
}

/// A trial improved nothing: back, for a detour that does not pay can only cost. From relay to relay is none: what the
/// pair had before was not the direct path.
void Controller::State::end_trial(HostId host, ChangeJudge::Verdict verdict) {
    Destination& destination = destinations_[host];
    if (verdict != ChangeJudge::Verdict::in_vain || !destination.on_trial) return;
    if (!destination.detour || destination.detour->manual) return;
    const double hold_s = settings_.detour.hold_max_s;
    destination.vain_hold_s = std::clamp(2.0 * destination.vain_hold_s, hold_s, kLongestHold * hold_s);
    destination.hold_until = now_ + destination.vain_hold_s;
    start_restore(host, RestoreReason::in_vain);
}

}  // namespace fairlead::core
