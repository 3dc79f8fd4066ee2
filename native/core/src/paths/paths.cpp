// SPDX-License-Identifier: Apache-2.0
#include "paths/paths.hpp"

#include <algorithm>
#include <utility>

namespace fairlead::core {

namespace {
constexpr std::uint64_t kSmallest_B = 1;  // probes stand for the smallest message
}  // namespace

LegState leg_of(const wire::PathReport& report) {
    return {report.queue_delay_s, report.half_round_trip_s, report.received > 0 && 2 * report.received >= report.sent};
}

Paths::Paths(const Job& job, BaseTable base, SharingRelation sharing)
    : job_(job), base_(std::move(base)), sharing_(std::move(sharing)), probes_(job.self, job.hosts, job.settings) {
    for (HostId peer = 0; peer < job_.hosts; ++peer) {
        const auto throughput_bps = base_.throughput_bps(job_.path_to(peer));
        if (!throughput_bps) continue;
        probes_.set_price(peer, std::max(1.0, job_.settings.probes.full_rate_bps / *throughput_bps));
    }
}

void Paths::set_sharing(const SharingRelation& sharing) {
    if (sharing.host_count() == job_.hosts) sharing_ = sharing;
}

void Paths::set_latency(HostId destination, double latency_s, Time now) {
    base_.set_latency(job_.path_to(destination), kSmallest_B, latency_s, now);
}

double Paths::base_latency_s(Pair path) const {
    if (const auto known = base_.latency_s(path)) return *known;
    if (const auto back = base_.latency_s({path.destination, path.source}); job_.learns && back) return *back;
    if (path.source == job_.self) return probes_.half_round_trip_s(path.destination);
    if (path.destination == job_.self) return probes_.half_round_trip_s(path.source);
    return 0.0;
}

double Paths::threshold_s(HostId destination) const {
    return level_threshold_s(CongestionLevel::medium, base_latency_s(job_.path_to(destination)),
                             job_.settings.congestion_level);
}

/// Pairs that traffic on this path hurts pass its own bottleneck. Pairs that only hurt it do so at a link of theirs
/// that is wider: two hosts of one switch fill the first link of a path whose bottleneck is a trunk.
std::optional<double> Paths::shared_bps(Pair path, double narrow_bps, Pair other) const {
    if (sharing_.hurts(path, other)) return narrow_bps;
    if (!sharing_.hurts(other, path)) return std::nullopt;
    return std::max(narrow_bps, base_.throughput_bps(other).value_or(narrow_bps));
}

double Paths::leave_threshold_s(HostId destination) const {
    return level_threshold_s(CongestionLevel::high, base_latency_s(job_.path_to(destination)),
                             job_.settings.congestion_level);
}

LegState Paths::state(HostId destination, Time from) const {
    const DelayWindow::Summary seen = probes_.forward(destination, from);
    return {seen.typical_s, probes_.half_round_trip_s(destination), seen.samples > 0};
}

void Paths::judge(const Burst& burst, Time now, Outbox& out) {
    if (burst.answered == 0) return;
    const Pair path = job_.path_to(burst.peer);
    const CongestionLevelSettings& settings = job_.settings.congestion_level;
    const DelayWindow::Summary summary = probes_.forward(burst.peer, burst.started);
    const double base_s = base_latency_s(path);
    if (const auto before = probes_.congestion_level(burst.peer).judge(summary, base_s, settings, now)) {
        out.emit(LevelChanged{path, *before, congestion_level(burst.peer), summary.typical_s});
    }
    if (burst.sent < settings.min_samples || !base_.latency_s(path)) return;
    const double raw_s = probes_.forward_raw_s(burst.peer, burst.started);
    const double observed_s = base_s + raw_s - probes_.absorbed_s(burst.peer);
    if (const auto shift = base_.observe(path, observed_s, now)) {
        probes_.absorb(burst.peer, shift->to_s - shift->from_s);
        out.emit(BaseShifted{path, shift->from_s, shift->to_s});
    }
}

}  // namespace fairlead::core
