// SPDX-License-Identifier: Apache-2.0
// What begins a search, and what follows from each of its steps.
#include <algorithm>
#include <cmath>

#include "detours/return_rule.hpp"
#include "reroutes/reroutes.hpp"

namespace fairlead::core {

namespace {
constexpr double kSoon_s = 1e-3;
}  // namespace

void Reroutes::suspect(HostId host, Suspicion why) {
    Destination& destination = destinations_[host];
    if (!decides() || !spare_ || destination.search || destination.route.pending() || destination.trial ||
        destination.route.must_restore())
        return;
    if (!destination.pause.over(now_) && !destination.pause.gets_less(traffic_.own_share(host, now_), now_)) return;
    if (destination.detour) {
        // The sockets' packets take the detour: look at its legs.
        if (!destination.detour->manual()) destination.detour->check_legs(parts_.paths, now_, out_);
        return;
    }
    if (why != Suspicion::stall && traffic_.fills_path(host, now_)) return;
    // A path that is known to be slow may overdraw the budget: it is what the budget is for.
    ProbeDesk& probes = parts_.paths.probes();
    const bool low = parts_.paths.congestion_level(host) == CongestionLevel::low;
    if (low ? probes.affordable(host, now_) : probes.overdrawable(now_)) start_search(host, why);
}

/// Shortly before a pair is used again by the program's pattern, its path is looked at if it was congested since the
/// last use began, be it that another pair found that: where the congestion lasts, the pair is rerouted ahead of its
/// use. When that is; nothing where it is not expected, or was done.
std::optional<Time> Reroutes::ahead_of_use(HostId host) const {
    const Destination& destination = destinations_[host];
    const Recurrence& uses = traffic_.uses(host);
    if (!uses.was_congested() || !decides() || destination.search || destination.detour ||
        destination.looked_ahead >= uses.begun() || traffic_.active(host, now_))
        return std::nullopt;
    const std::optional<Time> next = uses.next(now_, parts_.job.settings.pattern);
    return next ? std::optional(*next - parts_.job.settings.pattern.lead_s) : std::nullopt;
}

void Reroutes::look_ahead(HostId host) {
    const std::optional<Time> when = ahead_of_use(host);
    if (!when || now_ < *when) return;
    suspect(host, Suspicion::pattern);
    Destination& destination = destinations_[host];
    if (destination.search) destination.looked_ahead = now_;
}

/// A path that is not low any more is looked at again and again, in use or not.
bool Reroutes::relooks(HostId host) const {
    const Destination& destination = destinations_[host];
    return decides() && !destination.search && !destination.detour && !destination.trial &&
           !destination.route.pending() && parts_.paths.congestion_level(host) != CongestionLevel::low;
}

void Reroutes::relook(HostId host) {
    Destination& destination = destinations_[host];
    if (!relooks(host) || !destination.pause.relook_due(now_)) return;
    destination.pause.relooked(now_);
    if (!spare_ || !parts_.paths.probes().affordable(host, now_) || traffic_.fills_path(host, now_)) return;
    if (traffic_.active(host, now_)) {
        start_search(host, Suspicion::delay);
    } else {
        parts_.paths.probes().burst(host, now_, out_.actions());
    }
}

void Reroutes::start_search(HostId host, Suspicion why) {
    if (!learning_.known(host)) return;
    Destination& destination = destinations_[host];
    const bool watched = traffic_.sockets(host).watched_s(now_) >= parts_.job.settings.suspicion.watched_s;
    if (!watched && !destination.detour && why != Suspicion::stall) return;
    destination.search.emplace(parts_, host, why, now_);
    awake_.insert(host);
    if (destination.detour) {
        destination.search->query(turn(host), destination.avoided, now_, random_, out_);
    } else {
        destination.search->begin(now_, out_);
    }
}

void Reroutes::progress(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.search) look_ahead(host);
    if (!destination.search) return relook(host);
    switch (destination.search->advance(now_, out_)) {
        case Search::Step::waiting:
            return;
        case Search::Step::no_queue:
            return doubt(host);
        case Search::Step::queue:
            return destination.search->query(turn(host), destination.avoided, now_, random_, out_);
        case Search::Step::measured:
            return decide(host);
        case Search::Step::refused:
            return refused(host);
    }
}

/// Sources whose paths share a bottleneck spread over the path groups around it without asking each other: each begins
/// at its own place, and takes the next for each further detour of its own that carries about as much.
std::size_t Reroutes::turn(HostId host) const {
    const Job& job = parts_.job;
    const SharingRelation& sharing = parts_.paths.sharing();
    std::size_t place = job.salt;
    for (const HostId source : sharing.sources_sharing(job.path_to(host))) place += source < job.self;
    const double rate_bps = traffic_.sockets(host).peak_rate_bps();
    for (const HostId to : awake_) {
        const Destination& other = destinations_[to];
        const bool leaves = other.detour || (other.search && other.search->asked() != nullptr);
        place += to != host && leaves && sharing.shares(job.path_to(to), job.path_to(host)) &&
                 traffic_.sockets(to).peak_rate_bps() >= job.settings.choice.alike_share * rate_bps;
    }
    return place;
}

void Reroutes::decide(HostId host) {
    Destination& destination = destinations_[host];
    for (const HostId way : destination.search->ways().silent()) {
        destination.avoided.lost(way, AvoidedRelays::kSoon_s, now_);
    }
    if (destination.detour) return decide_detour(host);
    if (destination.search->found().unseen) return decide_unseen(host);
    switch (destination.search->judge(now_)) {
        case Search::Verdict::no_queue:
            return doubt(host);
        case Search::Verdict::no_answer:
            for (const HostId source : destination.search->count().missing()) peers_.miss_load(source);
            return keep(host, KeepReason::no_answer);
        case Search::Verdict::maybe_own_load:
            destination.pause.restart();
            [[fallthrough]];
        case Search::Verdict::own_load:
            destination.pause.explained(traffic_.own_share(host, now_));
            return keep(host, KeepReason::own_load);
        default:
            return congested(host);
    }
}

/// Probes see no queue. They are spread over equal-cost paths by their own ports, and the connections, which see one,
/// may take another of them.
void Reroutes::doubt(HostId host) {
    Destination& destination = destinations_[host];
    const SocketWatch& sockets = traffic_.sockets(host);
    const bool slow = sockets.slow_for_s(now_) >= parts_.job.settings.ways.slow_s &&
                      sockets.excess_s() >= parts_.paths.leave_threshold_s(host);
    const bool may = slow && !destination.detour && !destination.hold.holds_unseen(now_);
    if (!may || !destination.search->query_ways(destination.avoided, now_, out_)) clear(host);
}

void Reroutes::decide_unseen(HostId host) {
    Destination& destination = destinations_[host];
    if (destination.search->judge_unseen(now_) == Search::Verdict::no_queue) return clear(host);
    destination.search->measure();
    const Choice choice = destination.search->choose(0, random_);
    if (choice.relay == kNoHost) return clear(host);
    traffic_.sockets(host).confirmed();
    // Nothing but what the pair gets will show whether the move helped.
    if (!destination.hold.ready_for_trial(now_)) {
        keep(host, KeepReason::learning, choice);
        return destination.pause.restart();
    }
    destination.search->ask_relay(choice, now_, out_);
}

/// Others' traffic slows the path: who should leave it, and for which relay?
void Reroutes::congested(HostId host) {
    Destination& destination = destinations_[host];
    destination.pause.explained(0.0);
    traffic_.sockets(host).confirmed();
    note_congestion(host);
    tell_siblings(host);
    if (gives_way(host)) return;
    destination.search->measure();
    take_or_keep(host);
}

void Reroutes::decide_detour(HostId host) {
    Destination& destination = destinations_[host];
    const double low_s = low_for_s(parts_.paths, host, destination.detour->since(), now_);
    switch (destination.search->judge_detour(low_s >= parts_.job.settings.detour.slow_dwell_s, now_)) {
        case Search::Verdict::not_slow:
            destination.search.reset();
            return destination.pause.once(now_);
        case Search::Verdict::direct_better:
            return start_restore(host, RestoreReason::detour_slow);
        default:
            return take_or_keep(host);
    }
}

/// The job's other pairs on the same bottleneck should look as well.
void Reroutes::tell_siblings(HostId host) {
    const CongestionLevel congestion_level = parts_.paths.congestion_level(host);
    const SharingRelation& sharing = parts_.paths.sharing();
    if (congestion_level == CongestionLevel::low || !sharing.known()) return;
    const Search& search = *destinations_[host].search;
    const Pair path = parts_.job.path_to(host);
    // What others said is not said again: it would outlive its cause.
    const bool counted = search.count().counted_s() > 0.0 && !search.found().by_rate;
    const double share = counted ? search.count().foreign_share(search.found()) : 0.0;
    for (const HostId sibling : traffic_.partners()) {
        if (sibling == host || !sharing.shares(path, parts_.job.path_to(sibling))) continue;
        note_congestion(sibling);
        if (!traffic_.active(sibling, now_)) continue;
        traffic_.hear_foreign(sibling, share, now_);
        suspect(sibling, Suspicion::delay);
    }
    const wire::Notice notice{path.source, path.destination, congestion_level, search.decision().queue_delay_s, share};
    notices_.tell_sharing(notice, search.count().loads(), now_, out_);
}

/// Where another pair goes first and the queue should drain then, this one is judged again afterwards.
bool Reroutes::gives_way(HostId host) {
    Destination& destination = destinations_[host];
    const Search& search = *destination.search;
    destination.way_given.forget(parts_.job.settings.own_load, now_);
    if (search.found().silent || search.found().by_rate) return false;
    const std::optional<Pair> first =
        destination.way_given.to(search.count().flows(), parts_.job.path_to(host), search.decision().queue_delay_s,
                                 search.count().counted_s(), parts_.paths.sharing(), parts_.job.settings.choice);
    if (!first) return false;
    destination.way_given.waits_for(*first, now_);
    keep(host, KeepReason::gives_way);
    destination.pause.gave_way(now_);
    return true;
}

void Reroutes::take_or_keep(HostId host) {
    Destination& destination = destinations_[host];
    Choice choice = destination.search->choose(turn(host), random_);
    if (choice.relay == kNoHost) {
        const bool lost = parts_.relay_role.able() && (peers_.down(host) || !peers_.reachable(host));
        if (lost) return keep(host, KeepReason::destination_lost, choice);
        const bool by_ways = choice.reason == KeepReason::no_better_way;
        return keep(host, choice.reason, choice, by_ways ? destination.search->ways().told() : std::string());
    }
    choice.best = choice.relay;
    const bool held = destination.hold.holds(now_) && !destination.search->found().silent;
    if (held) return keep(host, KeepReason::held, choice);
    if (parts_.job.learns && !destination.search->found().silent && !destination.detour &&
        !destination.hold.ready_for_trial(now_)) {
        keep(host, KeepReason::learning, choice);
        return destination.pause.restart();
    }
    destination.search->ask_relay(choice, now_, out_);
}

/// Reroutes, once the grant and the proof are there.
void Reroutes::take(HostId host) {
    Destination& destination = destinations_[host];
    if (!destination.search->asked()->ready()) return;
    const Rerouted decision = destination.search->decision();
    destination.search.reset();
    reroute(host, decision);
}

/// The relay asked said no, or nothing, or nothing came back over it: the next best.
void Reroutes::refused(HostId host) {
    Search& search = *destinations_[host].search;
    if (search.relay_broken()) destinations_[host].avoided.unproven(search.relay(), now_);
    search.drop_relay(out_);
    if (search.found().unseen) return clear(host);
    take_or_keep(host);
}

void Reroutes::keep(HostId host, KeepReason reason, const Choice& choice, const std::string& detail) {
    Destination& destination = destinations_[host];
    if (destination.pause.reports(reason, now_)) {
        Kept report;
        report.destination = host;
        report.relay = traffic_.relay(host);
        report.reason = reason;
        report.best = choice.best;
        report.best_latency_s = choice.latency_s;
        report.detail = detail;
        if (destination.search) {
            const Rerouted& decision = destination.search->decision();
            report.queue_delay_s = decision.queue_delay_s;
            report.foreign_share = decision.foreign_share;
            report.present_latency_s = decision.present_latency_s;
            report.flows = decision.flows;
        }
        out_.emit(report);
    }
    destination.search.reset();
    destination.pause.kept(now_);
}

/// A false alarm.
void Reroutes::clear(HostId host) {
    destinations_[host].search.reset();
    traffic_.sockets(host).cleared(parts_.job.settings.suspicion, now_);
    destinations_[host].pause.cleared(now_);
}

Time Reroutes::next_search(HostId host) const {
    const Destination& destination = destinations_[host];
    Time next = destination.search ? destination.search->next_due(now_) : HUGE_VAL;
    if (relooks(host)) next = std::min(next, std::max(destination.pause.next_relook(), now_ + kSoon_s));
    if (const auto ahead = ahead_of_use(host); ahead && *ahead > now_) next = std::min(next, *ahead);
    return next;
}

}  // namespace fairlead::core
