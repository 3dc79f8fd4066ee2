// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/congestion_level.hpp"

#include <algorithm>

namespace fairlead::core {

void DelayWindow::add(double queue_delay_s, Time sent_at) {
    ring_[next_] = Sample{sent_at, queue_delay_s};
    next_ = (next_ + 1) % kCapacity;
    count_ = std::min(count_ + 1, kCapacity);
}

DelayWindow::Summary DelayWindow::summary(Time from, const CongestionLevelSettings& settings) const {
    std::array<double, kCapacity> delays{};
    Summary result;
    Time first = 0.0;
    Time last = 0.0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const Sample& sample = ring_[i];
        if (sample.sent_at < from) continue;
        if (kept == 0 || sample.sent_at < first) first = sample.sent_at;
        if (kept == 0 || sample.sent_at > last) last = sample.sent_at;
        delays[kept++] = sample.queue_delay_s;
    }
    if (kept == 0) return result;
    std::sort(delays.begin(), delays.begin() + static_cast<std::ptrdiff_t>(kept));
    const auto at = [&](double share) {
        return delays[static_cast<std::size_t>(share * static_cast<double>(kept - 1))];
    };
    result.samples = static_cast<int>(kept);
    result.span_s = last - first;
    result.newest_sent_at = last;
    result.low_s = at(settings.low_quantile);
    result.typical_s = at(settings.quantile);
    result.most_s = delays[kept - 1];
    return result;
}

double DelayWindow::standing_s(Time from, Time to, double bridge_s, double absorbed_s) const {
    std::array<Sample, kCapacity> sorted = ring_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(sorted.begin(), end, [](const Sample& a, const Sample& b) { return a.sent_at < b.sent_at; });
    double sum_s = 0.0;
    Time proven = from;  // until here it is counted
    for (auto sample = sorted.begin(); sample != end; ++sample) {
        const double queue_s = sample->queue_delay_s - absorbed_s;
        if (queue_s <= 0.0) continue;
        Time until = sample->sent_at + queue_s;
        const auto next = sample + 1;
        if (next != end && next->sent_at - sample->sent_at <= bridge_s) until = std::max(until, next->sent_at);
        until = std::min(until, to);
        const Time begin = std::max(sample->sent_at, proven);
        if (until <= begin) continue;
        sum_s += until - begin;
        proven = until;
    }
    return sum_s;
}

double level_threshold_s(CongestionLevel congestion_level, double base_latency_s,
                         const CongestionLevelSettings& settings) {
    switch (congestion_level) {
        case CongestionLevel::low:
            return 0.0;
        case CongestionLevel::medium:
            return std::max((settings.medium_factor - 1.0) * base_latency_s, settings.floor_s);
        case CongestionLevel::high: {
            // The floor is stretched like the factors, so that medium keeps a range of its own.
            const double stretch = (settings.high_factor - 1.0) / (settings.medium_factor - 1.0);
            return std::max((settings.high_factor - 1.0) * base_latency_s, settings.floor_s * stretch);
        }
    }
    return 0.0;
}

CongestionLevel level_of(double queue_delay_s, double base_latency_s, const CongestionLevelSettings& settings) {
    if (queue_delay_s <= 0.0) return CongestionLevel::low;
    if (queue_delay_s >= level_threshold_s(CongestionLevel::high, base_latency_s, settings))
        return CongestionLevel::high;
    if (queue_delay_s >= level_threshold_s(CongestionLevel::medium, base_latency_s, settings))
        return CongestionLevel::medium;
    return CongestionLevel::low;
}

std::optional<CongestionLevel> LevelTracker::judge(const DelayWindow::Summary& summary, double base_latency_s,
                                                   const CongestionLevelSettings& settings, Time now) {
    if (summary.samples < settings.min_samples || summary.span_s < settings.min_span_s) return std::nullopt;
    const CongestionLevel before = congestion_level_;
    const CongestionLevel measured = level_of(summary.typical_s, base_latency_s, settings);
    if (measured > congestion_level_) {
        congestion_level_ = measured;
    } else {
        while (congestion_level_ > measured &&
               summary.typical_s <
                   settings.return_fraction * level_threshold_s(congestion_level_, base_latency_s, settings)) {
            congestion_level_ = static_cast<CongestionLevel>(static_cast<int>(congestion_level_) - 1);
        }
    }
    if (congestion_level_ != CongestionLevel::low) {
        low_since_.reset();
    } else if (!low_since_) {
        low_since_ = now;
    }
    if (congestion_level_ == before) return std::nullopt;
    return before;
}

}  // namespace fairlead::core
