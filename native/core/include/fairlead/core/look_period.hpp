// SPDX-License-Identifier: Apache-2.0
// How often to look at what a program does: often while it does something, the more rarely the longer it rests.
#pragma once

#include <algorithm>
#include <cmath>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// Time until the next look, where bytes moved quiet_s ago for the last time. What begins after a rest is seen late by
/// a share of that rest, so that looks during rests of any length cost about as much as they can tell.
inline double look_period_s(double quiet_s, const LookSettings& settings) {
    const double resting_s = std::min(settings.rest_share * quiet_s, settings.rest_max_s);
    return std::max(resting_s, settings.period_s);
}

/// For how long to do nothing after work of so much processor time, so that it takes at most a share of the time.
inline double rest_s(double worked_s, double max_share) {
    return worked_s * (1.0 / max_share - 1.0);
}

/// When to look next while bytes move: within half a period and one and a half, at this host's place in the period.
/// Hosts that began together, or that answer each other, would all look at the same moments, and what the first of
/// several sees would be seen half a period late instead of a fraction of it. Steps of the golden ratio keep any few
/// of them apart.
inline Time next_look(Time now, double period_s, HostId self) {
    constexpr double kGolden = 0.6180339887498949;
    const double place_s = period_s * std::fmod(kGolden * self, 1.0);
    return place_s + period_s * std::ceil((now + 0.5 * period_s - place_s) / period_s);
}

}  // namespace fairlead::core
