// SPDX-License-Identifier: Apache-2.0
// How often to look at what a program does: often while it does something, the more rarely the longer it rests.
#pragma once

#include <algorithm>

#include "fairlead/core/settings.hpp"

namespace fairlead::core {

/// Time until the next look, where bytes moved quiet_s ago for the last time. What begins after a rest is seen late by
/// a share of that rest, so that looks during rests of any length cost about as much as they can tell.
inline double look_period_s(double quiet_s, const LookSettings& settings) {
    const double resting_s = std::min(settings.rest_share * quiet_s, settings.rest_max_s);
    return std::max(resting_s, settings.period_s);
}

}  // namespace fairlead::core
