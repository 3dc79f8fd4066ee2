// SPDX-License-Identifier: Apache-2.0
// From a suspicion to a decision: look at the path, measure candidates and own load side by side, choose, ask.
#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace fairlead::core {

namespace {
constexpr int kTries = 2;  // echoes without an answer, before a detour is taken for broken
}  // namespace

double Controller::State::base_latency_s(Pair path) const {
    if (const auto known = base_.latency_s(path)) return *known;
    if (const auto back = base_.latency_s({path.destination, path.source}); learns_ && back) return *back;
    if (path.source == self_) return probes_.half_round_trip_s(path.destination);
    if (path.destination == self_) return probes_.half_round_trip_s(path.source);
    return 0.0;
}

double Controller::State::threshold_s(HostId destination) const {
    return level_threshold_s(CongestionLevel::medium, base_latency_s(path_to(destination)), settings_.congestion_level);
}

/// A detour is left for another only when it is at the high congestion level: half good is not worth a reroute.
double Controller::State::leave_threshold_s(HostId destination) const {
    return level_threshold_s(CongestionLevel::high, base_latency_s(path_to(destination)), settings_.congestion_level);
}

std::span<const SizeShare> Controller::State::mix_of(HostId destination) const {
    const std::vector<SizeShare>& mix = destinations_[destination].mix;
    if (mix.empty()) return default_mix();
    return mix;
}

void Controller::State::suspect(HostId host, Suspicion why) {
    Destination& destination = destinations_[host];
    if (!automatic_ || stopping_ || destination.search || destination.pending || destination.trial ||
        destination.must_restore)
        return;
    if (now_ < destination.next_search && !gets_less(host)) return;
    if (destination.detour) {
        // The sockets' packets take the detour: look at its legs.
        if (!destination.detour->manual) check_legs(host);
        return;
    }
    if (why != Suspicion::stall && fills_path(host)) return;
    // A path that is known to be slow may overdraw the budget: it is what the budget is for.
    if (probes_.congestion_level(host).congestion_level() == CongestionLevel::low ? !probes_.affordable(now_)
                                                                                  : !probes_.overdrawable(now_))
        return;
    start_search(host, why);
}

/// Shortly before a pair is used again by the program's pattern, its path is looked at if it was congested since the
/// last use began, be it that another pair found that: where the congestion lasts, the pair is rerouted ahead of its
/// use. When that is; nothing where it is not expected, or was done.
std::optional<Time> Controller::State::ahead_of_use(HostId host) const {
    const Destination& destination = destinations_[host];
    if (!automatic_ || stopping_ || destination.search || destination.detour || !destination.uses.was_congested() ||
        destination.looked_ahead >= destination.uses.begun() || destination.sockets.active(now_, settings_.suspicion))
        return std::nullopt;
    const std::optional<Time> next = destination.uses.next(now_, settings_.pattern);
    return next ? std::optional(*next - settings_.pattern.lead_s) : std::nullopt;
}

void Controller::State::look_ahead(HostId host) {
    const std::optional<Time> when = ahead_of_use(host);
    if (!when || now_ < *when) return;
    suspect(host, Suspicion::pattern);
    Destination& destination = destinations_[host];
    if (destination.search) destination.looked_ahead = now_;
}

/// How much of the links where a direct path's packets may queue this host's own sockets occupy, 0 to about 1.
double Controller::State::own_share(HostId host) const {
    double share = 0.0;
    for (HostId to = 0; to < hosts_; ++to) {
        if (!other(to) || destinations_[to].detour) continue;
        const double link_bps = shared_bps(host, path_to(to)).value_or(0.0);
        if (link_bps > 0.0)
            share += destinations_[to].sockets.rate_bps(now_, settings_.own_load.fill_window_s) / link_bps;
    }
    return share;
}

/// Whether this host's own bytes explain a queue on the direct path, by the sockets alone: then nothing has to be
/// measured. When others come, the job's rate falls and the next sign is followed.
bool Controller::State::fills_path(HostId host) const {
    return own_share(host) >= 1.0 - settings_.own_load.foreign_share;
}

/// Whether the job's own bytes explained the queue the last time and pass more slowly now: then others may have come,
/// and the pause after that search is over.
bool Controller::State::gets_less(HostId host) const {
    const Destination& destination = destinations_[host];
    if (now_ < destination.next_search - destination.keep_backoff_s + settings_.report.keep_backoff_s) return false;
    return own_share(host) < settings_.own_load.less_share * destination.explained_share;
}

void Controller::State::start_search(HostId host, Suspicion why) {
    if (learns_ && !learnt_.known(host)) return;
    Destination& destination = destinations_[host];
    Search search;
    search.why = why;
    search.started = now_;
    search.decision.suspected_at = now_;
    destination.search = search;
    if (destination.detour) {
        begin_query(host, *destination.search);
    } else {
        destination.search->direct_burst = probes_.burst(host, now_, *out_);
    }
}

void Controller::State::progress(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.search) look_ahead(host);
    if (!destination.search) {
        // A path that is not low any more is looked at again and again, in use or not.
        const bool again = automatic_ && !stopping_ && !destination.detour && !destination.pending &&
                           !destination.trial &&
                           probes_.congestion_level(host).congestion_level() != CongestionLevel::low &&
                           now_ >= destination.next_search && now_ >= destination.next_relook;
        if (!again) return;
        destination.next_relook = now_ + settings_.report.keep_backoff_max_s;
        if (!probes_.affordable(now_) || fills_path(host)) return;
        if (destination.sockets.active(now_, settings_.suspicion)) {
            start_search(host, Suspicion::delay);
        } else {
            probes_.burst(host, now_, *out_);
        }
        return;
    }
    Search& search = *destination.search;
    switch (search.phase) {
        case Search::Phase::look:
            return look(host, search);
        case Search::Phase::query:
            return query(host, search);
        case Search::Phase::ask:
            if (now_ >= search.ask_deadline) return refused(host, search);
            return try_chosen(host, search);
    }
}

/// Is there a standing queue? Two high probes are enough to begin measuring candidates; the direct path goes on being
/// probed meanwhile, and all its samples together are judged.
void Controller::State::look(HostId host, Search& search) {
    const auto burst = probes_.find(host, search.direct_burst);
    if (!burst) return clear(host);
    const DelayWindow::Summary seen = probes_.forward(host, search.started);
    const bool high = seen.samples > 0 && seen.typical_s >= threshold_s(host);
    if (high && (seen.samples >= 2 || burst->done)) return begin_query(host, search);
    if (!burst->done) return;
    if (seen.most_s >= threshold_s(host) && seen.samples <= settings_.probes.burst) {
        // Some probes queued, some did not: others' bursts look like this, and so does noise.
        search.direct_burst = probes_.burst(host, now_, *out_);
        return;
    }
    const SocketWatch& sockets = destinations_[host].sockets;
    const auto believable = static_cast<std::uint64_t>(settings_.suspicion.shortfall_retransmits);
    const bool losing = sockets.retransmits(now_, settings_.suspicion.shortfall_window_s) >= believable;
    search.run_delay_s = std::max(search.run_delay_s, burst->run_delay_s);
    if (burst->silent()) {
        // Only believed if the ranks' own bytes do not get through either.
        search.silent = sockets.stalled();
        return search.silent ? begin_query(host, search) : clear(host);
    }
    search.by_rate =
        search.why == Suspicion::shortfall && losing && search.run_delay_s < settings_.probes.extend_run_delay_s;
    if (search.by_rate) return begin_query(host, search);
    clear(host);
}

/// Waits for the candidates and the direct path; then looks at the job's own bytes a second time; then decides.
void Controller::State::query(HostId host, Search& search) {
    if (search.asked.empty()) {
        if (direct_ready(host, search)) decide(host, search);
        return;
    }
    keep_probing(host, search);
    if (!search.second_round) {
        const bool measured =
            answers_complete(search) && direct_ready(host, search) && loads_complete(search) && now_ >= search.count_at;
        if (!measured || extend(host, search)) return;
        search.second_round = true;
        return ask_loads(host, search);
    }
    if (!loads_complete(search)) return;
    if (!count_again(host, search)) decide(host, search);
}

/// The direct path is probed without a break until the decision: what is compared shall be of the same time.
void Controller::State::keep_probing(HostId host, Search& search) {
    if (search.silent) return;
    const auto burst = probes_.find(host, search.direct_burst);
    if (burst && !burst->done && now_ < burst->started + burst->sent * settings_.probes.spacing_s) return;
    if (burst) search.run_delay_s = std::max(search.run_delay_s, burst->run_delay_s);
    search.direct_burst = probes_.burst(host, now_, *out_);
}

void Controller::State::begin_query(HostId host, Search& search) {
    search.phase = Search::Phase::query;
    search.queried_at = search.counted_from = now_;
    search.count_at = now_ + settings_.own_load.min_elapsed_s;
    pick_candidates(host, search);
    for (Asked& asked : search.asked) {
        asked.token = next_token_++;
        send(asked.relay, wire::PathQuery{asked.token, host});
        asked.first_burst = probes_.burst(asked.relay, now_, *out_);
    }
    if (!search.asked.empty()) {
        search.direct_burst = probes_.burst(host, now_, *out_);
        ask_loads(host, search);
    }
}

/// The best candidates by what is known now; of those about as good as the best a random few, so that many sources
/// with the same table do not all ask the same relays. The present relay of a detour is always among them.
void Controller::State::pick_candidates(HostId host, Search& search) {
    std::vector<bool> eligible(hosts_, false);
    const Destination& destination = destinations_[host];
    for (HostId relay = 0; relay < hosts_; ++relay) {
        const Peer& peer = peers_[relay];
        eligible[relay] = can_relay_ && other(relay) && peer.heard && peer.can_relay && !peer.down &&
                          now_ >= peer.shunned_until && reachable(host) && !avoids(destination, relay);
    }
    if (destination.detour) {
        eligible[destination.detour->relay] = false;
        search.asked.emplace_back().relay = destination.detour->relay;
    }
    const auto state = [this](Pair leg) {
        LegState known;
        if (leg.source == self_) {
            known.queue_delay_s =
                probes_.forward(leg.destination, now_ - settings_.congestion_level.window_s).typical_s;
            known.half_round_trip_s = probes_.half_round_trip_s(leg.destination);
        }
        return known;
    };
    std::vector<Candidate> all =
        candidates(path_to(host), base_, sharing_, state, mix_of(host), eligible, settings_.choice);
    std::erase_if(all, [](const Candidate& c) { return !c.usable; });
    search.path_groups = sharing_.path_groups(path_to(host));
    const auto limit = static_cast<std::size_t>(settings_.choice.max_queries);
    if (all.size() > limit) {
        const double good_s = (1.0 + settings_.choice.good_within) * all.front().latency_s;
        std::vector<std::size_t> path_groups;
        for (const Candidate& c : all) {
            if (c.latency_s <= good_s) path_groups.push_back(search.path_groups[c.relay]);
        }
        const auto good = static_cast<std::ptrdiff_t>(path_groups.size());
        for (std::size_t left = path_groups.size(); left > 1; --left)
            std::swap(all[left - 1], all[random_.below(left)]);
        // Half of those asked are in the path group that would be taken, the others may show that it is not good today.
        const std::size_t path_group = path_group_in_turn(path_groups, turn(host));
        const auto others = std::stable_partition(all.begin(), all.begin() + good, [&](const Candidate& c) {
            return search.path_groups[c.relay] == path_group;
        });
        const auto half = all.begin() + static_cast<std::ptrdiff_t>(limit / 2);
        if (half < others) std::rotate(half, others, all.begin() + good);
        all.resize(limit);
    }
    for (const Candidate& candidate : all) search.asked.emplace_back().relay = candidate.relay;
}

/// Sources whose paths share a bottleneck spread over the path groups around it without asking each other: each begins
/// at its own place, and takes the next for each further detour of its own that carries about as much.
std::size_t Controller::State::turn(HostId host) const {
    std::size_t place = salt_;
    for (const HostId source : sharing_.sources_sharing(path_to(host))) place += source < self_;
    const double rate_bps = destinations_[host].sockets.peak_rate_bps();
    for (HostId to = 0; to < hosts_; ++to) {
        const Destination& other = destinations_[to];
        const bool leaves = other.detour || (other.search && other.search->phase == Search::Phase::ask);
        place += to != host && leaves && sharing_.shares(path_to(to), path_to(host)) &&
                 other.sockets.peak_rate_bps() >= settings_.choice.alike_share * rate_bps;
    }
    return place;
}

bool Controller::State::answers_complete(const Search& search) const {
    bool all = true;
    bool any = false;
    for (const Asked& asked : search.asked) {
        const auto first = probes_.find(asked.relay, asked.first_burst);
        const bool both = asked.answered && (!first || first->done);
        all = all && both;
        any = any || both;
    }
    if (all) return true;
    return now_ >= search.queried_at + (any ? settings_.choice.query_timeout_s : settings_.choice.query_extended_s);
}

bool Controller::State::direct_ready(HostId host, const Search& search) const {
    if (search.silent || now_ >= search.queried_at + settings_.choice.query_extended_s) return true;
    const DelayWindow::Summary seen = probes_.forward(host, search.started);
    if (seen.samples < settings_.congestion_level.min_samples || seen.span_s < settings_.congestion_level.min_span_s)
        return false;
    return probes_.forward(host, search.queried_at).samples > 0 ||
           now_ >= search.queried_at + settings_.choice.query_timeout_s;
}

/// Whether the window must grow first: a delay of the scheduler can fill a window no longer than itself.
bool Controller::State::extend(HostId host, Search& search) {
    if (search.silent || search.extensions >= settings_.probes.max_extensions) return false;
    if (const auto burst = probes_.find(host, search.direct_burst)) {
        search.run_delay_s = std::max(search.run_delay_s, burst->run_delay_s);
    }
    const DelayWindow::Summary seen = probes_.forward(host, search.started);
    const bool thin =
        seen.samples < settings_.congestion_level.min_samples || seen.span_s < settings_.congestion_level.min_span_s;
    const bool noisy = search.run_delay_s >= settings_.probes.extend_run_delay_s &&
                       seen.span_s < search.run_delay_s + settings_.congestion_level.min_span_s;
    const bool already_low = seen.samples > 0 && seen.typical_s < threshold_s(host);
    const bool late = std::none_of(search.asked.begin(), search.asked.end(), [&](const Asked& asked) {
        return asked.answered && same_time(host, search, asked);
    });
    if (already_low || (!thin && !noisy && !late)) return false;
    ++search.extensions;
    search.count_at = now_ + settings_.probes.burst * settings_.probes.spacing_s;
    return true;
}

/// Whether the direct path was still being probed when this relay's answer came. A burst of the job's own that ended in
/// between would make any detour look better.
bool Controller::State::same_time(HostId host, const Search& search, const Asked& asked) const {
    if (search.silent || search.by_rate || destinations_[host].detour) return true;
    // A leg that is slow itself cannot look too good.
    if (asked.second.queue_delay_s >= threshold_s(host)) return true;
    const DelayWindow::Summary seen = probes_.forward(host, search.queried_at);
    return asked.answered_at - seen.newest_sent_at <= 2.0 * settings_.probes.spacing_s;
}

/// Puts together what was measured for every candidate asked.
void Controller::State::measure(HostId host, Search& search) const {
    search.measured.clear();
    for (const Asked& asked : search.asked) {
        const Pair leg1{self_, asked.relay};
        const Pair leg2{asked.relay, host};
        const auto burst = probes_.find(asked.relay, asked.first_burst);
        const DelayWindow::Summary seen = probes_.forward(asked.relay, search.queried_at);
        MeasuredCandidate m;
        m.first = LegState{seen.typical_s, probes_.half_round_trip_s(asked.relay), seen.samples > 0};
        if (burst && burst->done && 2 * burst->answered < burst->sent) m.first.usable = false;
        m.second = asked.second;
        m.second.usable = asked.answered && asked.second.usable && same_time(host, search, asked);
        m.load = asked.load;
        m.candidate.relay = asked.relay;
        m.candidate.weight = std::max(sharing_.weight(leg1), sharing_.weight(leg2));
        m.candidate.leg_shares =
            sharing_.known() ? sharing_.shares(path_to(host), leg1) || sharing_.shares(path_to(host), leg2) : learns_;
        const auto latency_s =
            detour_latency_s(base_, path_to(host), asked.relay, m.first, m.second, mix_of(host), settings_.choice);
        m.candidate.path_group = search.path_groups[asked.relay];
        m.candidate.usable = latency_s.has_value();
        m.candidate.latency_s = latency_s.value_or(0.0);
        search.measured.push_back(m);
    }
}

void Controller::State::decide(HostId host, Search& search) {
    Destination& destination = destinations_[host];
    if (destination.detour) return decide_detour(host, search);
    const DelayWindow::Summary seen = probes_.forward(host, search.started);
    const bool standing = seen.samples >= settings_.congestion_level.min_samples &&
                          seen.span_s >= settings_.congestion_level.min_span_s && seen.typical_s >= threshold_s(host);
    if (!standing && !search.silent && !search.by_rate) return clear(host);

    search.decision.confirmed_at = now_;
    search.decision.ahead = search.why == Suspicion::pattern;
    search.decision.queue_delay_s = seen.typical_s;
    search.decision.foreign_share = search.silent ? 1.0 : std::max(foreign_part(host, search), told_foreign(host));
    search.decision.flows = largest_flows(host, search);
    if (const std::vector<HostId> missing = loads_missing(search); !search.silent && !missing.empty()) {
        // Its bytes may explain the queue: rather later than wrongly.
        for (const HostId source : missing) ++peers_[source].loads_unanswered;
        return keep(host, KeepReason::no_answer, kNoHost, 0.0, {});
    }
    double needed = settings_.own_load.foreign_share;
    if (seen.low_s < threshold_s(host)) needed = std::max(needed, settings_.own_load.broken_share);
    double achieved_bps = 0.0;
    if (search.by_rate) {
        needed = 1.0 - 1.0 / settings_.suspicion.rate_factor;
        achieved_bps = destination.sockets.rate_bps(now_, settings_.own_load.window_s);
    }
    const LegState direct{seen.typical_s, probes_.half_round_trip_s(host), !search.silent};
    const auto latency_s = direct_latency_s(base_, path_to(host), direct, mix_of(host), achieved_bps);
    search.present = PresentPath{latency_s.value_or(seen.typical_s), seen.typical_s, threshold_s(host), search.silent};
    search.decision.present_latency_s = search.present.latency_s;
    if (search.decision.foreign_share < needed) {
        destination.explained_share = own_share(host);
        const bool sure = search.decision.foreign_share < settings_.own_load.sure_share * needed;
        if (!sure) destination.keep_backoff_s = 0.0;
        return keep(host, KeepReason::own_load, kNoHost, 0.0, {});
    }
    destination.explained_share = 0.0;
    destination.sockets.confirmed();
    destination.uses.congested();
    tell_siblings(host, search, probes_.congestion_level(host).congestion_level());
    if (gives_way(host, search)) return;
    measure(host, search);
    take_or_keep(host, search);
}

/// The detour itself got slow: the direct path and the other candidates compete with it.
void Controller::State::decide_detour(HostId host, Search& search) {
    Destination& destination = destinations_[host];
    measure(host, search);
    const auto present = std::find_if(search.measured.begin(), search.measured.end(), [&](const MeasuredCandidate& m) {
        return m.candidate.relay == destination.detour->relay;
    });
    const bool known = present != search.measured.end() && present->candidate.usable && present->first.usable &&
                       present->second.usable;
    if (!known) {  // whether the relay lives is for the heartbeats to tell
        destination.search.reset();
        destination.next_search = now_ + settings_.report.keep_backoff_s;
        return;
    }
    const double queue_s = present->first.queue_delay_s + present->second.queue_delay_s;
    if (queue_s < leave_threshold_s(host)) {
        destination.search.reset();
        destination.next_search = now_ + settings_.report.keep_backoff_s;
        return;
    }
    search.decision.confirmed_at = now_;
    search.decision.queue_delay_s = queue_s;
    search.decision.foreign_share = 1.0;
    search.decision.before = destination.detour->relay;
    search.present = PresentPath{present->candidate.latency_s, queue_s, threshold_s(host), false};
    search.decision.present_latency_s = search.present.latency_s;
    search.measured.erase(present);

    const DelayWindow::Summary seen = probes_.forward(host, search.queried_at);
    const LegState state{seen.typical_s, probes_.half_round_trip_s(host), seen.samples > 0};
    const auto direct_s = direct_latency_s(base_, path_to(host), state, mix_of(host));
    double best_s = (1.0 - settings_.choice.margin) * search.present.latency_s - settings_.choice.min_gain_s;
    for (const MeasuredCandidate& m : search.measured) {
        if (m.candidate.usable && m.first.usable && m.second.usable) best_s = std::min(best_s, m.candidate.latency_s);
    }
    // A direct path that is not low would be left again at once; bulk fills its detour by itself.
    // One look is not enough: a queue of few streams is empty for a third of the time.
    const bool direct_low =
        state.usable && state.queue_delay_s < threshold_s(host) && low_for_s(host) >= settings_.detour.slow_dwell_s;
    if (direct_low && direct_s && *direct_s <= best_s) {
        destination.search.reset();
        return start_restore(host, RestoreReason::detour_slow);
    }
    take_or_keep(host, search);
}

void Controller::State::take_or_keep(HostId host, Search& search) {
    Destination& destination = destinations_[host];
    const Choice choice = choose(search.measured, search.present, turn(host), settings_.choice, random_);
    if (choice.relay == kNoHost) {
        const bool all_refused = search.measured.empty() && search.ask_token != 0;
        KeepReason reason = all_refused ? KeepReason::refused : choice.reason;
        if (all_refused && search.broken_detours) reason = KeepReason::not_carried;
        return keep(host, !can_relay_ || reachable(host) ? reason : KeepReason::destination_lost, choice.best,
                    choice.latency_s, {});
    }
    if (now_ < destination.hold_until) {
        return keep(host, KeepReason::held, choice.relay, choice.latency_s, {});
    }
    if (waits_for_trial(host, choice)) return;
    search.decision.detour_latency_s = choice.latency_s;
    search.decision.destination = host;
    search.decision.relay = choice.relay;
    ask_relay(host, search, choice.relay);
}

/// Asks the relay for its grant, and at the same time for the proof that the detour over it carries packets.
void Controller::State::ask_relay(HostId host, Search& search, HostId relay) {
    search.phase = Search::Phase::ask;
    search.ask_token = next_token_++;
    search.ask_deadline = now_ + settings_.choice.ask_timeout_s;
    search.granted = false;
    search.proof = {};
    const double rate_bps = std::max(settings_.relay.request_min_bps,
                                     settings_.relay.request_factor * destinations_[host].sockets.peak_rate_bps());
    send(relay, wire::RelayRequest{search.ask_token, host, rate_bps});
    try_chosen(host, search);
}

/// Reroutes, once both are there.
void Controller::State::take(HostId host, Search& search) {
    if (!search.granted || (proves_ && !search.proof.carries)) return;
    const Rerouted decision = search.decision;
    destinations_[host].search.reset();
    reroute(host, decision.relay, decision);
}

/// A relay that granted the detour, but over which no echo came back, is not tried again for a while.
void Controller::State::avoid_broken(HostId host, Search& search) {
    if (!proves_ || !search.granted || search.proof.carries || search.proof.echoes < kTries) return;
    avoid(destinations_[host], search.decision.relay);
    search.broken_detours = true;
}

/// The relay asked said no, or nothing, or nothing came back over it: the next best.
void Controller::State::refused(HostId host, Search& search) {
    const HostId relay = search.decision.relay;
    avoid_broken(host, search);
    // It may have granted after all, and the grant may still come.
    send(relay, wire::RelayRelease{host});
    std::erase_if(search.measured, [relay](const MeasuredCandidate& m) { return m.candidate.relay == relay; });
    take_or_keep(host, search);
}

}  // namespace fairlead::core
