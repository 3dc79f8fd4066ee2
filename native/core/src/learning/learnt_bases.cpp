// SPDX-License-Identifier: Apache-2.0
#include "learning/learnt_bases.hpp"

#include <algorithm>
#include <cmath>

#include "fairlead/core/congestion_level.hpp"

namespace fairlead::core {

namespace {

/// The smaller of two times, of which 0 says nothing.
double least(double a, double b) {
    if (a <= 0.0 || b <= 0.0) return std::max(a, b);
    return std::min(a, b);
}

}  // namespace

LearntBases::LearntBases(HostId self, HostId host_count, const Settings& settings)
    : settings_(settings), paths_(host_count), looks_(host_count, self), unknown_(host_count, self) {}

void LearntBases::set_prior(HostId peer, double latency_s) {
    paths_[peer].prior_s = latency_s;
    postpone(peer, looks_.at(peer));
}

void LearntBases::on_burst(HostId peer, double half_round_trip_s, bool whole, Time now) {
    Path& path = paths_[peer];
    path.direct_s = least(path.direct_s, half_round_trip_s);
    // Bursts in a row are of one moment, be it one of congestion.
    if (whole && now - path.counted >= settings_.learn.period_s / 2.0) {
        path.counted = now;
        path.bursts = std::min(path.bursts + 1, settings_.learn.bursts);
    }
    postpone(peer, looks_.at(peer));
}

void LearntBases::on_detour(HostId peer, double latency_s) {
    paths_[peer].detour_s = least(paths_[peer].detour_s, latency_s);
}

bool LearntBases::known(HostId peer) const {
    return paths_[peer].prior_s > 0.0 || (paths_[peer].bursts >= settings_.learn.bursts && paths_[peer].direct_s > 0.0);
}

double LearntBases::floor_s(const Path& path) {
    return least(path.prior_s, path.detour_s);
}

std::optional<double> LearntBases::base_s(HostId peer) const {
    if (!known(peer)) return std::nullopt;
    const Path& path = paths_[peer];
    const double floor_s = LearntBases::floor_s(path);
    if (path.direct_s <= 0.0) return floor_s;
    // What is less than a level may be the difference between two paths.
    const bool hidden = floor_s > 0.0 && path.direct_s >= floor_s + level_threshold_s(CongestionLevel::medium, floor_s,
                                                                                      settings_.congestion_level);
    return hidden ? floor_s : path.direct_s;
}

double LearntBases::hidden_s(HostId peer) const {
    const double direct_s = paths_[peer].direct_s;
    return direct_s > 0.0 ? direct_s - base_s(peer).value_or(direct_s) : 0.0;
}

void LearntBases::looked(HostId peer, Time now, Random& random) {
    const double period_s = known(peer) ? settings_.learn.later_s : settings_.learn.period_s;
    // At random: others' traffic may have a period of its own.
    paths_[peer].wanted = now + period_s * (0.5 + random.uniform());
    postpone(peer, paths_[peer].wanted);
}

void LearntBases::postpone(HostId peer, Time until) {
    looks_.set(peer, until);
    unknown_.set(peer, known(peer) ? HUGE_VAL : until);
}

bool LearntBases::news(HostId peer, bool end) const {
    const std::optional<double> base_s = this->base_s(peer);
    if (!base_s) return false;
    const double told_s = paths_[peer].told_s;
    return told_s <= 0.0 || *base_s < (end ? 1.0 : 1.0 - settings_.learn.news_share) * told_s;
}

}  // namespace fairlead::core
