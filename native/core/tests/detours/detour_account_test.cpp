// SPDX-License-Identifier: Apache-2.0
#include "detours/detour_account.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

constexpr double kSample_s = 0.04;
constexpr double kFree_s = 2e-3;
constexpr DetourAccount::DirectPath kFree{0.0, true};
constexpr DetourAccount::DirectPath kCongested{18e-3, false};

class Account : public testing::Test {
  protected:
    Account() {
        settings.credit_s = 0.2;
        settings.credit_share = 0.5;
    }
    SocketSample sample(double srtt_s, double busy_share) {
        now += kSample_s;
        busy_s += busy_share * kSample_s;
        SocketSample taken{1, srtt_s};
        taken.busy_s = busy_s;
        return taken;
    }
    void direct(double srtt_s, int samples = 20) {
        for (int i = 0; i < samples; ++i) account.on_direct(sample(srtt_s, 0.5));
    }
    /// So long on a detour with these round trips.
    void detour(double for_s, const DetourAccount::DirectPath& direct, double srtt_s = 2 * kFree_s,
                double busy_share = 1.0) {
        for (const Time end = now + for_s - 1e-6; now < end;) {
            account.on_detour(sample(srtt_s, busy_share), direct, now);
        }
    }
    void leave(bool losing = false) {
        account.leaves_direct(losing);
        account.changed();
        account.on_detour(sample(2 * kFree_s, 1.0), kFree, now);  // from here on it is counted
    }

    DetourSettings settings;
    DetourAccount account{settings};
    Time now = 100.0;
    double busy_s = 0.0;
};

TEST_F(Account, ADetourMayLoseItsCredit) {
    direct(kFree_s);
    leave();
    EXPECT_FALSE(account.spent());
    detour(0.36, kFree);
    EXPECT_FALSE(account.spent()) << "half of the time with bytes in flight is lost";
    detour(0.08, kFree);
    EXPECT_TRUE(account.spent());
}

TEST_F(Account, WhatItGainedIsCreditToo) {
    direct(kFree_s);
    leave();
    detour(1.0, kCongested);  // would take five times as long; at most the time itself counts
    detour(1.32, kFree);
    EXPECT_FALSE(account.spent());
    detour(0.16, kFree);
    EXPECT_TRUE(account.spent());
}

TEST_F(Account, LastsOverSeveralDetours) {
    direct(kFree_s);
    leave();
    detour(0.44, kFree);
    ASSERT_TRUE(account.spent());
    account.changed();
    direct(kFree_s);
    leave();
    EXPECT_TRUE(account.spent());
    detour(0.2, kCongested);
    EXPECT_FALSE(account.spent()) << "it gains again";
}

TEST_F(Account, OnlyTimeWithBytesInFlightCounts) {
    direct(kFree_s);
    leave();
    detour(3.0, kFree, 2 * kFree_s, 0.1);
    EXPECT_FALSE(account.spent()) << "a program that computes most of the time loses little";
    detour(10.0, kFree, 1.05 * kFree_s);
    EXPECT_TRUE(account.spent());
}

TEST_F(Account, ADetourThatIsAsFastCostsNothing) {
    direct(kFree_s);
    leave();
    detour(60.0, kFree, kFree_s);
    EXPECT_FALSE(account.spent());
    detour(60.0, {18e-3, true}, 10 * kFree_s);
    EXPECT_FALSE(account.spent()) << "as slow as the direct path with what it queues";
}

/// Short queues that lose segments cost time-outs.
TEST_F(Account, APathThatLosesSegmentsIsWorthLeaving) {
    direct(kFree_s);
    leave();
    detour(1.0, {0.5 * kFree_s, false});
    detour(0.6, kFree);
    EXPECT_TRUE(account.spent()) << "a short queue delays less than the detour";
    account.changed();
    direct(kFree_s);
    leave(true);
    detour(1.0, {0.5 * kFree_s, false});
    detour(0.6, kFree);
    EXPECT_FALSE(account.spent());
}

TEST_F(Account, SaysNothingWhereTheFreeDirectPathIsNotKnown) {
    direct(kFree_s, 5);
    leave();
    detour(60.0, kFree);
    EXPECT_FALSE(account.spent());
}

/// The newest samples may be of congestion that no probe has found yet.
TEST_F(Account, AFewSamplesOfCongestionDoNotCount) {
    direct(kFree_s);
    direct(20 * kFree_s, 4);
    leave();
    detour(0.44, kFree);
    EXPECT_TRUE(account.spent());
}

TEST_F(Account, TimeBetweenSamplesOfTwoPathsIsNotBooked) {
    direct(kFree_s);
    leave();
    now += 10.0;
    busy_s += 10.0;
    account.changed();
    account.on_detour(sample(2 * kFree_s, 1.0), kFree, now);
    EXPECT_FALSE(account.spent());
}

}  // namespace
}  // namespace fairlead::core
