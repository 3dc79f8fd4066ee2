// SPDX-License-Identifier: Apache-2.0
// What a pair's detours have gained and lost it so far: a detour costs while the direct path would carry the same bytes
// sooner. Losses are time with bytes in flight; so are gains, unless the direct path lost segments: time-outs cost the
// whole time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "fairlead/core/events.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class DetourAccount {
  public:
    explicit DetourAccount(const DetourSettings& settings) : settings_(settings) {}

    /// A sample while the direct path has no queue and carries the pair: what round trips take there.
    void on_direct(const SocketSample& sample);

    struct DirectPath {
        double queue_s = 0.0;  ///< of both directions, as probes meet it now
        bool low = false;      ///< its congestion level
    };
    /// A sample while the pair is on a detour.
    void on_detour(const SocketSample& sample, const DirectPath& direct, Time now);
    /// The pair takes another path.
    void changed() { last_busy_s_.reset(); }
    /// It leaves the direct path. `losing`: that lost segments of it, which costs time-outs, more than a queue does.
    void leaves_direct(bool losing) { losing_ = losing; }

    /// Its detours have lost all that they may: the credit of the beginning and a share of what they gained.
    bool spent() const { return settings_.credit_s + settings_.credit_share * gained_s_ <= lost_s_; }

  private:
    /// Median of the newest; 0: too few are known.
    double free_round_trip_s() const;

    static constexpr std::size_t kKept = 16;

    const DetourSettings& settings_;
    std::array<double, kKept> free_s_{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
    std::optional<double> last_busy_s_;
    Time last_at_ = 0.0;
    bool losing_ = false;
    double gained_s_ = 0.0;
    double lost_s_ = 0.0;
};

}  // namespace fairlead::core
