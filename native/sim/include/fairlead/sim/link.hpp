// SPDX-License-Identifier: Apache-2.0
// One direction of a link: a first-in first-out queue that drops at its tail, a rate, a delay, losses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "fairlead/core/random.hpp"

namespace fairlead::sim {

/// What a link is.
struct LinkKind {
    double rate_bps = 0.0;
    double delay_s = 30e-6;  ///< from the last bit's departure to the packet's arrival
    double limit_B = 0.0;    ///< of the queue, with the packet under way; a packet that does not fit is dropped
    double loss = 0.0;       ///< share of the packets that get lost on the wire, at random
    double burst_B = 0.0;    ///< passes at once after a pause: the bucket of a token bucket filter
};

/// What it is now.
struct Link : LinkKind {
    double added_delay_s = 0.0;  ///< on top of delay_s, while somebody delays it
    double busy_until = 0.0;     ///< when all that has entered it would have left at its rate, without a burst
    double carried_B = 0.0;      ///< that has entered it, lost on the wire or not
    std::uint64_t dropped = 0;   ///< packets that found the queue full
    std::uint64_t lost = 0;      ///< packets lost on the wire

    double burst_s() const { return 8.0 * burst_B / rate_bps; }
    double backlog_s(double now) const { return std::max(0.0, busy_until - burst_s() - now); }
    double backlog_B(double now) const { return backlog_s(now) * rate_bps / 8.0; }
    double latency_s() const { return delay_s + added_delay_s; }

    /// A packet enters it. When it arrives at the other end, or nothing if it is dropped or lost.
    std::optional<double> enter(double now, double size_B, core::Random& random);
};

}  // namespace fairlead::sim
