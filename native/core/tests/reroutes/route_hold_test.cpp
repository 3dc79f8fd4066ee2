// SPDX-License-Identifier: Apache-2.0
#include "reroutes/route_hold.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

constexpr int kTrial = 3;  // windows that a trial takes

class Hold : public testing::Test {
  protected:
    Hold() { settings.detour.hold_jitter = 0.0; }

    /// As much is carried as given, over so many of the judge's windows. Whether the last said that a trial was in
    /// vain.
    bool samples(RouteHold& hold, std::uint64_t size_B, int windows = 1, bool on_detour = true) {
        bool vain = false;
        for (int i = 0; i < windows * (settings.service.samples + 1); ++i) {
            now += 0.04;
            delivered_B += size_B;
            vain = hold.on_sample({1, 20e-3, 0.0, 20000, delivered_B}, on_detour, now, random) || vain;
        }
        return vain;
    }
    Settings settings;
    Random random{1};
    Time now = 100.0;
    std::uint64_t delivered_B = 0;
};

TEST_F(Hold, GrowsWithEachChangeFromRelayToRelay) {
    RouteHold hold(settings, false);
    EXPECT_FALSE(hold.holds(now));
    hold.rerouted({true, false, false, {}}, now, random);
    EXPECT_TRUE(hold.holds(now + 0.49));
    EXPECT_FALSE(hold.holds(now + 0.5));
    hold.rerouted({false, false, false, {}}, now, random);
    EXPECT_TRUE(hold.holds(now + 0.99));
    hold.rerouted({false, false, false, {}}, now, random);
    EXPECT_TRUE(hold.holds(now + 1.99));
    EXPECT_FALSE(hold.holds(now + 2.0));
    hold.restored(RestoreReason::direct_good, false, now, random);
    EXPECT_FALSE(hold.holds(now));
    hold.rerouted({true, false, false, {}}, now + 60.0, random);
    EXPECT_FALSE(hold.holds(now + 60.5)) << "what was learnt has ended with the congestion";
}

/// Such moves wait for each other, and nothing else for them.
TEST_F(Hold, AMoveThatProbesDoNotConfirmMustImproveWhatThePairGets) {
    RouteHold hold(settings, false);
    EXPECT_FALSE(hold.ready_for_trial(now));
    samples(hold, 10000, 1, false);
    ASSERT_TRUE(hold.ready_for_trial(now));
    hold.rerouted({true, false, false, {}, 0.0, true}, now, random);
    now += settings.service.deaf_s;
    EXPECT_TRUE(samples(hold, 10000, 1));
    hold.restored(RestoreReason::in_vain, false, now, random);
    EXPECT_FALSE(hold.holds(now + settings.detour.hold_s));
    EXPECT_TRUE(hold.holds_unseen(now));
    EXPECT_TRUE(hold.holds_unseen(now + 29.0));
    EXPECT_FALSE(hold.holds_unseen(now + 31.0));
    now += 40.0;
    hold.ready_for_trial(now);
    samples(hold, 10000, 1, false);
    hold.rerouted({true, false, false, {}, 0.0, true}, now, random);
    now += settings.service.deaf_s;
    EXPECT_TRUE(samples(hold, 10000, 1));
    EXPECT_TRUE(hold.holds_unseen(now + 59.0)) << "twice as long";
    now += 100.0;
    hold.ready_for_trial(now);
    samples(hold, 10000, 1, false);
    hold.rerouted({true, false, false, {}, 0.0, true}, now, random);
    now += settings.service.deaf_s;
    EXPECT_FALSE(samples(hold, 20000, 1)) << "it helped";
}

TEST_F(Hold, IsDrawn) {
    settings.detour.hold_jitter = 0.3;
    RouteHold hold(settings, false);
    for (int i = 0; i < 50; ++i) {
        hold.rerouted({true, false, false, {}}, now += 100.0, random);
        EXPECT_TRUE(hold.holds(now + 0.7 * 0.5));
        EXPECT_FALSE(hold.holds(now + 1.3 * 0.5));
    }
}

TEST_F(Hold, TheDwellTimeDoublesWhenCongestionIsBackSoon) {
    RouteHold hold(settings, false);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 2.0);
    hold.rerouted({true, false, false, {}}, 100.0, random);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 2.0);
    hold.restored(RestoreReason::direct_good, false, 110.0, random);
    hold.rerouted({true, false, false, {}}, 115.0, random);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 4.0);
    hold.restored(RestoreReason::direct_good, false, 120.0, random);
    hold.rerouted({true, false, false, {}}, 131.0, random);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 2.0);
    hold.restored(RestoreReason::direct_good, false, 140.0, random);
    hold.rerouted({true, false, false, 12.5}, 160.0, random);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 12.5) << "until it has been used once more";
    hold.rerouted({true, true, false, 20.0}, 170.0, random);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 12.5) << "by hand it changes nothing";
}

TEST_F(Hold, APauseIsNoSignThatCongestionIsBackSoon) {
    RouteHold hold(settings, false);
    hold.rerouted({true, false, false, {}}, 100.0, random);
    hold.restored(RestoreReason::paused, false, 100.2, random);
    EXPECT_FALSE(hold.holds(100.2)) << "it may be rerouted when the pause ends";
    hold.rerouted({true, false, false, {}}, 101.0, random);
    EXPECT_DOUBLE_EQ(hold.dwell_s(), 2.0);
}

TEST_F(Hold, AChangeThatImprovedNothingIsHeldForLong) {
    RouteHold hold(settings, false);
    samples(hold, 50000, 2);
    hold.rerouted({false, false, false, {}}, now, random);
    now += settings.service.deaf_s;
    EXPECT_FALSE(samples(hold, 50000, 2)) << "from relay to relay is no trial";
    EXPECT_TRUE(hold.holds(now + 20.0));
    hold.release(now);
    EXPECT_FALSE(hold.holds(now));
}

TEST_F(Hold, ATrialInVainEndsTheDetour) {
    RouteHold hold(settings, true);
    EXPECT_FALSE(hold.ready_for_trial(now));
    samples(hold, 50000, 2);
    EXPECT_TRUE(hold.ready_for_trial(now));
    hold.rerouted({true, false, false, {}}, now, random);
    now += settings.service.deaf_s;
    EXPECT_TRUE(samples(hold, 50000, 2));
    EXPECT_TRUE(hold.holds(now + 25.0));
    hold.restored(RestoreReason::in_vain, false, now, random);
    samples(hold, 50000, 2);
    EXPECT_FALSE(hold.ready_for_trial(now + 10.0)) << "what it got long ago does not count";
}

/// The direct path had seemed free.
TEST_F(Hold, AReturnThatImprovedNothingIsNotHeldLikeADetourInVain) {
    RouteHold hold(settings, false);
    for (const double wanted_s : {1.0, 2.0, 4.0, 8.0}) {
        hold.rerouted({true, false, false, {}}, now, random);
        now += settings.service.deaf_s;
        samples(hold, 60000, kTrial);
        hold.restored(RestoreReason::detour_slow, false, now, random);
        const Time returned = now;
        now += settings.service.deaf_s;
        EXPECT_FALSE(samples(hold, 45000, 2, false));
        EXPECT_TRUE(hold.holds(returned + wanted_s - 1e-6)) << "jobs that chase each other do so more and more slowly";
        EXPECT_FALSE(hold.holds(returned + wanted_s)) << wanted_s;
        now = returned + wanted_s;
    }
}

TEST_F(Hold, ADetourThatCarriesLessThanHalfIsComparedWithTheDirectPath) {
    RouteHold hold(settings, false);
    samples(hold, 50000, 2, false);
    hold.rerouted({true, false, false, {}}, now, random);
    now += settings.service.deaf_s;
    EXPECT_TRUE(samples(hold, 24000, kTrial)) << "it returns";
    EXPECT_TRUE(hold.holds(now + 25.0));

    // As much as on the detour, though it was much more before the congestion: the detour gained nothing.
    hold.restored(RestoreReason::in_vain, false, now, random);
    now += settings.service.deaf_s;
    samples(hold, 22000, kTrial, false);
    EXPECT_TRUE(hold.holds(now + 25.0));
}

TEST_F(Hold, ADetourThatIsBetterAfterAllIsTakenAgainAndTrusted) {
    RouteHold hold(settings, false);
    samples(hold, 50000, 2, false);
    hold.rerouted({true, false, false, {}}, now, random);
    now += settings.service.deaf_s;
    EXPECT_TRUE(samples(hold, 24000, kTrial));
    hold.restored(RestoreReason::in_vain, false, now, random);
    now += settings.service.deaf_s;
    samples(hold, 20000, kTrial, false);
    EXPECT_FALSE(hold.holds(now));

    hold.rerouted({true, false, false, {}}, now, random);
    now += settings.service.deaf_s;
    EXPECT_FALSE(samples(hold, 5000, kTrial)) << "one trial in this congestion";
    hold.restored(RestoreReason::direct_good, false, now, random);
    samples(hold, 50000, 2, false);
    hold.rerouted({true, false, false, {}}, now, random);
    now += settings.service.deaf_s;
    EXPECT_TRUE(samples(hold, 24000, kTrial)) << "in the next congestion it is tried again";
}

TEST_F(Hold, ADetourThatGivesLittleIsDoubtedUntilTheDirectPathWasTried) {
    constexpr double kFree_bps = 50000 / 0.04 * 8.0;
    RouteHold hold(settings, false);
    const auto reroute = [&](bool manual = false) {
        hold.rerouted({true, manual, false, {}, kFree_bps}, now, random);
        now += settings.service.deaf_s;
        samples(hold, 20000, 6);
        return hold.gets_little();
    };
    EXPECT_FALSE(reroute(true)) << "by hand";
    EXPECT_TRUE(reroute());
    hold.try_direct(now);
    EXPECT_TRUE(hold.holds(now + 25.0));
    hold.restored(RestoreReason::in_vain, false, now, random);
    now += settings.service.deaf_s;
    samples(hold, 15000, kTrial, false);
    EXPECT_FALSE(hold.holds(now)) << "the direct path gives less";
    EXPECT_FALSE(reroute()) << "so it is not tried again in this congestion";

    RouteHold learning(settings, true);
    learning.rerouted({true, false, false, {}, kFree_bps}, now, random);
    now += settings.service.deaf_s;
    samples(learning, 20000, 6);
    EXPECT_FALSE(learning.gets_little()) << "where nobody knows what the free path gives";
}

TEST_F(Hold, WhatCarriesHalfStays) {
    for (const bool manual : {false, true}) {
        RouteHold hold(settings, false);
        samples(hold, 50000, 2, false);
        hold.rerouted({true, manual, false, {}}, now, random);
        now += settings.service.deaf_s;
        EXPECT_FALSE(samples(hold, manual ? 5000 : 26000, 3)) << "a manual reroute is not judged";
    }
}

}  // namespace
}  // namespace fairlead::core
