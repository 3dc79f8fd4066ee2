// SPDX-License-Identifier: Apache-2.0
// How a search ends that keeps a pair on its path, and what other pairs are told of it.
#include <algorithm>

#include "state.hpp"

namespace fairlead::core {

void Controller::State::keep(HostId host, KeepReason reason, HostId best, double best_s, std::string detail) {
    Destination& destination = destinations_[host];
    Kept report;
    report.destination = host;
    report.relay = destination.detour ? destination.detour->relay : kNoHost;
    report.reason = reason;
    report.best = best;
    report.best_latency_s = best_s;
    report.detail = std::move(detail);
    if (destination.search) {
        report.queue_delay_s = destination.search->decision.queue_delay_s;
        report.foreign_share = destination.search->decision.foreign_share;
        report.present_latency_s = destination.search->decision.present_latency_s;
        report.flows = destination.search->decision.flows;
    }
    const bool repeated =
        destination.last_keep == reason && now_ - destination.last_keep_report < settings_.report.kept_period_s;
    if (!repeated) {
        destination.last_keep = reason;
        destination.last_keep_report = now_;
        emit(report);
    }
    destination.search.reset();
    destination.keep_backoff_s = std::clamp(2.0 * destination.keep_backoff_s, settings_.report.keep_backoff_s,
                                            settings_.report.keep_backoff_max_s);
    destination.next_search = now_ + destination.keep_backoff_s;
}

/// A false alarm.
void Controller::State::clear(HostId host) {
    Destination& destination = destinations_[host];
    destination.search.reset();
    destination.sockets.cleared(settings_.suspicion, now_);
    destination.keep_backoff_s = 0.0;
    destination.next_search = now_ + settings_.suspicion.backoff_min_s / 2.0;
}

/// Foreign traffic slows this path: the job's other pairs on the same bottleneck should look as well.
void Controller::State::tell_siblings(HostId host, const Search& search, CongestionLevel congestion_level) {
    if (congestion_level == CongestionLevel::low) return;
    const Pair path = path_to(host);
    // What others said is not said again: it would outlive its cause.
    const double counted_share = counted_s(search) > 0.0 && !search.by_rate ? foreign_part(host, search) : 0.0;
    for (HostId destination = 0; destination < hosts_; ++destination) {
        if (!other(destination) || destination == host || !sharing_.known()) continue;
        if (!sharing_.shares(path, path_to(destination))) continue;
        destinations_[destination].uses.congested();
        if (destinations_[destination].sockets.active(now_, settings_.suspicion)) {
            hear_foreign(destinations_[destination], counted_share);
            suspect(destination, Suspicion::delay);
        }
    }
    for (const LoadSnapshot::Source& told : search.loads_second.sources()) {
        if (!other(told.source) || !sharing_.known() || now_ < peers_[told.source].next_notice) continue;
        bool any = false;
        for (const wire::LoadEntry& entry : told.entries) {
            const Pair sibling{told.source, entry.destination};
            if (entry.relay != kNoHost || !valid(sibling, hosts_) || !sharing_.shares(path, sibling)) continue;
            send(told.source, wire::Notice{told.source, entry.destination, congestion_level,
                                           search.decision.queue_delay_s, counted_share});
            any = true;
        }
        if (any) peers_[told.source].next_notice = now_ + settings_.report.notice_period_s;
    }
}

/// Only as many pairs leave a bottleneck as it takes: where another goes first and the queue should drain then, this
/// one is judged again afterwards. Each pair is waited for once, for it may find no detour.
bool Controller::State::gives_way(HostId host, const Search& search) {
    Destination& destination = destinations_[host];
    if (now_ - destination.gave_way_at > settings_.own_load.told_s) destination.gave_way_to.clear();
    const std::optional<Pair> first = first_to_leave(host, search);
    if (!first) return false;
    destination.gave_way_to.push_back(*first);
    destination.gave_way_at = now_;
    keep(host, KeepReason::gives_way, kNoHost, 0.0, {});
    destination.keep_backoff_s = 0.0;
    destination.next_search = destination.next_relook = now_ + settings_.choice.settle_s;
    return true;
}

}  // namespace fairlead::core
