// SPDX-License-Identifier: Apache-2.0
#include "search/leg_load.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr std::size_t kMostAsked = 32;
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
    const double on_direct = others(job.path_to(destination_));
    const double burst_bit = 8.0 * static_cast<double>(parts_->traffic.sockets(destination_).burst_B());
    std::optional<Crowd> found;
    for (const Pair leg : {job.path_to(relay), Pair{relay, destination_}}) {
        const double on_leg = others(leg);
        const std::optional<double> rate_bps = parts_->paths.base().throughput_bps(leg);
        if (!rate_bps || 1.0 + on_leg < job.settings.choice.crowding * (1.0 + on_direct)) continue;
        const Crowd of_leg{*rate_bps / (1.0 + on_leg), (on_leg - on_direct) * burst_bit / *rate_bps};
        if (!found || of_leg.expected_bps < found->expected_bps) found = of_leg;
    }
    return found;
}

/// How many pairs like this one the job's others on a path are: one that sends less counts for less, and so does one
/// on a wider link.
double LegLoad::others(Pair path) const {
    double sum = 0.0;
    for (const LoadSnapshot::Source& source : loads_.sources()) {
        const double own_kBps = parts_->traffic.sockets(destination_).rate_of_late_kBps(source.at);
        for (const wire::LoadEntry& entry : source.entries) sum += share_of(path, source.source, entry, own_kBps);
    }
    return sum;
}

double LegLoad::share_of(Pair path, HostId source, const wire::LoadEntry& entry, double own_kBps) const {
    const Pair pair{source, entry.destination};
    if (pair == parts_->job.path_to(destination_) || entry.rate_kBps == 0) return 0.0;
    const Paths& paths = parts_->paths;
    const double narrow_bps = paths.base().throughput_bps(path).value_or(0.0);
    std::optional<double> link_bps = paths.shared_bps(path, narrow_bps, pair);
    if (entry.relay != kNoHost) {
        link_bps = paths.shared_bps(path, narrow_bps, {source, entry.relay});
        if (!link_bps) link_bps = paths.shared_bps(path, narrow_bps, {entry.relay, entry.destination});
    }
    if (!link_bps || *link_bps <= 0.0) return 0.0;
    const double sends = own_kBps > 0.0 ? std::min(1.0, entry.rate_kBps / own_kBps) : 1.0;
    return sends * narrow_bps / *link_bps;
}

}  // namespace fairlead::core
