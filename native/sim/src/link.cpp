// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/link.hpp"

#include "fairlead/sim/network.hpp"

namespace fairlead::sim {

std::optional<double> Link::enter(double now, double size_B, core::Random& random) {
    if (backlog_B(now) + size_B > limit_B) {
        dropped += packets_in(size_B);
        return std::nullopt;
    }
    busy_until = std::max(busy_until, now) + 8.0 * size_B / rate_bps;
    carried_B += size_B;
    if (loss > 0.0 && random.uniform() < loss) {
        lost += packets_in(size_B);
        return std::nullopt;
    }
    return std::max(now, busy_until - burst_s()) + latency_s();
}

}  // namespace fairlead::sim
