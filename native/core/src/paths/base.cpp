// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/base.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairlead::core {

namespace {

void require_positive(double value, const char* what) {
    if (!std::isfinite(value) || value <= 0.0) {
        throw std::invalid_argument(std::string("base table: ") + what + " must be finite and positive");
    }
}

}  // namespace

BaseTable::BaseTable(HostId host_count, BaseSettings settings) : host_count_(host_count), settings_(settings) {}

void BaseTable::set_groups(std::vector<HostId> group_of) {
    const bool of_job = group_of.size() == host_count_ &&
                        std::ranges::all_of(group_of, [this](HostId group) { return group < host_count_; });
    if (!of_job) throw std::invalid_argument("base table: a group for each host is needed");
    group_of_ = std::move(group_of);
}

BaseTable::Entry& BaseTable::entry(Pair pair) {
    if (!valid(pair, host_count_)) throw std::invalid_argument("base table: a pair of hosts outside the job");
    const auto [place, fresh] = of_hosts_.try_emplace(pair_index(pair, host_count_));
    if (fresh && !group_of_.empty()) {  // what is known of its groups goes on holding for what is not set
        const Pair groups{group_of_[pair.source], group_of_[pair.destination]};
        if (const auto known = between_groups_.find(pair_index(groups, host_count_)); known != between_groups_.end())
            place->second = known->second;
    }
    return place->second;
}

BaseTable::Entry& BaseTable::entry_between(Pair groups) {
    if (groups.source >= host_count_ || groups.destination >= host_count_) {
        throw std::invalid_argument("base table: a pair of groups outside the job");
    }
    return between_groups_[pair_index(groups, host_count_)];
}

const BaseTable::Entry* BaseTable::find(Pair pair) const {
    if (!valid(pair, host_count_)) return nullptr;
    const auto own = of_hosts_.find(pair_index(pair, host_count_));
    if (own != of_hosts_.end()) return &own->second;
    if (group_of_.empty()) return nullptr;
    const Pair groups{group_of_[pair.source], group_of_[pair.destination]};
    const auto between = between_groups_.find(pair_index(groups, host_count_));
    return between != between_groups_.end() ? &between->second : nullptr;
}

void BaseTable::set_latency(Pair pair, std::uint64_t size_B, double latency_s, Time when) {
    require_positive(latency_s, "a latency");
    put_latency(entry(pair), size_B, latency_s, when);
}

void BaseTable::set_latency_between(Pair groups, std::uint64_t size_B, double latency_s, Time when) {
    require_positive(latency_s, "a latency");
    put_latency(entry_between(groups), size_B, latency_s, when);
}

void BaseTable::put_latency(Entry& target, std::uint64_t size_B, double latency_s, Time when) {
    const auto place = std::lower_bound(target.points.begin(), target.points.end(), size_B,
                                        [](const Point& point, std::uint64_t size) { return point.size_B < size; });
    if (place != target.points.end() && place->size_B == size_B) {
        place->latency_s = latency_s;
    } else {
        target.points.insert(place, Point{size_B, latency_s});
    }
    target.confirmed = when;
    target.away = {};
}

void BaseTable::set_throughput(Pair pair, double rate_bps, Time when) {
    require_positive(rate_bps, "a throughput");
    put_throughput(entry(pair), rate_bps, when);
}

void BaseTable::set_throughput_between(Pair groups, double rate_bps, Time when) {
    require_positive(rate_bps, "a throughput");
    put_throughput(entry_between(groups), rate_bps, when);
}

void BaseTable::put_throughput(Entry& target, double rate_bps, Time when) {
    target.rate_bps = rate_bps;
    target.confirmed = when;
}

std::optional<double> BaseTable::latency_s(Pair pair) const {
    const Entry* found = find(pair);
    if (found == nullptr || found->points.empty()) return std::nullopt;
    return found->points.front().latency_s;
}

std::optional<double> BaseTable::latency_s(Pair pair, std::uint64_t size_B) const {
    const Entry* found = find(pair);
    if (found == nullptr || found->points.empty()) return std::nullopt;
    const std::vector<Point>& points = found->points;
    if (size_B <= points.front().size_B) return points.front().latency_s;
    if (size_B >= points.back().size_B) {
        const auto beyond = static_cast<double>(size_B - points.back().size_B);
        return points.back().latency_s + beyond * slope_s_per_B(*found);
    }
    const auto above = std::upper_bound(points.begin(), points.end(), size_B,
                                        [](std::uint64_t size, const Point& point) { return size < point.size_B; });
    const Point& a = *(above - 1);
    const Point& b = *above;
    // Both axes logarithmic: exact for a power law and close for a fixed cost plus a cost per byte. A size of 0 bytes
    // counts as 1.
    const auto logarithm = [](std::uint64_t size) {
        return std::log(static_cast<double>(std::max<std::uint64_t>(size, 1)));
    };
    const double width = logarithm(b.size_B) - logarithm(a.size_B);
    const double share = width > 0.0 ? (logarithm(size_B) - logarithm(a.size_B)) / width : 0.0;
    return a.latency_s * std::pow(b.latency_s / a.latency_s, share);
}

double BaseTable::slope_s_per_B(const Entry& entry) {
    if (entry.rate_bps > 0.0) return 8.0 / entry.rate_bps;
    if (entry.points.size() < 2) return 0.0;
    const Point& a = entry.points[entry.points.size() - 2];
    const Point& b = entry.points.back();
    return std::max(0.0, (b.latency_s - a.latency_s) / static_cast<double>(b.size_B - a.size_B));
}

std::optional<double> BaseTable::throughput_bps(Pair pair) const {
    const Entry* found = find(pair);
    if (found == nullptr || found->rate_bps <= 0.0) return std::nullopt;
    return found->rate_bps;
}

std::optional<double> BaseTable::age_s(Pair pair, Time now) const {
    const Entry* found = find(pair);
    if (found == nullptr || (found->points.empty() && found->rate_bps <= 0.0)) return std::nullopt;
    return std::max(0.0, now - found->confirmed);
}

std::optional<BaseTable::Shift> BaseTable::observe(Pair pair, double latency_s, Time now) {
    if (!valid(pair, host_count_) || !std::isfinite(latency_s) || latency_s <= 0.0) return std::nullopt;
    if (const Entry* known = find(pair); known == nullptr || known->points.empty()) return std::nullopt;
    Entry& target = entry(pair);
    const double base_s = target.points.front().latency_s;
    Away& away = target.away;
    if (std::abs(latency_s - base_s) <= settings_.near_share * base_s) {
        away = {};
        target.confirmed = std::max(target.confirmed, now);
        return std::nullopt;
    }
    const bool above = latency_s > base_s;
    if (away.samples == 0 || away.above != above) away = Away{now, 0, latency_s, above};
    ++away.samples;
    away.min_s = std::min(away.min_s, latency_s);
    if (now - away.since < settings_.shift_window_s ||
        away.samples < static_cast<std::uint32_t>(settings_.shift_samples)) {
        return std::nullopt;
    }
    const Shift shift{base_s, away.min_s};
    for (Point& point : target.points) {
        // Never to zero or below: a small size's gain may exceed what a noisy larger one was measured at.
        point.latency_s = std::max(point.latency_s + (shift.to_s - shift.from_s), shift.to_s);
    }
    away = {};
    target.confirmed = now;
    return shift;
}

}  // namespace fairlead::core
