// SPDX-License-Identifier: Apache-2.0
#include "detours/way_queue.hpp"

#include <algorithm>

namespace fairlead::core {

double way_queue_s(const Paths& paths, HostId destination, double round_trip_s, Time from) {
    const double free_s = 2.0 * paths.probes().half_round_trip_s(destination);
    return std::max(0.0, round_trip_s - free_s - paths.probes().backward(destination, from).most_s);
}

}  // namespace fairlead::core
