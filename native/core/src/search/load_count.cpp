// SPDX-License-Identifier: Apache-2.0
#include "search/load_count.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace fairlead::core {

namespace {
constexpr std::size_t kMostAwaited = 32;
}  // namespace

void LoadCount::begin(Time now, Outbox& out) {
    counted_from_ = now;
    first_ = ask(now, out);
    count_until(now + parts_->job.settings.own_load.min_elapsed_s);
}

void LoadCount::begin_second(Time now, Outbox& out) {
    second_ = ask(now, out);
}

void LoadCount::count_until(Time until) {
    count_at_ = until;
    second_ = {};
}

LoadCount::Round LoadCount::ask(Time now, Outbox& out) {
    const Job& job = parts_->job;
    Round round;
    round.asked = true;
    round.token = out.token();
    round.deadline = now + job.settings.own_load.answer_timeout_s;
    round.awaited.assign(1, job.self);
    parts_->load_reports.ask(job.self, round.token, now, out);
    const auto ask = [&](HostId source) {
        if (!job.other(source) || !parts_->peers.answers_loads(source) || round.awaited.size() > kMostAwaited) return;
        if (std::ranges::find(round.awaited, source) != round.awaited.end()) return;
        round.awaited.push_back(source);
        out.send(source, wire::LoadQuery{round.token});
    };
    std::ranges::for_each(parts_->paths.sharing().sources_sharing(job.path_to(destination_)), ask);
    // Detours over this host: their sources may share nothing with the path themselves.
    for (const Pair& detoured : parts_->relay_role.granted()) {
        if (parts_->traffic.shared_bps(destination_, job.path_to(detoured.destination))) ask(detoured.source);
    }
    round.all = round.awaited;
    return round;
}

bool LoadCount::Round::take(HostId source, std::uint32_t of, std::span<const wire::LoadEntry> entries, Time now) {
    if (!asked || of != token) return false;
    loads.add(source, entries, now);
    std::erase(awaited, source);
    return true;
}

bool LoadCount::take(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries, Time now) {
    return first_.take(source, token, entries, now) || second_.take(source, token, entries, now);
}

std::vector<HostId> LoadCount::missing() const {
    std::vector<HostId> missing = second_.awaited;
    for (const LoadSnapshot::Source& source : second_.loads.sources()) {
        if (first_.loads.find(source.source) == nullptr) missing.push_back(source.source);
    }
    return missing;
}

bool LoadCount::count_again(const Evidence& found, Time now, Outbox& out) {
    const OwnLoadSettings& settings = parts_->job.settings.own_load;
    if (found.silent || recounts_ >= settings.max_recounts) return false;
    const double queue_s = parts_->paths.probes().forward(destination_, found.since).typical_s;
    if (queue_s < parts_->paths.threshold_s(destination_) && !found.by_rate) return false;
    const bool gaps = !missing().empty();
    if (!gaps && busy_s(found) >= settings.min_busy_s && !unsure(found, now)) return false;
    ++recounts_;
    if (gaps) {
        begin(now, out);
    } else {
        count_until(now + settings.min_elapsed_s);
    }
    return true;
}

/// Where a longer count shows more.
bool LoadCount::unsure(const Evidence& found, Time now) const {
    const Settings& settings = parts_->job.settings;
    const OwnLoadSettings& own = settings.own_load;
    const double counted = counted_s();
    const SocketWatch& sockets = parts_->traffic.sockets(destination_);
    // What is sent again takes its place in the queue, and is delivered only once.
    const bool losing = sockets.retransmits(now, settings.suspicion.shortfall_window_s) > 0;
    if (counted < own.brief_s && (losing || found.by_rate)) return true;
    if (found.by_rate) return false;
    const double share = std::max(foreign_share(found), parts_->traffic.told_foreign(destination_, now));
    if (share < own.brief_share && counted < own.brief_s) return true;
    if (share < own.foreign_share && counted < own.certain_s) return true;
    const double low_s = parts_->paths.probes().forward(destination_, found.since).low_s;
    const bool broken = low_s < parts_->paths.threshold_s(destination_);
    // Its bytes in flight wait behind a lost segment, and will all be acknowledged at once.
    const bool stands_still = std::ranges::any_of(flows(), [&](const OwnFlow& flow) {
        return flow.pair == parts_->job.path_to(destination_) && flow.size_B == 0;
    });
    return (broken || stands_still) && counted < own.broken_s;
}

/// After the last of the first reports (late ones are replaced by earlier counters) until this host's second.
double LoadCount::counted_s() const {
    const HostId self = parts_->job.self;
    const LoadSnapshot::Source* end = second_.loads.find(self);
    if (end == nullptr) return 0.0;
    Time begin = counted_from_;
    for (const LoadSnapshot::Source& source : first_.loads.sources()) {
        const bool late = source.at - counted_from_ > parts_->job.settings.own_load.late_answer_s;
        if (source.source == self || !late) begin = std::max(begin, source.at);
    }
    return std::max(0.0, end->at - begin);
}

/// How long the queue is known to have stood meanwhile: only where probes prove it, between them the job's own bursts
/// may come and go.
double LoadCount::busy_s(const Evidence& found) const {
    const double counted = counted_s();
    const LoadSnapshot::Source* end = second_.loads.find(parts_->job.self);
    if (end == nullptr || found.by_rate) return counted;
    return parts_->paths.probes().standing_s(destination_, end->at - counted, end->at);
}

double LoadCount::foreign_share(const Evidence& found) const {
    return core::foreign_share(own_load_s(flows()), busy_s(found));
}

std::vector<OwnFlow> LoadCount::flows() const {
    const auto shared = [&](Pair pair) { return parts_->traffic.shared_bps(destination_, pair); };
    return own_flows(shared, first_.loads, second_.loads, counted_from_, parts_->job.settings.own_load.late_answer_s);
}

std::vector<FlowRate> LoadCount::largest_flows() const {
    constexpr std::size_t kMostFlows = 16;
    const double counted = counted_s();
    std::vector<OwnFlow> found = flows();
    std::erase_if(found, [&](const OwnFlow& flow) {
        const auto passes = [&](Pair pair) {
            return parts_->paths.sharing().hurts(parts_->job.path_to(destination_), pair);
        };
        const HostId relay = flow.relay;
        const bool there = relay == kNoHost
                               ? passes(flow.pair)
                               : passes({flow.pair.source, relay}) || passes({relay, flow.pair.destination});
        return !there || flow.size_B == 0;
    });
    std::ranges::sort(found, std::greater<>{}, &OwnFlow::size_B);
    std::vector<FlowRate> rates;
    for (const OwnFlow& flow : found) {
        if (rates.size() == kMostFlows || counted <= 0.0) break;
        rates.push_back({flow.pair, flow.relay, 8.0 * static_cast<double>(flow.size_B) / counted});
    }
    return rates;
}

Time LoadCount::next_due(Time now) const {
    Time next = HUGE_VAL;
    for (const Time due : {second_.asked ? HUGE_VAL : count_at_, first_.deadline, second_.deadline}) {
        if (due > now) next = std::min(next, due);
    }
    return next;
}

}  // namespace fairlead::core
