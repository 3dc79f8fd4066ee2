// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/recurrence.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace fairlead::core {
namespace {

Recurrence uses_at(std::initializer_list<double> begins) {
    Recurrence uses;
    for (const double begin : begins) uses.begins(begin);
    return uses;
}

TEST(Recurrence, TellsTheNextUseWhereIntervalsAreAlike) {
    const PatternSettings settings;
    const Recurrence even = uses_at({10.0, 12.0, 14.5, 16.7});
    EXPECT_DOUBLE_EQ(even.period_s(settings).value(), 2.5);
    EXPECT_DOUBLE_EQ(even.next(17.0, settings).value(), 18.7) << "the shortest interval: rather early than late";
    EXPECT_TRUE(even.next(19.8, settings));
    EXPECT_FALSE(even.next(19.9, settings)) << "it did not come within 1.25 of the longest";
    EXPECT_FALSE(uses_at({10.0, 12.0, 14.0}).period_s(settings)) << "two intervals";
    EXPECT_FALSE(uses_at({10.0, 12.0, 14.6, 16.6}).period_s(settings)) << "2.0 and 2.6 s";
}

TEST(Recurrence, OnlyTheLastUsesCount) {
    const PatternSettings settings;
    Recurrence uses = uses_at({1.0, 2.0, 20.0, 23.0, 26.0, 29.0});
    EXPECT_DOUBLE_EQ(uses.next(30.0, settings).value(), 32.0);
    for (int i = 0; i < 20; ++i) uses.begins(30.0 + i);
    EXPECT_DOUBLE_EQ(uses.next(49.5, settings).value(), 50.0);
}

TEST(Recurrence, CongestionLastsWhereTwoUsesInARowMeetIt) {
    Recurrence uses;
    uses.congested();
    EXPECT_FALSE(uses.was_congested()) << "before the first use";
    uses.begins(1.0);
    uses.congested();
    EXPECT_TRUE(uses.was_congested());
    EXPECT_FALSE(uses.lasting());
    uses.begins(2.0);
    EXPECT_FALSE(uses.was_congested());
    uses.congested();
    EXPECT_TRUE(uses.lasting());
    uses.begins(3.0);
    uses.begins(4.0);
    uses.congested();
    EXPECT_FALSE(uses.lasting());
}

}  // namespace
}  // namespace fairlead::core
