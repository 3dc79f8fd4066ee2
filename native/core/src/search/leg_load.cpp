// SPDX-License-Identifier: Apache-2.0
#include "search/leg_load.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr std::size_t kMostAsked = 32;
// What pairs have in flight varies by chance: another counts for more only if it sends much more at once.
constexpr std::uint64_t kMuchMore = 2;
}  // namespace

void LegLoad::ask(std::span<const HostId> relays, const LoadCount& count, Outbox& out) {
    const Job& job = parts_->job;
    const SharingRelation& sharing = parts_->paths.sharing();
    token_ = out.token();
    if (!sharing.known() || job.learns) return;
    std::vector<HostId> asked;
    const auto ask = [&](HostId source) {
        if (!job.other(source) || !parts_->peers.answers_loads(source) || asked.size() >= kMostAsked) return;
        if (count.asks(source) || std::ranges::find(asked, source) != asked.end()) return;
        asked.push_back(source);
        // Rates of half a second need no samples of their own, and those would shorten others' windows.
        out.send(source, wire::LoadQuery{token_, false});
    };
    for (const HostId relay : relays) {
        for (const Pair leg : {job.path_to(relay), Pair{relay, destination_}}) {
            if (asked.size() < kMostAsked) std::ranges::for_each(sharing.sources_sharing(leg), ask);
        }
    }
}

void LegLoad::take(HostId source, std::uint32_t token, bool asked_anyway, std::span<const wire::LoadEntry> entries,
                   Time now) {
    if (asked_anyway || token == token_) loads_.add(source, entries, now);
}

std::optional<Crowd> LegLoad::crowd(HostId relay) const {
    const Job& job = parts_->job;
    const double burst_bit = 8.0 * static_cast<double>(parts_->traffic.sockets(destination_).burst_B());
    const double direct_s = wait_s(job.path_to(destination_));
    std::optional<Crowd> found;
    for (const Pair leg : {job.path_to(relay), Pair{relay, destination_}}) {
        const std::optional<double> rate_bps = parts_->paths.base().throughput_bps(leg);
        if (!rate_bps) continue;
        const double own_s = burst_bit / *rate_bps;
        const double leg_s = wait_s(leg);
        if (own_s + leg_s <= job.settings.choice.crowding * (own_s + direct_s)) continue;
        const Crowd of_leg{burst_bit / (own_s + leg_s), leg_s - direct_s};
        if (!found || of_leg.expected_bps < found->expected_bps) found = of_leg;
    }
    return found;
}

/// For so long a message waits on a path if the job's other pairs send theirs at the same time, each at least as much
/// as this one: a pair that sends less often counts for less, and so does one on a wider link.
double LegLoad::wait_s(Pair path) const {
    const SocketWatch& own = parts_->traffic.sockets(destination_);
    double sum_s = 0.0;
    for (const LoadSnapshot::Source& source : loads_.sources()) {
        const double own_kBps = own.rate_of_late_kBps(source.at);
        for (const wire::LoadEntry& entry : source.entries) {
            const std::optional<double> link_bps = shared_bps(path, source.source, entry);
            if (!link_bps || *link_bps <= 0.0) continue;
            const double often = own_kBps > 0.0 ? std::min(1.0, entry.rate_kBps / own_kBps) : 1.0;
            const std::uint64_t burst_B = entry.burst_B > kMuchMore * own.burst_B() ? entry.burst_B : own.burst_B();
            sum_s += often * 8.0 * static_cast<double>(burst_B) / *link_bps;
        }
    }
    return sum_s;
}

/// Rate of the link that another pair's traffic shares with a path; nothing where it shares none or sends nothing.
std::optional<double> LegLoad::shared_bps(Pair path, HostId source, const wire::LoadEntry& entry) const {
    const Pair pair{source, entry.destination};
    if (pair == parts_->job.path_to(destination_) || entry.rate_kBps == 0) return std::nullopt;
    const Paths& paths = parts_->paths;
    const double narrow_bps = paths.base().throughput_bps(path).value_or(0.0);
    if (entry.relay == kNoHost) return paths.shared_bps(path, narrow_bps, pair);
    const auto first_bps = paths.shared_bps(path, narrow_bps, {source, entry.relay});
    return first_bps ? first_bps : paths.shared_bps(path, narrow_bps, {entry.relay, entry.destination});
}

}  // namespace fairlead::core
