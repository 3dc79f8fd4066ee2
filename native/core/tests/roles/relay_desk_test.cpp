// SPDX-License-Identifier: Apache-2.0
#include "roles/relay_desk.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fairlead::core {
namespace {

/// A relay of a job of five hosts with a budget of 100 Mbit/s.
class RelayDeskOf : public testing::Test {
  protected:
    RelaySettings settings;
    RelayDesk desk{5, 100e6, settings};
};

TEST_F(RelayDeskOf, GrantsUpToItsBudget) {
    EXPECT_TRUE(desk.request({1, 2}, 60e6, 0.0, 1.0));
    EXPECT_FALSE(desk.request({2, 3}, 41e6, 0.0, 1.0));
    EXPECT_TRUE(desk.request({2, 3}, 40e6, 0.0, 1.0));
    EXPECT_FALSE(desk.request({3, 4}, 1.0, 0.0, 1.0));
    EXPECT_EQ(desk.granted(), (std::vector<Pair>{{1, 2}, {2, 3}}));
    EXPECT_DOUBLE_EQ(desk.load(), 1.0);
    desk.release({1, 2});
    EXPECT_EQ(desk.granted(), (std::vector<Pair>{{2, 3}}));
    EXPECT_DOUBLE_EQ(desk.load(), 0.4);
    EXPECT_TRUE(desk.request({3, 4}, 60e6, 0.0, 1.0));
    desk.release({1, 4});
    EXPECT_EQ(desk.granted().size(), 2U) << "that was not granted";
}

TEST_F(RelayDeskOf, ANewGrantOfAPathReplacesTheOneBefore) {
    EXPECT_TRUE(desk.request({1, 2}, 60e6, 0.0, 1.0));
    EXPECT_TRUE(desk.request({2, 3}, 20e6, 0.0, 1.0));
    EXPECT_TRUE(desk.request({1, 2}, 80e6, 0.0, 2.0)) << "its own 60 do not count against it";
    EXPECT_EQ(desk.granted().size(), 2U);
    EXPECT_DOUBLE_EQ(desk.load(), 1.0);
    EXPECT_FALSE(desk.request({1, 2}, 81e6, 0.0, 3.0));
    EXPECT_DOUBLE_EQ(desk.load(), 1.0) << "what was refused changes nothing";
    EXPECT_TRUE(desk.request({1, 2}, 10e6, 0.0, 4.0));
    EXPECT_DOUBLE_EQ(desk.load(), 0.3);
}

TEST_F(RelayDeskOf, ASingleGrantMayExceedTheBudget) {
    EXPECT_TRUE(desk.request({1, 2}, 300e6, 0.0, 1.0));
    EXPECT_DOUBLE_EQ(desk.load(), 3.0);
    EXPECT_FALSE(desk.request({2, 3}, 1e6, 0.0, 1.0)) << "another may not";
    EXPECT_TRUE(desk.request({1, 2}, 200e6, 0.0, 1.0)) << "it may be renewed";
    EXPECT_TRUE(desk.request({2, 3}, 0.0, 0.0, 1.0)) << "by hand always";
    EXPECT_TRUE(desk.request({1, 2}, 150e6, 0.0, 1.0)) << "which takes nothing of the budget";
}

TEST_F(RelayDeskOf, APairThatHasLittleSharesAFullRelay) {
    EXPECT_TRUE(desk.request({1, 2}, 300e6, 0.0, 1.0));
    EXPECT_FALSE(desk.request({2, 1}, 300e6, 51e6, 1.0)) << "half of the budget is less than it asks for";
    EXPECT_FALSE(desk.request({2, 1}, 300e6, 0.0, 1.0)) << "what it has is not known";
    EXPECT_TRUE(desk.request({2, 1}, 300e6, 50e6, 1.0));
    EXPECT_DOUBLE_EQ(desk.load(), 3.5) << "no more than its share is granted";
    EXPECT_FALSE(desk.request({3, 4}, 300e6, 34e6, 1.0));
    EXPECT_TRUE(desk.request({3, 4}, 300e6, 33e6, 1.0));
}

TEST_F(RelayDeskOf, WhatIsSharedIsWhatOthersLeaveOfTheInterface) {
    EXPECT_TRUE(desk.request({1, 2}, 20e6, 0.0, 1.0));
    desk.on_interface(100e6);
    EXPECT_FALSE(desk.request({2, 1}, 60e6, 11e6, 1.0));
    EXPECT_TRUE(desk.request({2, 1}, 60e6, 10e6, 1.0));
}

TEST_F(RelayDeskOf, ASingleGrantMayExceedWhatIsLeftUntilHalfIsTaken) {
    desk.on_interface(50e6);
    EXPECT_TRUE(desk.request({1, 2}, 300e6, 0.0, 1.0));
    desk.release({1, 2});
    desk.on_interface(51e6);
    EXPECT_FALSE(desk.request({1, 2}, 300e6, 0.0, 1.0));
    EXPECT_TRUE(desk.request({1, 2}, 49e6, 0.0, 1.0)) << "what is left";
}

TEST_F(RelayDeskOf, ASingleGrantThatIsThereAlreadyMayGrow) {
    EXPECT_TRUE(desk.request({1, 2}, 10e6, 0.0, 1.0));
    desk.on_interface(95e6);
    EXPECT_TRUE(desk.request({1, 2}, 300e6, 0.0, 1.0)) << "though others take most of the interface";
    EXPECT_DOUBLE_EQ(desk.load(), 3.0);
}

TEST_F(RelayDeskOf, WhatPassesTheInterfaceCountsAsWell) {
    desk.on_interface(70e6);
    EXPECT_DOUBLE_EQ(desk.load(), 0.7);
    EXPECT_FALSE(desk.request({1, 2}, 31e6, 0.0, 1.0));
    EXPECT_TRUE(desk.request({1, 2}, 30e6, 0.0, 1.0));
    desk.on_interface(100e6);
    EXPECT_FALSE(desk.request({2, 3}, 1e6, 0.0, 2.0));
    desk.on_interface(0.0);
    EXPECT_DOUBLE_EQ(desk.load(), 0.3) << "what is granted stays";
    EXPECT_TRUE(desk.request({2, 3}, 70e6, 0.0, 2.0));
}

TEST_F(RelayDeskOf, WhatAGrantBringsItselfCountsOnce) {
    EXPECT_TRUE(desk.request({1, 2}, 20e6, 0.0, 1.0));
    EXPECT_TRUE(desk.request({2, 3}, 20e6, 0.0, 1.0));
    desk.on_interface(60e6);
    EXPECT_FALSE(desk.request({1, 2}, 61e6, 0.0, 2.0));
    EXPECT_TRUE(desk.request({1, 2}, 60e6, 0.0, 2.0)) << "beside 40 of others";
}

TEST_F(RelayDeskOf, AnInterfaceIsHeldAgainstTheMostThatItEverCarried) {
    desk.on_interface(400e6);
    EXPECT_DOUBLE_EQ(desk.load(), 1.0);
    desk.on_interface(200e6);
    EXPECT_DOUBLE_EQ(desk.load(), 0.5);
    EXPECT_TRUE(desk.request({1, 2}, 60e6, 0.0, 1.0));
    EXPECT_DOUBLE_EQ(desk.load(), 0.6) << "of the budget, which is the larger share";
    EXPECT_FALSE(desk.request({2, 3}, 41e6, 0.0, 1.0)) << "grants are held against the budget all the same";
}

TEST_F(RelayDeskOf, AGrantEndsALeaseAfterTheLastHeartbeat) {
    EXPECT_EQ(desk.next_deadline(), HUGE_VAL);
    desk.request({1, 2}, 10e6, 0.0, 1.0);
    desk.request({1, 3}, 10e6, 0.0, 1.5);
    desk.request({2, 3}, 10e6, 0.0, 2.0);
    EXPECT_DOUBLE_EQ(desk.next_deadline(), 1.0 + settings.lease_s);
    desk.renew({1, 2}, 10e6, 2.5);
    desk.renew({1, 3}, 10e6, 2.5);
    EXPECT_DOUBLE_EQ(desk.next_deadline(), 2.0 + settings.lease_s) << "both of its paths live on";
    desk.expire(3.9);
    EXPECT_EQ(desk.granted().size(), 3U);
    desk.expire(4.0);
    EXPECT_EQ(desk.granted(), (std::vector<Pair>{{1, 2}, {1, 3}}));
    EXPECT_TRUE(desk.request({1, 2}, 10e6, 0.0, 4.0)) << "a request renews it, too";
    desk.expire(4.5);
    EXPECT_EQ(desk.granted(), (std::vector<Pair>{{1, 2}}));
}

TEST_F(RelayDeskOf, APathThatIsInUseWithoutAGrantGetsAFairShare) {
    desk.request({1, 2}, 60e6, 0.0, 1.0);
    desk.renew({3, 2}, 80e6, 1.0);
    EXPECT_EQ(desk.granted(), (std::vector<Pair>{{1, 2}, {3, 2}}));
    EXPECT_DOUBLE_EQ(desk.load(), 1.1) << "60 and 50 of 100 Mbit/s";
    desk.renew({3, 3}, 80e6, 1.0);
    EXPECT_EQ(desk.granted().size(), 2U) << "no path";
}

TEST_F(RelayDeskOf, ASourceIsForgottenWithAllItsPaths) {
    desk.request({1, 2}, 10e6, 0.0, 1.0);
    desk.request({1, 3}, 10e6, 0.0, 1.0);
    desk.request({2, 1}, 10e6, 0.0, 1.0);
    desk.forget(1);
    EXPECT_EQ(desk.granted(), (std::vector<Pair>{{2, 1}}));
    EXPECT_DOUBLE_EQ(desk.load(), 0.1);
}

TEST_F(RelayDeskOf, PathsOutsideTheJobAreRefused) {
    EXPECT_FALSE(desk.request({1, 5}, 0.0, 0.0, 1.0));
    EXPECT_FALSE(desk.request({5, 1}, 0.0, 0.0, 1.0));
    EXPECT_FALSE(desk.request({1, 1}, 0.0, 0.0, 1.0));
    EXPECT_TRUE(desk.granted().empty());
}

TEST(RelayDesk, WithoutABudgetEverythingFitsAndGrantsAreCounted) {
    const RelaySettings settings;
    RelayDesk desk(5, 0.0, settings);
    EXPECT_DOUBLE_EQ(desk.load(), 0.0);
    desk.on_interface(1e12);
    EXPECT_TRUE(desk.request({1, 2}, 1e12, 0.0, 1.0));
    EXPECT_TRUE(desk.request({2, 3}, 1e12, 0.0, 1.0));
    EXPECT_DOUBLE_EQ(desk.load(), 2.0);
}

}  // namespace
}  // namespace fairlead::core
