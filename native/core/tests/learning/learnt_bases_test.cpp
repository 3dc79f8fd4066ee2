// SPDX-License-Identifier: Apache-2.0
// Baselines that are learnt: when one is known, what it is, and when a pair may be rerouted by it.
#include "learning/learnt_bases.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/controller_rig.hpp"

namespace fairlead::core {
namespace {

constexpr HostId kPeer = 1;

void bursts(LearntBases& learnt, int count, double half_round_trip_s, Time from = 0.0, double apart_s = 0.5) {
    for (int i = 0; i < count; ++i) learnt.on_burst(kPeer, half_round_trip_s, true, from + i * apart_s);
}

TEST(LearntBases, KnownAfterBurstsThatAreApart) {
    const Settings settings;
    LearntBases learnt(0, 3, settings);
    EXPECT_FALSE(learnt.known(kPeer));
    bursts(learnt, 3, 200e-6);
    learnt.on_burst(kPeer, 200e-6, false, 2.0);
    EXPECT_FALSE(learnt.known(kPeer)) << "a single probe is no burst";
    bursts(learnt, 10, 200e-6, 1.01, 0.02);
    EXPECT_FALSE(learnt.known(kPeer)) << "bursts in a row are of one moment";
    EXPECT_FALSE(learnt.base_s(kPeer).has_value());
    learnt.on_burst(kPeer, 150e-6, true, 1.5);
    EXPECT_TRUE(learnt.known(kPeer));
    EXPECT_DOUBLE_EQ(*learnt.base_s(kPeer), 150e-6) << "the least";
    EXPECT_DOUBLE_EQ(learnt.hidden_s(kPeer), 0.0);
    EXPECT_FALSE(learnt.known(2));
}

TEST(LearntBases, ADetourThatTakesLessShowsWhatProbesDoNot) {
    const Settings settings;
    LearntBases learnt(0, 3, settings);
    bursts(learnt, 4, 6e-3);
    EXPECT_DOUBLE_EQ(*learnt.base_s(kPeer), 6e-3);
    learnt.on_detour(kPeer, 5.5e-3);
    EXPECT_DOUBLE_EQ(learnt.hidden_s(kPeer), 0.0) << "less than a level: two paths differ";
    learnt.on_detour(kPeer, 500e-6);
    learnt.on_detour(kPeer, 800e-6);
    EXPECT_DOUBLE_EQ(*learnt.base_s(kPeer), 500e-6);
    EXPECT_DOUBLE_EQ(learnt.hidden_s(kPeer), 5.5e-3);
    learnt.on_burst(kPeer, 200e-6, true, 10.0);
    EXPECT_DOUBLE_EQ(*learnt.base_s(kPeer), 200e-6) << "the queue is gone";
    EXPECT_DOUBLE_EQ(learnt.hidden_s(kPeer), 0.0);
}

TEST(LearntBases, AnEarlierRunKnowsAtOnce) {
    const Settings settings;
    LearntBases learnt(0, 3, settings);
    learnt.set_prior(kPeer, 200e-6);
    EXPECT_TRUE(learnt.known(kPeer));
    EXPECT_DOUBLE_EQ(*learnt.base_s(kPeer), 200e-6);
    EXPECT_DOUBLE_EQ(learnt.hidden_s(kPeer), 0.0);
    learnt.on_burst(kPeer, 6e-3, true, 0.0);
    EXPECT_DOUBLE_EQ(*learnt.base_s(kPeer), 200e-6);
    EXPECT_DOUBLE_EQ(learnt.hidden_s(kPeer), 5.8e-3) << "congested when the run began";
}

TEST(LearntBases, LooksOftenUntilKnownThenNowAndThen) {
    const Settings settings;
    LearntBases learnt(0, 2, settings);
    Random random(3);
    EXPECT_EQ(learnt.due(0.0), std::vector<HostId>{kPeer});
    learnt.looked(kPeer, 0.0, random);
    EXPECT_GE(learnt.next_due(), 0.5 * settings.learn.period_s);
    EXPECT_LE(learnt.next_due(), 1.5 * settings.learn.period_s);
    EXPECT_TRUE(learnt.due(0.2 * settings.learn.period_s).empty());
    learnt.postpone(kPeer, 2.0);
    EXPECT_DOUBLE_EQ(learnt.next_due(), 2.0);
    EXPECT_TRUE(learnt.urgent(kPeer, 2.0)) << "however often it is postponed";
    bursts(learnt, 4, 1e-3);
    EXPECT_EQ(learnt.next_due(), HUGE_VAL) << "an agent does not wake for what is known";
    learnt.looked(kPeer, 10.0, random);
    EXPECT_TRUE(learnt.due(10.0 + 0.4 * settings.learn.later_s).empty());
    EXPECT_EQ(learnt.due(10.0 + 1.6 * settings.learn.later_s), std::vector<HostId>{kPeer});
}

TEST(LearntBases, TellsWhatIsNewOrNotablyLower) {
    const Settings settings;
    LearntBases learnt(0, 2, settings);
    EXPECT_FALSE(learnt.news(kPeer, true));
    bursts(learnt, 4, 1e-3);
    EXPECT_TRUE(learnt.news(kPeer, false));
    learnt.told(kPeer);
    EXPECT_FALSE(learnt.news(kPeer, true));
    learnt.on_burst(kPeer, 0.95e-3, true, 9.0);
    EXPECT_FALSE(learnt.news(kPeer, false));
    EXPECT_TRUE(learnt.news(kPeer, true)) << "at the end, all";
    learnt.on_burst(kPeer, 0.85e-3, true, 10.0);
    EXPECT_TRUE(learnt.news(kPeer, false));
}

ControllerConfig unknown_network() {
    ControllerConfig config(0, kHosts);
    config.seed = 5;
    config.learns = true;
    return config;
}

/// A pair in use for so long, with so much queueing on its direct path.
void in_use(Rig& rig, double seconds, double srtt_s, double direct_queue_s) {
    for (double passed_s = 0.0; passed_s < seconds; passed_s += 0.02) {
        rig.step(rig.sample(srtt_s), 0.01, direct_queue_s, 0.0);
        rig.step(Tick{}, 0.01, direct_queue_s, 0.0);
    }
}

TEST(Learning, APairWithoutABaselineIsNeverMoved) {
    ControllerConfig config = unknown_network();
    config.settings.learn.bursts = 1000;
    Rig rig(config);
    rig.greet_all();
    in_use(rig, 2.0, 300e-6, 0.0);
    in_use(rig, 8.0, 20e-3, 15e-3);
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    EXPECT_TRUE(rig.seen<BaseLearnt>().empty());
}

TEST(Learning, ReroutesByALearntBaselineOnceServiceWasMeasured) {
    Rig rig(unknown_network());
    rig.greet_all();
    in_use(rig, 6.0, 300e-6, 0.0);
    const std::vector<BaseLearnt> learnt = rig.seen<BaseLearnt>();
    ASSERT_FALSE(learnt.empty());
    EXPECT_NEAR(learnt.front().latency_s, 150e-6, 1e-9);
    EXPECT_DOUBLE_EQ(learnt.front().hidden_s, 0.0);
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    const Time congested_at = rig.now;
    in_use(rig, 8.0, 20e-3, 15e-3);  // loads that nobody reports are waited for three times
    ASSERT_FALSE(rig.seen<Rerouted>().empty());
    EXPECT_GE(rig.seen<Rerouted>().front().decided_at, congested_at + 11 * 0.02) << "a trial needs what was before";
    const std::vector<Kept> kept = rig.seen<Kept>();
    EXPECT_TRUE(std::ranges::any_of(kept, [](const Kept& s) { return s.reason == KeepReason::learning; }));
}

TEST(Learning, ARerouteThatImprovesNothingIsTakenBack) {
    Rig rig(unknown_network());
    rig.greet_all();
    in_use(rig, 6.0, 300e-6, 0.0);
    in_use(rig, 9.0, 20e-3, 15e-3);  // on the detour as well: the sockets' round trip stays
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const std::vector<Restored> restored = rig.seen<Restored>();
    ASSERT_EQ(restored.size(), 1U);
    EXPECT_EQ(restored.front().reason, RestoreReason::in_vain);
    EXPECT_LT(restored.front().away_s, 1.0);
    in_use(rig, 32.0, 20e-3, 15e-3);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 2U) << "once more after half a minute";
    in_use(rig, 55.0, 20e-3, 15e-3);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 2U) << "and then after twice as long";
}

TEST(Learning, ARerouteThatHelpsIsKept) {
    Rig rig(unknown_network());
    rig.greet_all();
    in_use(rig, 6.0, 300e-6, 0.0);
    for (int i = 0; i < 250 && rig.seen<Rerouted>().empty(); ++i) in_use(rig, 0.04, 20e-3, 15e-3);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    in_use(rig, 6.0, 600e-6, 15e-3);
    EXPECT_TRUE(rig.seen<Restored>().empty());
}

TEST(Learning, TellsTheRestAtTheEnd) {
    ControllerConfig config = unknown_network();
    config.base.set_latency({0, 2}, 64, 170e-6, -1.0);
    Rig rig(config);
    rig.on(Tick{});
    rig.on(Stop{}, 0.1);
    ASSERT_EQ(rig.seen<BaseLearnt>().size(), 1U);
    EXPECT_EQ(rig.seen<BaseLearnt>().front().path, (Pair{0, 2}));
}

}  // namespace
}  // namespace fairlead::core
