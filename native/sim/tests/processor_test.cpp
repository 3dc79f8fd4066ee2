// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/processor.hpp"

#include <gtest/gtest.h>

namespace fairlead::sim {
namespace {

TEST(Processor, WaitsOnceForEachStall) {
    Processor processor({.stall_rate_per_s = 20.0, .stall_mean_s = 3e-3}, 1);
    double waited_s = 0.0;  // the time in which something was ready and did not run
    double waits_until = 0.0;
    int stalls = 0;
    for (int i = 0; i < 100000; ++i) {
        const double now = 1e-4 * i;
        const double runs_at = processor.running_at(now);
        ASSERT_GE(runs_at, now);
        if (now < waits_until) {
            EXPECT_EQ(runs_at, waits_until) << "with what waits already";
        } else if (runs_at > now) {
            waited_s += runs_at - now;
            waits_until = runs_at;
            ++stalls;
        }
    }
    EXPECT_NEAR(processor.run_delay_s(), waited_s, 1e-9);
    EXPECT_NEAR(stalls, 10 * 20 * 0.94, 50) << "not those that nothing fell into";
}

TEST(Processor, NeverStallsWhereNobodyElseHasIt) {
    Processor processor({.stall_rate_per_s = 0.0, .stall_mean_s = 3e-3}, 1);
    EXPECT_EQ(processor.running_at(5.0), 5.0);
    EXPECT_EQ(processor.run_delay_s(), 0.0);
}

/// Not all that was waited since somebody last probed it, which may be long ago.
TEST(RunDelayReport, TellsOthersOfTheLastPollInterval) {
    Processor processor({.stall_rate_per_s = 100.0, .stall_mean_s = 3e-3}, 1);
    RunDelayReport report;
    double told_s = 0.0;
    for (int poll = 0; poll < 1000; ++poll) {
        const double before_s = processor.run_delay_s();
        for (int i = 0; i < 40; ++i) {
            processor.running_at(0.040 * poll + 1e-3 * i);
            if (i % 10 == 9) told_s += report.take_s(processor);
        }
        report.end_poll();
        ASSERT_NEAR(report.last_poll_s(), processor.run_delay_s() - before_s, 1e-9);
    }
    EXPECT_GT(told_s, 1.0);
    EXPECT_NEAR(told_s, processor.run_delay_s(), 1e-9);
}

}  // namespace
}  // namespace fairlead::sim
