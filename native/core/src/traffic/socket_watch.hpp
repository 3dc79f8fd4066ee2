// SPDX-License-Identifier: Apache-2.0
// What the ranks' sockets to one peer say: is the pair in use, how much is under way, does it look congested?
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "fairlead/core/events.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

enum class Suspicion : std::uint8_t {
    none,
    delay,      ///< the round trip is above its base
    loss,       ///< segments were sent again
    stall,      ///< bytes under way, none acknowledged
    shortfall,  ///< limited by the network, well below the base throughput
    pattern     ///< not used now, but soon by the program's pattern; congested since it was used last
};

class SocketWatch {
  public:
    /// Takes a sample and says whether the path deserves a look. base_bps: the pair's base throughput, 0 if unknown.
    Suspicion on_sample(const SocketSample& sample, double base_round_trip_s, double base_bps, const Settings& settings,
                        Time now);

    /// A look found nothing (or nothing to do): until the round trip grows well above what it was, the same sign is
    /// only followed again after a pause, which doubles.
    void cleared(const SuspicionSettings& settings, Time now);
    /// The path was congested after all: forget the pauses.
    void confirmed() {
        backoff_s_ = 0.0;
        cleared_signs_ = 0;
        cleared_srtt_s_ = cleared_before_s_ = 0.0;
    }

    /// Whether the pair was in use of late, be it by the acknowledgements of what the peer sends: a peer waits for
    /// those.
    bool active(Time now, const SuspicionSettings& settings) const {
        return seen_ && now - last_active_ <= settings.active_s;
    }
    Time last_active() const { return last_active_; }
    bool stalled() const { return stalled_; }
    /// The round trip is well above those of the last two false alarms.
    bool grown(const Settings& settings) const;
    /// As of the youngest sample.
    std::uint64_t in_flight_B() const { return in_flight_B_; }
    /// By how much the round trip was above its shortest, as of the youngest sample in which anything moved; s.
    double excess_s() const { return excess_s_; }
    /// For how long that has been so by the medium level without a break; 0: it is not.
    double slow_for_s(Time now) const { return slow_since_ ? now - *slow_since_ : 0.0; }
    /// The traffic takes another path from now on: what was lost before says nothing of it.
    void begin_anew(Time now);
    /// Whether bytes are in flight, were sent again, and none was acknowledged for longer than that can take, be it on
    /// one of the sockets only.
    bool stuck(const SuspicionSettings& settings, Time now) const;

    /// Mean acknowledged rate over the window before `now`.
    double rate_bps(Time now, double window_s) const;
    /// The same over the history that is kept, about half a second, in kilobytes per second.
    double rate_of_late_kBps(Time now) const { return rate_bps(now, kOfLate_s) / 8e3; }
    /// The same of the time in which it had something to send, bit/s: what the network gives it. 0: it had nothing.
    double service_of_late_bps(Time now) const;
    /// For how long: since the first sample.
    double watched_s(Time now) const { return count_ > 0 ? now - first_ : 0.0; }
    /// What the program sends at once, about: the most of the history that was sent without a break and under way then.
    std::uint64_t burst_B() const;
    /// As of the youngest sample at least age_s old.
    std::uint64_t delivered_before_B(Time now, double age_s) const {
        return count_ > 0 ? before_window(now, age_s).delivered_B : 0;
    }
    std::uint64_t last_delivered_B() const { return count_ > 0 ? ago(0).delivered_B : 0; }
    /// Highest rate ever seen over a window: stands in for an unknown base throughput.
    double best_rate_bps() const { return best_rate_bps_; }
    /// Highest rate of late (relay.peak_memory_s): what the pair wants when nothing holds it back.
    double peak_rate_bps() const { return peak_rate_bps_; }
    /// Segments sent again within the window.
    std::uint64_t retransmits(Time now, double window_s) const;

  private:
    static constexpr std::size_t kHistory = 64;  // kOfLate_s at least, also while samples are kApart_s apart
    static constexpr double kOfLate_s = 0.5;
    struct Point {
        Time at = 0.0;
        std::uint64_t delivered_B = 0;
        std::uint64_t retransmits = 0;
        double busy_s = 0.0;
        std::uint64_t in_flight_B = 0;
    };
    const Point& ago(std::size_t age) const { return history_[(next_ + kHistory - 1 - age) % kHistory]; }
    struct Waiting {
        Time since = 0.0;
        std::uint64_t retransmits = 0;
    };
    void store(const SocketSample& sample, Time now);
    Suspicion sign(const SocketSample& sample, const Point& last, const Settings& settings) const;
    void watch_delay(const SocketSample& sample, double base_round_trip_s, const Settings& settings, Time now);
    bool paused(Suspicion sign, const Settings& settings, Time now) const;
    void watch_rate(const SocketSample& sample, double base_bps, const Settings& settings, Time now);
    /// The youngest sample at or before the window's beginning, or the oldest kept.
    const Point& before_window(Time now, double window_s) const;

    void progressed(Time now);

    std::array<Point, kHistory> history_{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
    bool seen_ = false;
    bool stalled_ = false;
    Time first_ = 0.0;
    Time last_active_ = 0.0;
    std::uint64_t last_received_B_ = 0;
    Time last_progress_ = 0.0;
    Waiting together_;    ///< no socket has had an acknowledgement
    Waiting one_;         ///< one has had none
    Waiting one_before_;  ///< when the traffic took its present path: what that one had sent again before
    std::uint64_t in_flight_B_ = 0;
    double rto_s_ = 0.0;
    double srtt_s_ = 0.0;
    double excess_s_ = 0.0;
    std::optional<Time> slow_since_;
    double best_rate_bps_ = 0.0;
    double peak_rate_bps_ = 0.0;
    int short_samples_ = 0;
    Suspicion last_sign_ = Suspicion::none;
    unsigned cleared_signs_ = 0;     ///< bits of those that led to nothing
    double cleared_srtt_s_ = 0.0;    ///< round trip of the last one
    double cleared_before_s_ = 0.0;  ///< and of the one before: they may be long and short in turns
    double backoff_s_ = 0.0;
    Time look_again_ = 0.0;
};

}  // namespace fairlead::core
