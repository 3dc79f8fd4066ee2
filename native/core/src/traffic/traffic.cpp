// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::core {

namespace {
constexpr double kFastest_bps = 1e15;
constexpr double kMost_kBps = 4e9;
constexpr std::uint64_t kMostBurst_B = 4'000'000'000;
}  // namespace

Suspicion Traffic::on_sample(const SocketSample& sample, Time now) {
    partners_.insert(sample.peer);
    OfPair& pair = pairs_[sample.peer];
    const Pair path = job_.path_to(sample.peer);
    const double base_bps = job_.learns ? 0.0 : paths_.base().throughput_bps(path).value_or(0.0);
    const double round_trip_s = paths_.base_latency_s(path) + paths_.base_latency_s({sample.peer, job_.self});
    const bool in_use = active(sample.peer, now);
    const Suspicion suspicion = pair.sockets.on_sample(sample, round_trip_s, base_bps, job_.settings, now);
    if (!in_use && active(sample.peer, now)) pair.uses.begins(now);
    learn_rate(pair, sample);
    return suspicion;
}

/// The highest rate at which a burst was delivered stands in for the rate of the path's narrowest link, and the highest
/// of all paths for that of the host's own.
void Traffic::learn_rate(OfPair& pair, const SocketSample& sample) {
    if (!job_.learns || pair.relay != kNoHost || !std::isfinite(sample.delivery_bps)) return;
    pair.delivery_bps = std::max(pair.delivery_bps, std::min(sample.delivery_bps, kFastest_bps));
    link_bps_ = std::max(link_bps_, pair.delivery_bps);
}

void Traffic::on_tick(Time now) {
    if (!job_.learns) return;
    double sum_bps = 0.0;
    for (const HostId host : partners_) sum_bps += rate_bps(host, now);
    link_bps_ = std::max(link_bps_, sum_bps);
}

void Traffic::hear_foreign(HostId host, double foreign_share, Time now) {
    if (foreign_share <= 0.0) return;
    pairs_[host].told_foreign = foreign_share;
    pairs_[host].told_foreign_at = now;
}

double Traffic::told_foreign(HostId host, Time now) const {
    const OfPair& pair = pairs_[host];
    return now - pair.told_foreign_at <= job_.settings.own_load.told_s ? pair.told_foreign : 0.0;
}

std::span<const SizeShare> Traffic::mix(HostId host) const {
    const std::vector<SizeShare>& mix = pairs_[host].mix;
    if (mix.empty()) return default_mix();
    return mix;
}

bool Traffic::active(HostId host, Time now) const {
    return pairs_[host].sockets.active(now, job_.settings.suspicion);
}

int Traffic::pairs_in_use(Time now) const {
    return static_cast<int>(std::ranges::count_if(partners_, [&](HostId host) { return active(host, now); }));
}

double Traffic::rate_bps(HostId host, Time now) const {
    return pairs_[host].sockets.rate_bps(now, job_.settings.own_load.window_s);
}

double Traffic::bottleneck_bps(HostId host) const {
    if (const auto known = paths_.base().throughput_bps(job_.path_to(host))) return *known;
    return std::max(pairs_[host].delivery_bps, pairs_[host].sockets.best_rate_bps());
}

std::optional<double> Traffic::shared_bps(HostId host, Pair pair) const {
    const Pair path = job_.path_to(host);
    const double own_bps = bottleneck_bps(host);
    // Where bottlenecks are not known, pairs of one end share the link of that host.
    if (job_.learns && pair != path && paths_.sharing().hurts(path, pair)) return std::max(link_bps_, own_bps);
    return paths_.shared_bps(path, own_bps, pair);
}

double Traffic::own_share(HostId host, Time now) const {
    double share = 0.0;
    for (const HostId to : partners_) {
        if (detoured(to)) continue;
        const double link_bps = shared_bps(host, job_.path_to(to)).value_or(0.0);
        if (link_bps > 0.0) share += pairs_[to].sockets.rate_bps(now, job_.settings.own_load.fill_window_s) / link_bps;
    }
    return share;
}

bool Traffic::fills_path(HostId host, Time now) const {
    return own_share(host, now) >= 1.0 - job_.settings.own_load.foreign_share;
}

std::uint64_t Traffic::delivered_B() const {
    std::uint64_t sum_B = 0;
    for (const HostId host : partners_) sum_B += pairs_[host].sockets.last_delivered_B();
    return sum_B;
}

std::vector<wire::LoadEntry> Traffic::load_entries(Time now) const {
    std::vector<wire::LoadEntry> entries;
    for (const HostId host : partners_) {
        const SocketWatch& sockets = pairs_[host].sockets;
        if (sockets.last_delivered_B() == 0) continue;
        wire::LoadEntry entry;
        entry.destination = host;
        // On another equal-cost path it may load the same links of hosts: rather counted than missed.
        entry.relay = is_way(pairs_[host].relay) ? kNoHost : pairs_[host].relay;
        entry.delivered_B = sockets.last_delivered_B();
        entry.earlier_B = sockets.delivered_before_B(now, job_.settings.own_load.earlier_s);
        // What was under way before the sockets were silent is not any more.
        if (active(host, now)) entry.in_flight_B = sockets.in_flight_B();
        entry.rate_kBps = static_cast<std::uint32_t>(std::round(std::min(kMost_kBps, sockets.rate_of_late_kBps(now))));
        entry.burst_B = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostBurst_B, sockets.burst_B()));
        entries.push_back(entry);
    }
    if (entries.size() > wire::kMaxLoadEntries) {
        std::ranges::stable_sort(entries, [](const wire::LoadEntry& a, const wire::LoadEntry& b) {
            return a.delivered_B > b.delivered_B;  // an order that lasts: two reports shall list the same
        });
        entries.resize(wire::kMaxLoadEntries);
    }
    return entries;
}

}  // namespace fairlead::core
