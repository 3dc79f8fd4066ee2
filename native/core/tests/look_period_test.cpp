// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/look_period.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(LookPeriod, GrowsWithTheTimeThatNothingMoved) {
    const LookSettings settings;
    EXPECT_DOUBLE_EQ(look_period_s(0.0, settings), 0.040);
    EXPECT_DOUBLE_EQ(look_period_s(0.4, settings), 0.040);
    EXPECT_DOUBLE_EQ(look_period_s(2.0, settings), 0.2);
    EXPECT_DOUBLE_EQ(look_period_s(5.0, settings), 0.5);
    EXPECT_DOUBLE_EQ(look_period_s(3600.0, settings), 0.5);
}

}  // namespace
}  // namespace fairlead::core
