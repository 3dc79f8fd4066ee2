// SPDX-License-Identifier: Apache-2.0
#include "detours/return_rule.hpp"

#include <algorithm>

namespace fairlead::core {

double low_for_s(const Paths& paths, HostId destination, Time since, Time now) {
    const std::optional<Time> low_since = paths.probes().congestion_level(destination).low_since();
    return low_since ? now - std::max(*low_since, since) : 0.0;
}

bool direct_is_good(const Job& job, const Paths& paths, const Traffic& traffic, HostId destination, double low_for_s,
                    double dwell_s, std::optional<double> detour_s, Time now) {
    if (low_for_s < dwell_s) return false;
    const Time recent = now - 2.0 * job.settings.detour.direct_period_s;
    const DelayWindow::Summary seen = paths.probes().forward(destination, recent);
    if (seen.samples < job.settings.congestion_level.min_samples || seen.typical_s >= paths.threshold_s(destination))
        return false;
    const auto direct_s = direct_latency_s(paths.base(), job.path_to(destination), paths.state(destination, recent),
                                           traffic.mix(destination));
    return !direct_s || !detour_s || *direct_s <= *detour_s;
}

}  // namespace fairlead::core
