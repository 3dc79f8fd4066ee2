// SPDX-License-Identifier: Apache-2.0
// This host's wall clock, with an offset and a drift on top where a test asks for them (hosts of a lab share the
// machine's clock, so that without them clock synchronization would have nothing to do).
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <utility>

namespace fairlead::agent {

inline std::int64_t read_clock_ns(clockid_t id) {
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Seconds of CLOCK_MONOTONIC: the time that decisions, timers and deadlines are made by.
inline double monotonic_s() {
    return static_cast<double>(read_clock_ns(CLOCK_MONOTONIC)) * 1e-9;
}

/// A time before all others.
inline constexpr double kNever_s = -1e9;

class Clock {
  public:
    /// What the clock shows differs from CLOCK_REALTIME by offset_s + drift * (t - origin).
    struct Test {
        double offset_s = 0.0;
        double drift = 0.0;
        std::int64_t origin_ns = 0;
    };

    explicit Clock(const Test& test) : test_(test), shifts_(test.offset_s != 0.0 || test.drift != 0.0) {}

    /// Jumps by so much, as a host's clock does that is set while the job runs (a test). Any thread may be reading.
    void step(double offset_s) { stepped_ns_ += std::llround(offset_s * 1e9); }

    /// Whether it was set since the last call: it and CLOCK_MONOTONIC drift together. From one thread only.
    bool take_step() {
        const double ahead_s = now_s() - monotonic_s();
        return std::abs(ahead_s - std::exchange(ahead_s_, ahead_s)) > kStep_s;
    }

    std::int64_t now_ns() const { return shifted(read_clock_ns(CLOCK_REALTIME)); }
    double now_s() const { return static_cast<double>(now_ns()) * 1e-9; }

    /// What this clock shows at a moment of CLOCK_REALTIME (a kernel time stamp, for example).
    std::int64_t shifted(std::int64_t realtime_ns) const {
        const std::int64_t stepped_ns = realtime_ns + stepped_ns_.load(std::memory_order_relaxed);
        if (!shifts_) return stepped_ns;
        const double since_origin_s = static_cast<double>(realtime_ns - test_.origin_ns) * 1e-9;
        return stepped_ns + std::llround((test_.offset_s + test_.drift * since_origin_s) * 1e9);
    }

  private:
    static constexpr double kStep_s = 0.010;  ///< a clock that is slewed gains a tenth of it in a second at most

    Test test_;
    bool shifts_;
    std::atomic<std::int64_t> stepped_ns_{0};
    double ahead_s_ = now_s() - monotonic_s();  ///< of CLOCK_MONOTONIC
};

}  // namespace fairlead::agent
