// SPDX-License-Identifier: Apache-2.0
// The echoes of one detour: which have not come back, and when the next one is due.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// What the answer to an echo tells.
struct EchoTime {
    double round_trip_s = 0.0;
    std::optional<double> late_s;  ///< so much later than one that meets no queue it arrived; nothing: not known
};

/// Of an echo that left at this time and is answered now. `free_departure`: see Received.
EchoTime echo_time(Time left, std::optional<Time> free_departure, Time now);

class EchoWatch {
  public:
    static constexpr std::size_t kRecent = 8;

    void sent(std::uint32_t token, Time now);
    /// This one came back, so the older ones are not waited for. False if it is not one that was waited for.
    /// `free_departure`: see Received.
    bool answered(std::uint32_t token, Time now, std::optional<Time> free_departure = {});

    /// How long an echo may take before it counts as missing: by the round trips so far, as TCP's time-out (RFC 6298,
    /// section 2).
    double patience_s(const EchoSettings& settings) const;
    /// Of the last that came back, kRecent at most.
    const std::deque<EchoTime>& recent() const { return recent_; }
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
    std::deque<Sent> waiting_;     ///< oldest first
    std::deque<EchoTime> recent_;  ///< likewise
    std::optional<Time> last_;
    std::optional<double> smoothed_s_;
    double deviation_s_ = 0.0;
};

}  // namespace fairlead::core
