// SPDX-License-Identifier: Apache-2.0
#include "benchmark/point_to_point/one_way_times.hpp"

#include <gtest/gtest.h>

namespace fairlead::benchmark {
namespace {

constexpr double kOffset_s = 1234.5;  // of the other clock
constexpr double kDrift = 50e-6;

struct RoundTrips {
    std::vector<double> begun_s;
    std::vector<double> took_s;
    std::vector<double> arrived_s;
};

// `count` round trips from a moment on, each there and back in these times.
RoundTrips made_up(double moment_s, int count, double there_s, double back_s) {
    RoundTrips found;
    for (int i = 0; i < count; ++i) {
        found.begun_s.push_back(moment_s);
        found.took_s.push_back(there_s + back_s);
        found.arrived_s.push_back(moment_s + there_s + kOffset_s + kDrift * (moment_s + there_s));
        moment_s += there_s + back_s;
    }
    return found;
}

OneWayTimes told(core::ClockSync& clocks, const RoundTrips& trips) {
    return one_way_times(clocks, trips.begun_s, trips.took_s, trips.arrived_s);
}

TEST(OneWayTimes, AreTellableWithinHalfTheFastestRoundTrip) {
    core::ClockSync clocks;
    const OneWayTimes found = told(clocks, made_up(10.0, 100, 30e-6, 30e-6));
    ASSERT_EQ(found.forward_s.size(), 100U);
    EXPECT_NEAR(found.clock_error_s, 30e-6, 3e-6);
    for (const double time_s : found.forward_s) {
        EXPECT_NEAR(time_s, 30e-6, found.clock_error_s);
    }
}

TEST(OneWayTimes, OfSlowMessagesAreKnownByFastOnesBefore) {
    core::ClockSync clocks;
    for (double moment_s = 10.0; moment_s < 14.0; moment_s += 0.1) {
        told(clocks, made_up(moment_s, 100, 20e-6, 20e-6));
    }
    // Large messages that go there slower than they come back.
    const OneWayTimes found = told(clocks, made_up(14.0, 20, 9e-3, 1e-3));
    EXPECT_LT(found.clock_error_s, 30e-6);
    EXPECT_GT(found.clock_error_s, 15e-6);
    for (const double time_s : found.forward_s) {
        EXPECT_NEAR(time_s, 9e-3, found.clock_error_s);
    }
}

TEST(OneWayTimes, HaveTheErrorOfASingleRoundTripAtLeast) {
    core::ClockSync clocks;
    const OneWayTimes found = told(clocks, made_up(10.0, 1, 2e-3, 0.5e-3));
    ASSERT_EQ(found.forward_s.size(), 1U);
    EXPECT_GE(found.clock_error_s, 1.24e-3);
    EXPECT_NEAR(found.forward_s[0], 2e-3, found.clock_error_s);
}

}  // namespace
}  // namespace fairlead::benchmark
