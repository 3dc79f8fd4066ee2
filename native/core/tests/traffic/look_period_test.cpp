// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/look_period.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Rest, KeepsWorkBelowAShareOfTheTime) {
    EXPECT_DOUBLE_EQ(rest_s(0.010, 0.05), 0.190);
    EXPECT_DOUBLE_EQ(rest_s(0.010, 1.0), 0.0);
    EXPECT_DOUBLE_EQ(rest_s(0.0, 0.05), 0.0);
}

TEST(NextLook, ComesAtTheHostsOwnPlaceInThePeriod) {
    Time now = next_look(1000.0, 0.040, 3);
    for (int look = 0; look < 100; ++look) {
        const Time next = next_look(now + 0.001, 0.040, 3);  // the look itself takes a while
        EXPECT_NEAR(next - now, 0.040, 1e-9);
        now = next;
    }
    for (double asked = 0.0; asked < 0.040; asked += 0.001) {
        const double wait_s = next_look(1000.0 + asked, 0.040, 3) - (1000.0 + asked);
        EXPECT_GE(wait_s, 0.020 - 1e-9);
        EXPECT_LT(wait_s, 0.060);
    }
}

TEST(NextLook, KeepsHostsApart) {
    const auto place_s = [](HostId host) { return std::fmod(next_look(1000.0, 0.040, host) - 1000.0, 0.040); };
    for (HostId host = 0; host < 64; ++host) {
        for (HostId other = host + 1; other < host + 4; ++other) {
            const double apart_s = std::abs(place_s(host) - place_s(other));
            EXPECT_GT(std::min(apart_s, 0.040 - apart_s), 0.005) << host << " and " << other;
        }
    }
}

}  // namespace
}  // namespace fairlead::core
