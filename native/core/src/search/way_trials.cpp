// SPDX-License-Identifier: Apache-2.0
#include "search/way_trials.hpp"

#include <algorithm>
#include <cmath>

#include "detours/way_queue.hpp"

namespace fairlead::core {

void WayTrials::ask(const AvoidedRelays& avoided, Time now, Outbox& out) {
    asked_at_ = next_round_ = now;
    rounds_ = 0;
    tried_.clear();
    known_ = parts_->relay_role.able() && parts_->peers.reachable(destination_) ? parts_->job.ways : 0;
    for (int number = 0; number < known_; ++number) {
        const HostId way = way_of(number);
        if (!avoided.avoids(way, now)) tried_.emplace_back().way = way;
    }
    advance(now, out);
}

void WayTrials::advance(Time now, Outbox& out) {
    if (empty() || all_sent() || now < next_round_) return;
    for (Tried& tried : tried_) {
        const wire::Echo echo{out.token(), parts_->job.self, destination_, tried.way, 0};
        out.emit(SendEcho{echo, true});
        tried.echoes.push_back({echo.token, now, std::nullopt});
    }
    ++rounds_;
    next_round_ = now + parts_->job.settings.echo.trial_s;
}

void WayTrials::note_left(const EchoLeft& left, Time now) {
    for (Tried& tried : tried_) {
        if (tried.way != left.relay) continue;
        for (Sent& sent : tried.echoes) {
            if (sent.token == left.token && !sent.answered) sent.at = now;
        }
    }
}

bool WayTrials::take(const wire::EchoReply& reply, Time now, std::optional<Time> free_departure) {
    if (reply.destination != destination_) return false;
    for (Tried& tried : tried_) {
        if (tried.way != reply.relay) continue;
        for (Sent& sent : tried.echoes) {
            if (sent.token != reply.token) continue;
            if (!sent.answered) sent.answered = echo_time(sent.at, free_departure, now);
            return true;
        }
    }
    return false;
}

bool WayTrials::complete(Time now) const {
    if (empty()) return true;
    if (!all_sent()) return false;
    const auto answered = [](const Tried& tried) {
        return std::ranges::all_of(tried.echoes, [](const Sent& sent) { return sent.answered.has_value(); });
    };
    return std::ranges::all_of(tried_, answered) || now >= deadline();
}

/// Where nothing came back at all, answers may queue on their way here.
Time WayTrials::deadline() const {
    const ChoiceSettings& choice = parts_->job.settings.choice;
    const double timeout_s = none_back() ? choice.query_extended_s : choice.query_timeout_s;
    Time last = asked_at_;
    for (const Tried& tried : tried_) {
        for (const Sent& sent : tried.echoes) last = std::max(last, sent.at);
    }
    return last + timeout_s;
}

std::optional<WayTrials::Queue> WayTrials::queue(const Tried& tried) const {
    double least_s = HUGE_VAL;
    double most_s = 0.0;
    std::size_t answered = 0;
    for (const Sent& sent : tried.echoes) {
        if (!sent.answered) continue;
        const double queue_s = way_queue_s(parts_->paths, destination_, *sent.answered, asked_at_);
        least_s = std::min(least_s, queue_s);
        most_s = std::max(most_s, queue_s);
        ++answered;
    }
    if (2 * answered <= tried.echoes.size()) return std::nullopt;
    return Queue{least_s, most_s};
}

std::vector<MeasuredCandidate> WayTrials::measure() const {
    std::vector<MeasuredCandidate> measured;
    const Pair path = parts_->job.path_to(destination_);
    for (const Tried& tried : tried_) {
        const std::optional<Queue> met = queue(tried);
        if (!met) continue;
        MeasuredCandidate& way = measured.emplace_back();
        way.first = {met->most_s, parts_->paths.probes().half_round_trip_s(destination_), true};
        way.candidate.relay = tried.way;
        way.candidate.usable = true;
        way.candidate.latency_s =
            direct_latency_s(parts_->paths.base(), path, way.first, parts_->traffic.mix(destination_))
                .value_or(met->most_s);
    }
    return measured;
}

std::vector<HostId> WayTrials::silent() const {
    std::vector<HostId> found;
    for (const Tried& tried : tried_) {
        const auto back = [](const Sent& sent) { return sent.answered.has_value(); };
        if (std::ranges::none_of(tried.echoes, back)) found.push_back(tried.way);
    }
    return found;
}

std::string WayTrials::told() const {
    const auto measured =
        std::ranges::count_if(tried_, [this](const Tried& tried) { return queue(tried).has_value(); });
    if (measured < known_) return std::to_string(measured) + " of " + std::to_string(known_) + " were measured";
    if (known_ == 1) return "the only one was measured";
    return std::string("all ").append(std::to_string(known_)).append(" were measured");
}

double WayTrials::standing_queue_s() const {
    double longest_s = 0.0;
    for (const Tried& tried : tried_) longest_s = std::max(longest_s, queue(tried).value_or(Queue{}).least_s);
    return longest_s;
}

Time WayTrials::next_due(Time now) const {
    if (empty()) return HUGE_VAL;
    if (!all_sent()) return next_round_;
    const Time end = deadline();
    return end > now ? end : HUGE_VAL;
}

}  // namespace fairlead::core
