// SPDX-License-Identifier: Apache-2.0
// What does not change while a controller lives: which host it is of, and what it may do.
#pragma once

#include <cmath>
#include <cstddef>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

struct Job {
    HostId self = 0;
    HostId hosts = 0;
    std::size_t salt = 0;  ///< see ControllerConfig, also for what follows
    bool automatic = true;
    bool proves = false;
    bool learns = false;
    Settings settings;
    int ways = 0;

    bool other(HostId host) const { return host < hosts && host != self; }
    Pair path_to(HostId destination) const { return Pair{self, destination}; }
};

/// A time that can be.
inline bool plausible(double delay_s) {
    constexpr double kLongest_s = 3600.0;
    return std::isfinite(delay_s) && delay_s >= 0.0 && delay_s <= kLongest_s;
}

}  // namespace fairlead::core
