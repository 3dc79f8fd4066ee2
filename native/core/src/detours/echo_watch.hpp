// SPDX-License-Identifier: Apache-2.0
// The echoes of one detour: which have not come back, and when the next one is due.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class EchoWatch {
  public:
    void sent(std::uint32_t token, Time now);
    /// This one came back, so the older ones are not waited for. False if it is not one that was waited for.
    bool answered(std::uint32_t token, Time now);

    /// How long an echo may take before it counts as missing: by the round trips so far, as TCP's time-out (RFC 6298,
    /// section 2).
    double patience_s(const EchoSettings& settings) const;
    /// The shortest of the last kRecent that came back; nothing: there were fewer.
    std::optional<double> least_round_trip_s() const;
    /// How many took longer, in a row. They are counted, not timed: an agent that did not run sent none and misses
    /// none.
    int missing(const EchoSettings& settings, Time now) const;
    /// When to send the next one, where two are usually `usual_s` apart: sooner while one is missing.
    Time next(double usual_s, const EchoSettings& settings) const;

  private:
    struct Sent {
        std::uint32_t token = 0;
        Time at = 0.0;
    };
    static constexpr std::size_t kRecent = 8;
    std::deque<Sent> waiting_;   ///< oldest first
    std::deque<double> recent_;  ///< round trips, in s
    std::optional<Time> last_;
    std::optional<double> smoothed_s_;
    double deviation_s_ = 0.0;
};

}  // namespace fairlead::core
