// SPDX-License-Identifier: Apache-2.0
// Congestion level of a directed path from its recent queueing delays: a short window, a low quantile, hysteresis.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// The last queueing delays of one directed path.
class DelayWindow {
  public:
    static constexpr std::size_t kCapacity = 32;

    void add(double queue_delay_s, Time sent_at);

    struct Summary {
        int samples = 0;
        double span_s = 0.0;     ///< between the first and the last sending
        double typical_s = 0.0;  ///< the quantile that a window is judged by
        double low_s = 0.0;      ///< the low quantile: is the queue broken?
        double most_s = 0.0;     ///< the largest
        Time newest_sent_at = 0.0;
    };
    /// Of the samples sent at or after `from`.
    Summary summary(Time from, const CongestionLevelSettings& settings) const;

    /// For how much of [from, to] the samples prove a queue: each until it came through, and up to the next sample if
    /// that was sent within bridge_s. `absorbed_s` of every delay is no queue.
    double standing_s(Time from, Time to, double bridge_s, double absorbed_s) const;

  private:
    struct Sample {
        Time sent_at = 0.0;
        double queue_delay_s = 0.0;
    };
    std::array<Sample, kCapacity> ring_{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
};

/// Queueing delay from which on a path with this base latency is at `congestion_level` (medium or high).
double level_threshold_s(CongestionLevel congestion_level, double base_latency_s,
                         const CongestionLevelSettings& settings);

/// Congestion level of a queueing delay, without memory.
CongestionLevel level_of(double queue_delay_s, double base_latency_s, const CongestionLevelSettings& settings);

/// A path's congestion level with hysteresis: up as soon as a full window says so, down only below return_fraction of
/// the threshold of the congestion level that is left.
class LevelTracker {
  public:
    CongestionLevel congestion_level() const { return congestion_level_; }
    /// Judges a window; too few or too bunched samples leave the congestion level as it is. Returns the
    /// congestion_level before, if it changed.
    std::optional<CongestionLevel> judge(const DelayWindow::Summary& summary, double base_latency_s,
                                         const CongestionLevelSettings& settings, Time now);
    /// Since when the congestion level has been low without a break; nothing while it is not.
    std::optional<Time> low_since() const { return low_since_; }

  private:
    CongestionLevel congestion_level_ = CongestionLevel::low;
    std::optional<Time> low_since_;
};

}  // namespace fairlead::core
