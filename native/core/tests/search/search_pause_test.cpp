// SPDX-License-Identifier: Apache-2.0
#include "search/search_pause.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

class Pause : public testing::Test {
  protected:
    Settings settings;
    SearchPause pause{settings};
};

TEST_F(Pause, DoublesWhileThePairStays) {
    Time now = 100.0;
    for (const double wanted_s : {0.1, 0.2, 0.4, 0.8, 1.5, 1.5}) {
        pause.kept(now);
        EXPECT_FALSE(pause.over(now + wanted_s - 1e-6)) << wanted_s;
        now += wanted_s + 1e-6;
        EXPECT_TRUE(pause.over(now)) << wanted_s;
    }
    pause.restart();
    pause.kept(now);
    EXPECT_TRUE(pause.over(now + 0.1));
}

TEST_F(Pause, IsShortAfterAFalseAlarmAndLongerAfterFailedReroutes) {
    pause.kept(100.0);
    pause.kept(100.0);
    pause.cleared(100.0);
    EXPECT_DOUBLE_EQ(pause.next_relook(), 100.03);
    for (const double wanted_s : {2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0}) {
        pause.reroute_failed(100.0);
        EXPECT_DOUBLE_EQ(pause.next_relook(), 100.0 + wanted_s);
    }
    pause.rerouted();
    pause.reroute_failed(100.0);
    EXPECT_DOUBLE_EQ(pause.next_relook(), 102.0);
}

TEST_F(Pause, EndsEarlyWhenTheJobsBytesThatExplainedTheQueueGetLess) {
    pause.explained(0.9);
    for (int i = 0; i < 4; ++i) pause.kept(100.0);  // 0.8 s
    EXPECT_FALSE(pause.gets_less(0.1, 100.05)) << "the shortest pause is kept";
    EXPECT_TRUE(pause.gets_less(0.62, 100.11));
    EXPECT_FALSE(pause.gets_less(0.64, 100.11));
    pause.explained(0.0);
    EXPECT_FALSE(pause.gets_less(0.0, 100.11)) << "they did not explain it";
}

TEST_F(Pause, GivingWayLastsUntilTheQueueShouldHaveDrained) {
    pause.gave_way(100.0);
    EXPECT_FALSE(pause.relook_due(100.049));
    EXPECT_TRUE(pause.relook_due(100.051));
    pause.relooked(100.051);
    EXPECT_TRUE(pause.over(100.051)) << "signs of the sockets are followed";
    EXPECT_FALSE(pause.relook_due(101.5));
    EXPECT_TRUE(pause.relook_due(101.552));
}

TEST_F(Pause, ARepeatedReasonIsNotReported) {
    EXPECT_TRUE(pause.reports(KeepReason::own_load, 100.0));
    EXPECT_FALSE(pause.reports(KeepReason::own_load, 104.9));
    EXPECT_TRUE(pause.reports(KeepReason::not_better, 104.9));
    EXPECT_TRUE(pause.reports(KeepReason::own_load, 104.95));
    EXPECT_TRUE(pause.reports(KeepReason::own_load, 109.96));
    pause.rerouted();
    EXPECT_TRUE(pause.reports(KeepReason::own_load, 110.0));
}

}  // namespace
}  // namespace fairlead::core
