// SPDX-License-Identifier: Apache-2.0
#include "search/search.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::core {

namespace {
// In which segments that were lost show that a slow connection is congested.
constexpr double kLosing_s = 0.5;
}  // namespace

Search::Search(const SearchParts& parts, HostId destination, Suspicion why, Time now)
    : parts_(&parts),
      destination_(destination),
      why_(why),
      candidates_(parts, destination),
      ways_(parts, destination),
      count_(parts, destination),
      leg_load_(parts, destination) {
    found_.since = now;
    decision_.suspected_at = now;
}

void Search::begin(Time now, Outbox& out) {
    look_directly(now, out);
    if (why_ == Suspicion::delay && parts_->traffic.sockets(destination_).grown(parts_->job.settings)) {
        count_.begin(now, out);
    }
}

void Search::resume(HostId relay, Time now, Outbox& out) {
    decision_.again = true;
    decision_.confirmed_at = now;
    Choice choice;
    choice.relay = relay;
    ask_relay(choice, now, out);
}

void Search::look_directly(Time now, Outbox& out) {
    direct_burst_ = parts_->paths.probes().burst(destination_, now, out.actions());
}

Search::Step Search::advance(Time now, Outbox& out) {
    switch (phase_) {
        case Phase::look:
            return look(now, out);
        case Phase::query:
            return wait_for_answers(now, out);
        case Phase::ask:
            if (ask_->overdue(now)) return Step::refused;
            ask_->advance(now, out);
            return Step::waiting;
    }
    return Step::waiting;
}

/// Two high probes are enough to begin measuring candidates; the direct path goes on being probed meanwhile, and all
/// its samples together are judged.
Search::Step Search::look(Time now, Outbox& out) {
    const Settings& settings = parts_->job.settings;
    const auto burst = parts_->paths.probes().find(destination_, direct_burst_);
    if (!burst) return Step::no_queue;
    const DelayWindow::Summary seen = this->seen();
    const double threshold_s = parts_->paths.threshold_s(destination_);
    const bool high = seen.samples > 0 && seen.typical_s >= threshold_s;
    if (high && (seen.samples >= 2 || burst->done)) return Step::queue;
    if (!burst->done) return Step::waiting;
    if (!burst->silent() && seen.most_s >= threshold_s && seen.samples <= settings.probes.burst) {
        // Some probes queued, some did not: others' bursts look like this, and so does noise.
        look_directly(now, out);
        return Step::waiting;
    }
    const SocketWatch& sockets = parts_->traffic.sockets(destination_);
    const auto believable = static_cast<std::uint64_t>(settings.suspicion.shortfall_retransmits);
    const bool losing = sockets.retransmits(now, settings.suspicion.shortfall_window_s) >= believable;
    found_.run_delay_s = std::max(found_.run_delay_s, burst->run_delay_s);
    if (burst->silent()) {
        // Only believed if the ranks' own bytes do not get through either.
        found_.silent = sockets.stalled();
        return found_.silent ? Step::queue : Step::no_queue;
    }
    found_.by_rate = why_ == Suspicion::shortfall && losing && found_.run_delay_s < settings.probes.extend_run_delay_s;
    return found_.by_rate ? Step::queue : Step::no_queue;
}

void Search::query(std::size_t turn, const AvoidedRelays& avoided, Time now, Random& random, Outbox& out) {
    phase_ = Phase::query;
    candidates_.ask(turn, avoided, now, random, out);
    ways_.ask(avoided, now, out);
    if (candidates_.empty() && ways_.empty()) return;
    look_directly(now, out);
    if (!count_.begun()) count_.begin(now, out);
    leg_load_.ask(candidates_.relays(), count_, out);
}

bool Search::query_ways(const AvoidedRelays& avoided, Time now, Outbox& out) {
    phase_ = Phase::query;
    found_.unseen = true;
    ways_.ask(avoided, now, out);
    return !ways_.empty();
}

/// Waits for the candidates, the direct path and the job's own bytes, which are counted side by side: on a congested
/// path each question takes as long as the queue.
Search::Step Search::wait_for_answers(Time now, Outbox& out) {
    ways_.advance(now, out);
    if (found_.unseen) {
        keep_probing(now, out);  // for what answers queue for
        return ways_.complete(now) ? Step::measured : Step::waiting;
    }
    if (candidates_.empty() && ways_.empty()) return direct_ready(now) ? Step::measured : Step::waiting;
    keep_probing(now, out);
    if (count_.second_due(now)) count_.begin_second(now, out);
    const bool asked = candidates_.complete(now) && ways_.complete(now);
    const bool answered = asked && direct_ready(now) && count_.complete(now);
    if (!answered || now < extended_until_ || extend(now) || count_.count_again(found_, now, out)) return Step::waiting;
    return Step::measured;
}

/// The direct path is probed without a break until the decision: what is compared shall be of the same time.
void Search::keep_probing(Time now, Outbox& out) {
    if (found_.silent) return;
    const auto burst = parts_->paths.probes().find(destination_, direct_burst_);
    const double spacing_s = parts_->job.settings.probes.spacing_s;
    if (burst && !burst->done && now < burst->started + burst->sent * spacing_s) return;
    if (burst) found_.run_delay_s = std::max(found_.run_delay_s, burst->run_delay_s);
    look_directly(now, out);
}

bool Search::enough(const DelayWindow::Summary& seen) const {
    const CongestionLevelSettings& settings = parts_->job.settings.congestion_level;
    return seen.samples >= settings.min_samples && seen.span_s >= settings.min_span_s;
}

bool Search::direct_ready(Time now) const {
    const ChoiceSettings& choice = parts_->job.settings.choice;
    const Time asked_at = candidates_.asked_at();
    if (found_.silent || now >= asked_at + choice.query_extended_s) return true;
    if (!enough(seen())) return false;
    return parts_->paths.probes().forward(destination_, asked_at).samples > 0 ||
           now >= asked_at + choice.query_timeout_s;
}

/// Whether the window must grow first: a delay of the scheduler can fill a window no longer than itself. Where only the
/// newest answer of the direct path is too old, its next one is enough.
bool Search::extend(Time now) {
    const Settings& settings = parts_->job.settings;
    if (found_.silent || extensions_ >= settings.probes.max_extensions) return false;
    if (const auto burst = parts_->paths.probes().find(destination_, direct_burst_)) {
        found_.run_delay_s = std::max(found_.run_delay_s, burst->run_delay_s);
    }
    const DelayWindow::Summary seen = this->seen();
    const bool noisy = found_.run_delay_s >= settings.probes.extend_run_delay_s &&
                       seen.span_s < found_.run_delay_s + settings.congestion_level.min_span_s;
    const bool already_low = seen.samples > 0 && seen.typical_s < parts_->paths.threshold_s(destination_);
    const bool thin = !enough(seen) || noisy;
    const bool in_time = candidates_.empty() || candidates_.any_in_time(found_);
    if (already_low || (!thin && in_time)) return false;
    ++extensions_;
    extended_until_ = now + (thin ? settings.probes.burst : 1) * settings.probes.spacing_s;
    if (thin) count_.count_until(extended_until_);
    return true;
}

/// The share of others from which on a queue is congestion.
double Search::needed_share(const DelayWindow::Summary& seen) const {
    const Settings& settings = parts_->job.settings;
    if (found_.by_rate) return 1.0 - 1.0 / settings.suspicion.rate_factor;
    const OwnLoadSettings& own = settings.own_load;
    const bool broken = seen.low_s < parts_->paths.threshold_s(destination_);
    return broken ? std::max(own.foreign_share, own.broken_share) : own.foreign_share;
}

Search::Verdict Search::judge(Time now) {
    const Job& job = parts_->job;
    const DelayWindow::Summary seen = this->seen();
    const double threshold_s = parts_->paths.threshold_s(destination_);
    const bool standing = enough(seen) && seen.typical_s >= threshold_s;
    if (!standing && !found_.silent && !found_.by_rate) return Verdict::no_queue;

    decision_.confirmed_at = now;
    decision_.ahead = why_ == Suspicion::pattern;
    decision_.queue_delay_s = seen.typical_s;
    decision_.foreign_share =
        found_.silent ? 1.0 : std::max(count_.foreign_share(found_), parts_->traffic.told_foreign(destination_, now));
    decision_.flows = count_.largest_flows();
    // Bytes of a host that did not answer may explain the queue: rather later than wrongly.
    if (!found_.silent && !count_.missing().empty()) return Verdict::no_answer;
    const double achieved_bps = found_.by_rate ? parts_->traffic.rate_bps(destination_, now) : 0.0;
    const LegState direct{seen.typical_s, parts_->paths.probes().half_round_trip_s(destination_), !found_.silent};
    const auto latency_s = direct_latency_s(parts_->paths.base(), job.path_to(destination_), direct,
                                            parts_->traffic.mix(destination_), achieved_bps);
    present_ = PresentPath{latency_s.value_or(seen.typical_s), seen.typical_s, threshold_s, found_.silent};
    present_.service_bps = parts_->traffic.sockets(destination_).service_of_late_bps(now);
    decision_.present_latency_s = present_.latency_s;
    const double needed = needed_share(seen);
    if (decision_.foreign_share >= needed) return Verdict::congested;
    const bool sure = decision_.foreign_share < job.settings.own_load.sure_share * needed;
    return sure ? Verdict::own_load : Verdict::maybe_own_load;
}

Search::Verdict Search::judge_unseen(Time now) {
    const Job& job = parts_->job;
    const SocketWatch& sockets = parts_->traffic.sockets(destination_);
    if (sockets.slow_for_s(now) < job.settings.ways.slow_s) return Verdict::no_queue;
    // The pair's own messages make its round trips a little longer, on any path.
    const double high_s = parts_->paths.leave_threshold_s(destination_);
    if (sockets.excess_s() < high_s) return Verdict::no_queue;
    const auto believable = static_cast<std::uint64_t>(job.settings.suspicion.shortfall_retransmits);
    const bool losing = sockets.retransmits(now, kLosing_s) >= believable;
    if (!losing && ways_.standing_queue_s() < high_s) return Verdict::no_queue;
    decision_.unseen = true;
    decision_.confirmed_at = now;
    decision_.queue_delay_s = sockets.excess_s();
    const LegState direct{decision_.queue_delay_s, parts_->paths.probes().half_round_trip_s(destination_), true};
    const auto latency_s =
        direct_latency_s(parts_->paths.base(), job.path_to(destination_), direct, parts_->traffic.mix(destination_));
    present_ = PresentPath{latency_s.value_or(decision_.queue_delay_s), decision_.queue_delay_s,
                           parts_->paths.threshold_s(destination_), false};
    present_.service_bps = sockets.service_of_late_bps(now);
    decision_.present_latency_s = present_.latency_s;
    return Verdict::congested;
}

void Search::measure() {
    measured_ways_ = ways_.measure();
    measured_ = candidates_.measure(found_);
    for (MeasuredCandidate& m : measured_) m.crowd = leg_load_.crowd(m.candidate.relay);
}

Search::Verdict Search::judge_detour(bool direct_low, Time now) {
    measure();
    const HostId relay = parts_->traffic.relay(destination_);
    const auto answered = [](const MeasuredCandidate& m) {
        return m.candidate.usable && m.first.usable && m.second.usable;
    };
    const auto present =
        std::ranges::find_if(measured_, [&](const MeasuredCandidate& m) { return m.candidate.relay == relay; });
    // Whether the relay lives is for the heartbeats to tell.
    if (present == measured_.end() || !answered(*present)) return Verdict::not_slow;
    const double queue_s = present->first.queue_delay_s + present->second.queue_delay_s;
    if (queue_s < parts_->paths.leave_threshold_s(destination_)) return Verdict::not_slow;
    const double threshold_s = parts_->paths.threshold_s(destination_);
    decision_.confirmed_at = now;
    decision_.queue_delay_s = queue_s;
    decision_.foreign_share = 1.0;
    decision_.before = relay;
    present_ = PresentPath{present->candidate.latency_s, queue_s, threshold_s, false};
    decision_.present_latency_s = present_.latency_s;
    measured_.erase(present);

    const ChoiceSettings& choice = parts_->job.settings.choice;
    const LegState direct = parts_->paths.state(destination_, candidates_.asked_at());
    const auto direct_s = direct_latency_s(parts_->paths.base(), parts_->job.path_to(destination_), direct,
                                           parts_->traffic.mix(destination_));
    double best_s = (1.0 - choice.margin) * present_.latency_s - choice.min_gain_s;
    for (const MeasuredCandidate& m : measured_) {
        if (answered(m)) best_s = std::min(best_s, m.candidate.latency_s);
    }
    // A direct path that is not low would be left again at once; bulk fills its detour by itself. One look is not
    // enough: a queue of few streams is empty for a third of the time.
    const bool back = direct_low && direct.usable && direct.queue_delay_s < threshold_s;
    return back && direct_s && *direct_s <= best_s ? Verdict::direct_better : Verdict::congested;
}

Choice Search::choose(std::size_t turn, Random& random) const {
    const ChoiceSettings& settings = parts_->job.settings.choice;
    const Choice way = core::choose(measured_ways_, present_, 0, settings, random);
    if (way.relay != kNoHost || found_.unseen) return way;
    Choice choice = core::choose(measured_, present_, turn, settings, random);
    if (choice.relay != kNoHost) return choice;
    if (measured_.empty() && any_refused_) {
        choice.reason = any_broken_ ? KeepReason::not_carried : KeepReason::refused;
    } else if (ways_.known() > 0) {
        tell_of_ways(way, choice);
    }
    return choice;
}

/// Neither a way nor a relay is better: with no relay to ask, not even the one in use, the ways are the reason.
void Search::tell_of_ways(const Choice& way, Choice& choice) const {
    if (way.best != kNoHost && (choice.best == kNoHost || way.latency_s < choice.latency_s)) {
        choice.best = way.best;
        choice.latency_s = way.latency_s;
    }
    if (!candidates_.empty()) return;
    choice.reason = KeepReason::no_better_way;
    if (ways_.none_back()) choice.reason = present_.silent ? KeepReason::destination_silent : KeepReason::not_carried;
}

/// From which rate on a detour is worth sharing a relay that has no room left; 0: it is not known to be.
double Search::least_bps() const {
    const bool shared_before = decision_.again;
    if (present_.silent || shared_before) return parts_->job.settings.relay.request_min_bps;
    return (1.0 + parts_->job.settings.choice.crowded_margin) * present_.service_bps;
}

void Search::ask_relay(const Choice& choice, Time now, Outbox& out) {
    phase_ = Phase::ask;
    decision_.detour_latency_s = choice.latency_s;
    decision_.destination = destination_;
    decision_.relay = choice.relay;
    ask_.emplace(parts_->job, destination_, choice.relay, parts_->traffic.sockets(destination_).peak_rate_bps(),
                 least_bps(), now, out);
}

void Search::drop_relay(Outbox& out) {
    any_refused_ = true;
    any_broken_ = any_broken_ || relay_broken();
    // It may have granted after all, and the grant may still come.
    if (!is_way(decision_.relay)) out.send(decision_.relay, wire::RelayRelease{destination_});
    const auto dropped = [&](const MeasuredCandidate& m) { return m.candidate.relay == decision_.relay; };
    std::erase_if(measured_, dropped);
    std::erase_if(measured_ways_, dropped);
}

Time Search::next_due(Time now) const {
    if (phase_ == Phase::ask) return ask_->next_due();
    if (phase_ == Phase::look) return HUGE_VAL;
    Time next = std::min(count_.next_due(now), ways_.next_due(now));
    if (found_.unseen) return next;
    if (extended_until_ > now) next = std::min(next, extended_until_);
    const ChoiceSettings& choice = parts_->job.settings.choice;
    for (const double after_s : {choice.query_timeout_s, choice.query_extended_s}) {
        if (const Time due = candidates_.asked_at() + after_s; due > now) next = std::min(next, due);
    }
    return next;
}

}  // namespace fairlead::core
