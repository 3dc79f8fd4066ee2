// SPDX-License-Identifier: Apache-2.0
#include "process/time_budget.hpp"

#include <gtest/gtest.h>

namespace fairlead::agent {
namespace {

TEST(TimeBudget, LastsAsLongAsNoMoreThanItsShareIsSpent) {
    TimeBudget budget(0.02, 0.1);
    for (int second = 0; second < 1000; ++second) EXPECT_TRUE(budget.spend(1.0, 0.019));
    EXPECT_TRUE(budget.spend(1.0, 0.1)) << "it was full";
    EXPECT_FALSE(budget.spend(1.0, 0.1));
}

TEST(TimeBudget, OnceSpentIsEnoughWhenHalfFull) {
    TimeBudget budget(0.1, 0.1);
    EXPECT_FALSE(budget.spend(0.0, 0.1));
    EXPECT_FALSE(budget.spend(0.45, 0.0));
    EXPECT_TRUE(budget.spend(0.1, 0.0));
    EXPECT_TRUE(budget.spend(0.0, 0.05)) << "now it lasts until all is spent";
    EXPECT_FALSE(budget.spend(0.0, 0.05));
}

TEST(TimeBudget, OwesNoMoreThanItHolds) {
    TimeBudget budget(0.1, 0.1);
    EXPECT_FALSE(budget.spend(0.0, 1000.0));
    EXPECT_FALSE(budget.spend(1.4, 0.0));
    EXPECT_TRUE(budget.spend(0.2, 0.0));
}

}  // namespace
}  // namespace fairlead::agent
