// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fairlead/core/clock_sync.hpp"

namespace fairlead::benchmark {

// Times of messages to the other rank by the two ranks' clocks.
struct OneWayTimes {
    double clock_error_s = 0.0;  // bound on what each of them may be wrong by: all by about the same
    std::vector<double> forward_s;
};

// Of round trips that began at `begun_s` and took `round_trips_s` by the own clock; the messages had come at
// `arrived_s` by the other rank's. `clocks` has what is known of that clock from earlier round trips, and learns from
// these: an answer left no earlier, and a message came no later, than the clock was read.
OneWayTimes one_way_times(core::ClockSync& clocks, const std::vector<double>& begun_s,
                          const std::vector<double>& round_trips_s, const std::vector<double>& arrived_s);

}  // namespace fairlead::benchmark
