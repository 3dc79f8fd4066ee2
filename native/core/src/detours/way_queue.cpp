// SPDX-License-Identifier: Apache-2.0
#include "detours/way_queue.hpp"

#include <algorithm>

namespace fairlead::core {

double way_queue_s(const Paths& paths, HostId destination, const EchoTime& echo, Time from) {
    const double free_s = 2.0 * paths.probes().half_round_trip_s(destination);
    const double both_s = std::max(0.0, echo.round_trip_s - free_s);  // there and back: a clock that is set adds none
    if (echo.late_s) return std::clamp(*echo.late_s, 0.0, both_s);
    return std::max(0.0, both_s - paths.probes().backward(destination, from).most_s);
}

}  // namespace fairlead::core
