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

}  // namespace
}  // namespace fairlead::sim
