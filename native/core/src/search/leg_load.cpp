// SPDX-License-Identifier: Apache-2.0
#include "search/leg_load.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr std::size_t kMostAsked = 32;
}  // namespace

void LegLoad::ask(std::span<const HostId> relays, Time now, Outbox& out) {
    const Job& job = parts_->job;
    const SharingRelation& sharing = parts_->paths.sharing();
    token_ = out.token();
    loads_.clear();
    if (!sharing.known() || job.learns) return;
    std::vector<HostId> asked{job.self};
    parts_->load_reports.ask(job.self, token_, now, out);
    const auto ask = [&](HostId source) {
        if (!job.other(source) || !parts_->peers.answers_loads(source) || asked.size() > kMostAsked) return;
        if (std::ranges::find(asked, source) != asked.end()) return;
        asked.push_back(source);
        out.send(source, wire::LoadQuery{token_});
    };
    for (const HostId relay : relays) {
        std::ranges::for_each(sharing.sources_sharing(job.path_to(relay)), ask);
        std::ranges::for_each(sharing.sources_sharing({relay, destination_}), ask);
    }
}

void LegLoad::take(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries, Time now) {
    if (token == token_) loads_.add(source, entries, now);
}

std::optional<double> LegLoad::expected_bps(HostId relay) const {
    const Job& job = parts_->job;
    const double on_direct = 1.0 + others(job.path_to(destination_));
    std::optional<double> least_bps;
    for (const Pair leg : {job.path_to(relay), Pair{relay, destination_}}) {
        const double on_leg = 1.0 + others(leg);
        const std::optional<double> rate_bps = parts_->paths.base().throughput_bps(leg);
        if (!rate_bps || on_leg < job.settings.choice.crowding * on_direct) continue;
        least_bps = std::min(least_bps.value_or(*rate_bps), *rate_bps / on_leg);
    }
    return least_bps;
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
    std::optional<double> link_bps = paths.shared_bps(path, pair);
    if (entry.relay != kNoHost) {
        link_bps = paths.shared_bps(path, {source, entry.relay});
        if (!link_bps) link_bps = paths.shared_bps(path, {entry.relay, entry.destination});
    }
    if (!link_bps || *link_bps <= 0.0) return 0.0;
    const double sends = own_kBps > 0.0 ? std::min(1.0, entry.rate_kBps / own_kBps) : 1.0;
    return sends * paths.base().throughput_bps(path).value_or(0.0) / *link_bps;
}

}  // namespace fairlead::core
