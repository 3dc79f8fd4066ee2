// SPDX-License-Identifier: Apache-2.0
#include "search/candidate_queries.hpp"

#include <algorithm>

namespace fairlead::core {

void CandidateQueries::ask(std::size_t turn, const AvoidedRelays& avoided, Time now, Random& random, Outbox& out) {
    asked_at_ = now;
    std::vector<Candidate> all = eligible(avoided, now);
    path_groups_ = parts_->paths.sharing().path_groups(parts_->job.path_to(destination_));
    draw(all, turn, random);
    const HostId present = parts_->traffic.relay(destination_);
    if (parts_->job.other(present)) asked_.emplace_back().relay = present;
    for (const Candidate& candidate : all) asked_.emplace_back().relay = candidate.relay;
    for (Asked& asked : asked_) {
        asked.token = out.token();
        out.send(asked.relay, wire::PathQuery{asked.token, destination_});
        asked.first_burst = parts_->paths.probes().burst(asked.relay, now, out.actions());
    }
}

std::vector<Candidate> CandidateQueries::eligible(const AvoidedRelays& avoided, Time now) const {
    const Job& job = parts_->job;
    const ProbeDesk& probes = parts_->paths.probes();
    std::vector<bool> eligible(job.hosts, false);
    for (HostId relay = 0; relay < job.hosts; ++relay) {
        eligible[relay] = parts_->relay_role.able() && job.other(relay) && parts_->peers.may_relay(relay, now) &&
                          parts_->peers.reachable(destination_) && !avoided.avoids(relay, now) &&
                          relay != parts_->traffic.relay(destination_);
    }
    const auto state = [&](Pair leg) {
        LegState known;
        if (leg.source == job.self) {
            known.queue_delay_s =
                probes.forward(leg.destination, now - job.settings.congestion_level.window_s).typical_s;
            known.half_round_trip_s = probes.half_round_trip_s(leg.destination);
        }
        return known;
    };
    std::vector<Candidate> all = candidates(job.path_to(destination_), parts_->paths.base(), parts_->paths.sharing(),
                                            state, parts_->traffic.mix(destination_), eligible, job.settings.choice);
    std::erase_if(all, [](const Candidate& c) { return !c.usable; });
    return all;
}

/// Of those about as good as the best a random few, so that many sources with the same table do not all ask the same
/// relays.
void CandidateQueries::draw(std::vector<Candidate>& all, std::size_t turn, Random& random) const {
    const ChoiceSettings& choice = parts_->job.settings.choice;
    const auto limit = static_cast<std::size_t>(choice.max_queries);
    if (all.size() <= limit) return;
    const double good_s = (1.0 + choice.good_within) * all.front().latency_s;
    std::vector<std::size_t> path_groups;
    for (const Candidate& c : all) {
        if (c.latency_s <= good_s) path_groups.push_back(path_groups_[c.relay]);
    }
    const auto good = static_cast<std::ptrdiff_t>(path_groups.size());
    for (std::size_t left = path_groups.size(); left > 1; --left) std::swap(all[left - 1], all[random.below(left)]);
    // Half of those asked are in the path group that would be taken, the others may show that it is not good today.
    const std::size_t path_group = path_group_in_turn(path_groups, turn);
    const auto others = std::stable_partition(all.begin(), all.begin() + good,
                                              [&](const Candidate& c) { return path_groups_[c.relay] == path_group; });
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(limit / 2);
    if (half < others) std::rotate(half, others, all.begin() + good);
    all.resize(limit);
}

void CandidateQueries::take(HostId relay, const wire::PathReport& report, Time now) {
    for (Asked& asked : asked_) {
        if (asked.relay != relay || asked.token != report.token || asked.answered) continue;
        asked.answered = true;
        asked.answered_at = now;
        asked.second = leg_of(report);
        asked.load = report.load;
    }
}

bool CandidateQueries::complete(Time now) const {
    bool all = true;
    bool any = false;
    for (const Asked& asked : asked_) {
        const auto first = parts_->paths.probes().find(asked.relay, asked.first_burst);
        const bool both = asked.answered && (!first || first->done);
        all = all && both;
        any = any || both;
    }
    const ChoiceSettings& choice = parts_->job.settings.choice;
    return all || now >= asked_at_ + (any ? choice.query_timeout_s : choice.query_extended_s);
}

/// Whether the direct path was still being probed when this relay's answer came. A burst of the job's own that ended in
/// between would make any detour look better.
bool CandidateQueries::in_time(const Evidence& found, const Asked& asked) const {
    if (found.silent || found.by_rate || parts_->traffic.detoured(destination_)) return true;
    // A leg that is slow itself cannot look too good.
    if (asked.second.queue_delay_s >= parts_->paths.threshold_s(destination_)) return true;
    const DelayWindow::Summary seen = parts_->paths.probes().forward(destination_, asked_at_);
    return asked.answered_at - seen.newest_sent_at <= 2.0 * parts_->job.settings.probes.spacing_s;
}

bool CandidateQueries::any_in_time(const Evidence& found) const {
    return std::ranges::any_of(asked_, [&](const Asked& asked) { return asked.answered && in_time(found, asked); });
}

std::vector<HostId> CandidateQueries::relays() const {
    std::vector<HostId> all;
    for (const Asked& asked : asked_) all.push_back(asked.relay);
    return all;
}

std::vector<MeasuredCandidate> CandidateQueries::measure(const Evidence& found) const {
    std::vector<MeasuredCandidate> all;
    for (const Asked& asked : asked_) all.push_back(measured(found, asked));
    return all;
}

MeasuredCandidate CandidateQueries::measured(const Evidence& found, const Asked& asked) const {
    const Job& job = parts_->job;
    const SharingRelation& sharing = parts_->paths.sharing();
    const Pair path = job.path_to(destination_);
    const Pair leg1 = job.path_to(asked.relay);
    const Pair leg2{asked.relay, destination_};
    MeasuredCandidate m;
    m.first = parts_->paths.state(asked.relay, asked_at_);
    const auto burst = parts_->paths.probes().find(asked.relay, asked.first_burst);
    if (burst && burst->done && 2 * burst->answered < burst->sent) m.first.usable = false;
    m.second = asked.second;
    m.second.usable = asked.answered && asked.second.usable && in_time(found, asked);
    m.load = asked.load;
    m.candidate.relay = asked.relay;
    m.candidate.weight = std::max(sharing.weight(leg1), sharing.weight(leg2));
    m.candidate.leg_shares = sharing.known() ? sharing.shares(path, leg1) || sharing.shares(path, leg2) : job.learns;
    m.candidate.path_group = path_groups_[asked.relay];
    const auto latency_s = detour_latency_s(parts_->paths.base(), path, asked.relay, m.first, m.second,
                                            parts_->traffic.mix(destination_), job.settings.choice);
    m.candidate.usable = latency_s.has_value();
    m.candidate.latency_s = latency_s.value_or(0.0);
    return m;
}

}  // namespace fairlead::core
