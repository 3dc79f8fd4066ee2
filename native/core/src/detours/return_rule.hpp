// SPDX-License-Identifier: Apache-2.0
// When a pair returns to its direct path by what was measured: the condition of return.
#pragma once

#include <optional>

#include "job.hpp"
#include "paths/paths.hpp"
#include "traffic/traffic.hpp"

namespace fairlead::core {

/// How long the direct path has been seen low while its traffic was away, since `since`; s.
double low_for_s(const Paths& paths, HostId destination, Time since, Time now);

/// Whether the direct path of a pair that is rerouted has been low for the dwell time, and is now as fast as the detour
/// (nothing: not known), which a low path need not be after a shift of its baseline.
bool direct_is_good(const Job& job, const Paths& paths, const Traffic& traffic, HostId destination, double low_for_s,
                    double dwell_s, std::optional<double> detour_s, Time now);

}  // namespace fairlead::core
