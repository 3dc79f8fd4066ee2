// SPDX-License-Identifier: Apache-2.0
#include "benchmark/point_to_point/one_way_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace fairlead::benchmark {
namespace {

std::int64_t nanoseconds(double moment_s) {
    return std::llround(moment_s * 1e9);
}

}  // namespace

OneWayTimes one_way_times(core::ClockSync& clocks, const std::vector<double>& begun_s,
                          const std::vector<double>& round_trips_s, const std::vector<double>& arrived_s) {
    for (std::size_t i = 0; i < begun_s.size(); ++i) {
        const std::int64_t arrived_ns = nanoseconds(arrived_s[i]);
        clocks.add({.t1_ns = nanoseconds(begun_s[i]),
                    .t2_ns = arrived_ns,
                    .t3_ns = arrived_ns,
                    .t4_ns = nanoseconds(begun_s[i] + round_trips_s[i])});
    }
    const core::ClockEstimate first = clocks.at(nanoseconds(begun_s.front())).value();
    const core::ClockEstimate last = clocks.at(nanoseconds(begun_s.back())).value();
    // Between the two the offset is interpolated: the highest of all lines that fit is convex and the lowest concave,
    // so the offset stays within the larger error of both.
    const double span_s = begun_s.back() - begun_s.front();
    const double slope = span_s > 0.0 ? (last.offset_s - first.offset_s) / span_s : 0.0;
    OneWayTimes found{.clock_error_s = std::max(first.error_s, last.error_s), .forward_s = {}};
    for (std::size_t i = 0; i < begun_s.size(); ++i) {
        const double offset_s = first.offset_s + slope * (begun_s[i] - begun_s.front());
        found.forward_s.push_back(arrived_s[i] - begun_s[i] - offset_s);
    }
    return found;
}

}  // namespace fairlead::benchmark
