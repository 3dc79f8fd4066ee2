// SPDX-License-Identifier: Apache-2.0
// What begins a search, and what follows from its result.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tests/reroutes/reroutes_rig.hpp"

namespace fairlead::core {
namespace {

class RerouteSearches : public ReroutesRig {};

TEST_F(RerouteSearches, SignsOfTheSocketsBeginASearchAndTheNextOneWaits) {
    for (const double srtt_s : {3e-4, 3e-4, 20e-3}) {
        at(rig.now + 0.04);
        reroutes.on_sample({1, srtt_s, 3e-4, 20000, rig.delivered_B[1] += 2000, 0, 0, false, 0.0, 0.0});
    }
    const auto probes = only<SendProbes>(rig.out.take());
    ASSERT_EQ(probes.size(), 1U);
    EXPECT_EQ(probes[0].peer, 1);
    rig.probe(1, 0.0, probes[0].burst);
    at(rig.now);
    reroutes.progress();  // a false alarm
    at(rig.now + 0.001);
    reroutes.on_sample({1, 20e-3, 3e-4, 20000, rig.delivered_B[1] += 2000, 0, 0, false, 0.0, 0.0});
    EXPECT_TRUE(only<SendProbes>(rig.out.take()).empty());
}

TEST_F(RerouteSearches, ANoticeAboutAPairThatIsNotInUseBeginsNoSearch) {
    reroutes.on_notice({0, 1, CongestionLevel::high, 5e-3, 0.0});
    EXPECT_TRUE(rig.out.take().empty());
    rig.sample(1, 2000);
    rig.sample(1, 2000);
    at(rig.now);
    reroutes.on_notice({0, 1, CongestionLevel::high, 5e-3, 0.4});
    EXPECT_EQ(only<SendProbes>(rig.out.take()).size(), 1U);
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(1, rig.now), 0.4);
}

TEST_F(RerouteSearches, AFalseAlarmIsFollowedByAShortPause) {
    const wire::Notice notice{0, 1, CongestionLevel::high, 5e-3, 0.0};
    use(1);
    reroutes.on_notice(notice);
    EXPECT_EQ(looks(step()), std::vector<HostId>{1});  // there is no queue
    at(rig.now + 0.02);
    reroutes.on_notice(notice);
    EXPECT_TRUE(looks(rig.out.take()).empty());
    at(rig.now + 0.02);
    reroutes.on_notice(notice);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

class NewPairs : public ReroutesRig {
  protected:
    static Job job() {
        Job job = rig_job();
        job.settings.suspicion.watched_s = 0.5;
        return job;
    }
    NewPairs() : ReroutesRig(job()) {}
};

TEST_F(NewPairs, AreWatchedForAWhileFirst) {
    for (const Time begin = rig.now; rig.now < begin + 0.4;) {
        suspect(1);
        EXPECT_TRUE(looks(rig.out.take()).empty()) << rig.now - begin;
    }
    use(1);
    suspect(1);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

TEST_F(NewPairs, WhoseBytesDoNotArriveAreLookedAtAtOnce) {
    use(1);
    for (int i = 0; i < 6; ++i) {  // of which nothing is acknowledged
        at(rig.now + 0.04);
        reroutes.on_sample({1, 300e-6, 300e-6, 20000, rig.delivered_B[1], 0, 0, false, 0.0, 0.0});
    }
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

TEST_F(RerouteSearches, NoneBeginsWithoutProcessorTimeToSpare) {
    reroutes.set_spare(false);
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty());
    reroutes.set_spare(true);
    suspect(1);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

TEST_F(RerouteSearches, NoneBeginsWhereOthersDecide) {
    rig.job.automatic = false;
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty());
    rig.job.automatic = true;
    reroutes.stop(1);
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "the run ends";
}

TEST_F(RerouteSearches, NoneBeginsWhileARouteIsTriedOrChanged) {
    reroutes.request_manually(1, 3);
    const auto echoes = only<SendEcho>(rig.out.take());
    ASSERT_EQ(echoes.size(), 1U);
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "it is tried";
    reroutes.on_echo({echoes[0].echo.token, 0, 1, 3});
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "the guardian has not answered";
    reroutes.on_guardian(RerouteDone{1, 3});
    at(rig.now + 1.0);
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "a manual detour stays";
}

TEST_F(RerouteSearches, NoneBeginsWhereTheJobFillsThePathItself) {
    suspect(1, 800000);  // 160 Mbit/s of 200
    EXPECT_TRUE(looks(rig.out.take()).empty());
    suspect(1, 600000);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

TEST_F(RerouteSearches, APathThatIsKnownToBeSlowMayOverdrawTheBudgetOfProbes) {
    ProbeDesk& probes = rig.paths.probes();
    const auto spend = [&] {
        for (; probes.affordable(2, rig.now); at(rig.now + 0.004)) {
            for (HostId peer = 2; peer < kRigHosts; ++peer) probes.burst(peer, rig.now, rig.out.actions());
        }
        rig.out.take();
    };
    use(1);
    spend();
    sample(1, 20e-3);
    EXPECT_TRUE(looks(rig.out.take()).empty());
    rig.paths.judge(*rig.probe(1, 10e-3, probes.burst(1, rig.now, rig.out.actions())), rig.now, rig.out);
    ASSERT_EQ(rig.paths.congestion_level(1), CongestionLevel::high);
    spend();
    at(rig.now + 0.001);
    sample(1, 20e-3);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

TEST_F(RerouteSearches, CongestionLeadsToARelayThatGrantsAndIsProved) {
    queue_s[1] = 10e-3;
    suspect(1);
    const Time begun = rig.now;
    const std::vector<Action> actions = steps(40);
    EXPECT_EQ(messages<wire::RelayRequest>(actions).size(), 1U);
    EXPECT_TRUE(only<SendEcho>(actions).at(0).trial);
    const auto rerouted = only<Rerouted>(actions);
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_EQ(rerouted[0].destination, 1);
    EXPECT_EQ(rerouted[0].before, kNoHost);
    EXPECT_EQ(rerouted[0].relay, messages<wire::RelayRequest>(actions)[0].first);
    EXPECT_FALSE(rerouted[0].manual);
    EXPECT_FALSE(rerouted[0].ahead);
    EXPECT_DOUBLE_EQ(rerouted[0].suspected_at, begun);
    EXPECT_NEAR(rerouted[0].queue_delay_s, 10e-3, 1e-9);
    EXPECT_GT(rerouted[0].foreign_share, 0.9);
    EXPECT_EQ(rig.traffic.relay(1), rerouted[0].relay);
    EXPECT_TRUE(rig.traffic.uses(1).was_congested());
    EXPECT_TRUE(only<Kept>(actions).empty());
}

TEST_F(RerouteSearches, OfRelaysThatRefuseEachIsAskedOnce) {
    queue_s[1] = 10e-3;
    grants = false;
    suspect(1);
    const std::vector<Action> actions = until<Kept>();
    std::set<HostId> asked;
    for (const auto& [relay, request] : messages<wire::RelayRequest>(actions)) EXPECT_TRUE(asked.insert(relay).second);
    EXPECT_EQ(asked, (std::set<HostId>{2, 3, 4}));
    EXPECT_EQ(messages<wire::RelayRelease>(actions).size(), 3U);
    const auto kept = only<Kept>(actions);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].reason, KeepReason::refused);
    EXPECT_NEAR(kept[0].queue_delay_s, 10e-3, 1e-9);
    EXPECT_GT(kept[0].foreign_share, 0.9);
    rig.out.take();
    at(rig.now + 0.08);
    sample(1, 20e-3);
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "not again at once";
    at(rig.now + 0.02);
    sample(1, 20e-3);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
}

TEST_F(RerouteSearches, RelaysThatCarryNothingAreAvoidedForAWhile) {
    queue_s[1] = 10e-3;
    carries = false;
    suspect(1);
    std::vector<Action> actions = until<Kept>();
    EXPECT_EQ(messages<wire::RelayRequest>(actions).size(), 3U);
    ASSERT_EQ(only<Kept>(actions).size(), 1U);
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::not_carried);
    carries = true;
    at(rig.now + 0.6);
    suspect(1);
    actions = until<Kept>();
    EXPECT_TRUE(messages<wire::PathQuery>(actions).empty());
    ASSERT_FALSE(only<Kept>(actions).empty());
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::no_candidate);
    at(rig.now + AvoidedRelays::kSoon_s);
    suspect(1);
    EXPECT_EQ(only<Rerouted>(steps(40)).size(), 1U);
}

/// As on two hosts; by each path an echo takes 6 ms.
TEST_F(RerouteSearches, OfEqualCostPathsThatAreNoBetterItIsToldHowManyWereMeasured) {
    rig.job.ways = 3;
    for (HostId host = 2; host < kRigHosts; ++host) rig.peers.lose(host);
    rig.probe(1, 0.0);
    at(rig.now);
    queue_s[1] = 10e-3;
    suspect(1);
    const std::vector<Action> actions = until<Kept>();
    EXPECT_EQ(only<SendEcho>(actions).size(), 9U);
    EXPECT_TRUE(only<Reroute>(actions).empty());
    const auto kept = only<Kept>(actions);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].reason, KeepReason::no_better_way);
    EXPECT_EQ(kept[0].detail, "all 3 were measured");
    EXPECT_TRUE(is_way(kept[0].best));
    EXPECT_NEAR(kept[0].present_latency_s - kept[0].best_latency_s, 10e-3 - 5.7e-3, 1e-3);
}

TEST_F(RerouteSearches, AQueueOfTheJobsOwnBytesIsLeftAlone) {
    queue_s[1] = 5e-3;
    suspect(1, 500000);
    step_B[1] = 140000;  // 187 Mbit/s of 200
    const std::vector<Action> actions = until<Kept>();
    EXPECT_TRUE(messages<wire::RelayRequest>(actions).empty());
    const auto kept = only<Kept>(actions);
    ASSERT_FALSE(kept.empty());
    EXPECT_EQ(kept[0].reason, KeepReason::own_load);
    ASSERT_EQ(kept[0].flows.size(), 1U);
    EXPECT_EQ(kept[0].flows[0].pair, (Pair{0, 1}));
    // Rather too much than too little: the first report came late, and the one before it counts.
    EXPECT_GE(kept[0].flows[0].rate_bps, 8 * 140000 / 0.006 - 1.0);
    EXPECT_LE(kept[0].flows[0].rate_bps, 1.4 * 8 * 140000 / 0.006);
}

TEST_F(RerouteSearches, ARouteIsNotChangedAgainAtOnce) {
    queue_s[1] = 10e-3;
    suspect(1);
    ASSERT_EQ(only<Rerouted>(steps(40)).size(), 1U);
    reroutes.request_manually(1, kNoHost);
    ASSERT_EQ(only<Restored>(steps(2)).size(), 1U);
    suspect(1);
    std::vector<Action> actions = steps(20);
    ASSERT_EQ(only<Kept>(actions).size(), 1U);
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::held);
    EXPECT_NE(only<Kept>(actions)[0].best, kNoHost) << "that it would have taken";
    EXPECT_TRUE(messages<wire::RelayRequest>(actions).empty());
    at(rig.now + 1.0);
    suspect(1);
    EXPECT_EQ(only<Rerouted>(steps(40)).size(), 1U);
}

TEST_F(RerouteSearches, AReasonThatIsRepeatedIsNotReported) {
    queue_s[1] = 10e-3;
    grants = false;
    step_B[1] = 2000;
    suspect(1);
    const std::vector<Action> actions = steps(500);  // 3 s
    EXPECT_EQ(only<Kept>(actions).size(), 1U);
    EXPECT_GT(messages<wire::RelayRequest>(actions).size(), 3U) << "but it is looked at again";
}

TEST_F(RerouteSearches, ADestinationWithoutAPlaneIsLost) {
    queue_s[1] = 10e-3;
    rig.peers.lose(1);
    suspect(1);
    std::vector<Action> actions = steps(40);
    EXPECT_TRUE(messages<wire::PathQuery>(actions).empty());
    ASSERT_FALSE(only<Kept>(actions).empty());
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::destination_lost);
    rig.relay_role.disable();
    at(rig.now + 1.0);
    suspect(1);
    actions = steps(40);
    ASSERT_FALSE(only<Kept>(actions).empty());
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::no_candidate) << "without a plane here, it is not that";
}

TEST_F(RerouteSearches, ASlowPathIsLookedAtAgainWithoutASign) {
    const std::uint32_t burst = rig.paths.probes().burst(1, rig.now, rig.out.actions());
    rig.out.take();
    const auto done = rig.probe(1, 10e-3, burst);
    at(rig.now);
    rig.paths.judge(*done, rig.now, rig.out);
    reroutes.on_burst(*done);
    reroutes.advance();
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{1});
    EXPECT_DOUBLE_EQ(reroutes.next_due(), rig.now + rig.job.settings.report.keep_backoff_max_s);
    at(rig.now + 1.4);
    reroutes.advance();
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "so often is enough";
    queue_s[1] = 10e-3;
    at(reroutes.next_due());
    reroutes.advance();
    EXPECT_TRUE(messages<wire::PathQuery>(steps(10)).empty()) << "it is not in use";
    use(1);
    at(reroutes.next_due());
    rig.out.take();
    sample(1, 300e-6);
    reroutes.advance();
    EXPECT_FALSE(messages<wire::PathQuery>(steps(10)).empty()) << "now it is searched";
}

TEST_F(RerouteSearches, APathThatIsLowAgainRests) {
    const std::uint32_t burst = rig.paths.probes().burst(1, rig.now, rig.out.actions());
    const auto done = rig.probe(1, 10e-3, burst);
    at(rig.now);
    rig.paths.judge(*done, rig.now, rig.out);
    reroutes.on_burst(*done);
    at(rig.now + 2.0);
    rig.out.take();
    reroutes.advance();  // looks, and meets no queue
    steps(3);
    ASSERT_EQ(rig.paths.congestion_level(1), CongestionLevel::low);
    EXPECT_EQ(reroutes.next_due(), HUGE_VAL);
}

/// Uses that begin every 10 s.
class RerouteSearchesAhead : public ReroutesRig {
  protected:
    RerouteSearchesAhead() {
        for (int i = 0; i < 4; ++i) {
            at(100.0 + 10.0 * i);
            sample(1, 300e-6);
        }
        rig.out.take();
        at(131.0);
    }
    /// Another pair's search found congestion there, when the pair was not in use any more.
    void hear() { reroutes.on_notice({0, 1, CongestionLevel::high, 20e-3, 0.0}); }
    Time lead_s = rig.job.settings.pattern.lead_s;
};

TEST_F(RerouteSearchesAhead, BeginShortlyBeforeTheNextUse) {
    EXPECT_EQ(reroutes.next_due(), HUGE_VAL) << "the last one met no congestion";
    hear();
    EXPECT_TRUE(rig.out.take().empty());
    EXPECT_DOUBLE_EQ(reroutes.next_due(), 140.0 - lead_s);
    at(140.0 - lead_s - 0.001);
    reroutes.advance();
    EXPECT_TRUE(rig.out.take().empty());
    at(140.0 - lead_s);
    reroutes.advance();
    queue_s[1] = 10e-3;
    const auto rerouted = only<Rerouted>(steps(40));
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_TRUE(rerouted[0].ahead);
    EXPECT_LT(rig.now, 140.0);
}

TEST_F(RerouteSearchesAhead, LookOncePerUse) {
    hear();
    at(140.0 - lead_s);
    reroutes.advance();
    EXPECT_EQ(looks(steps(5)), std::vector<HostId>{1});  // there is no queue
    at(140.0 - lead_s / 2.0);
    reroutes.advance();
    EXPECT_TRUE(looks(rig.out.take()).empty());
    at(140.0);
    sample(1, 300e-6);
    at(141.0);
    hear();
    at(150.0 - lead_s);
    reroutes.advance();
    EXPECT_EQ(looks(steps(5)), std::vector<HostId>{1}) << "the next use is another";
}

TEST_F(RerouteSearchesAhead, AreOfTheLastUseOnly) {
    hear();
    at(140.0);
    sample(1, 300e-6);
    at(150.0 - lead_s);
    reroutes.advance();
    EXPECT_TRUE(looks(rig.out.take()).empty()) << "it met no congestion";
}

/// A detour that was taken, and is not held any more.
class RerouteSearchesOfDetours : public ReroutesRig {
  protected:
    RerouteSearchesOfDetours() {
        queue_s[1] = 20e-3;
        suspect(1);
        for (const Rerouted& rerouted : only<Rerouted>(steps(40))) relay = rerouted.relay;
        step_B[1] = 2000;
        steps(150);
    }
    void slow_down() { queue_s[relay] = 40e-3; }
    HostId relay = kNoHost;
};

TEST_F(RerouteSearchesOfDetours, ASlowOneIsLeftForAnother) {
    ASSERT_NE(relay, kNoHost);
    ASSERT_EQ(rig.traffic.relay(1), relay);
    slow_down();
    const auto rerouted = only<Rerouted>(steps(300));
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_EQ(rerouted[0].before, relay);
    EXPECT_NE(rerouted[0].relay, relay);
    EXPECT_NEAR(rerouted[0].queue_delay_s, 40e-3, 1e-9);
    EXPECT_DOUBLE_EQ(rerouted[0].foreign_share, 1.0);
}

TEST_F(RerouteSearchesOfDetours, ASlowOneIsLeftForADirectPathThatHasBeenLow) {
    queue_s[1] = 0.0;
    for (HostId other = 2; other < kRigHosts; ++other) queue_s[other] = 40e-3;
    const auto restored = only<Restored>(steps(300));
    ASSERT_EQ(restored.size(), 1U);
    EXPECT_EQ(restored[0].relay, relay);
    EXPECT_EQ(restored[0].reason, RestoreReason::detour_slow);
}

/// The queue of a few streams is empty for part of the time.
TEST_F(RerouteSearchesOfDetours, WhoReturnedToAPathThatIsCongestedAfterAllLeavesItAgain) {
    queue_s[1] = 0.0;
    for (HostId other = 2; other < kRigHosts; ++other) queue_s[other] = 40e-3;
    ASSERT_EQ(only<Restored>(until<Restored>()).size(), 1U);
    queue_s[1] = 20e-3;
    for (HostId other = 2; other < kRigHosts; ++other) queue_s[other] = 0.0;
    const Time returned = rig.now;
    EXPECT_EQ(only<Rerouted>(until<Rerouted>()).size(), 1U) << "it was no better there, and detours are";
    EXPECT_LE(rig.now - returned, 2.5);
}

TEST_F(RerouteSearchesOfDetours, OneThatIsNotSlowStays) {
    const std::vector<Action> actions = steps(300);
    EXPECT_TRUE(only<Rerouted>(actions).empty());
    EXPECT_TRUE(only<Restored>(actions).empty());
    EXPECT_EQ(rig.traffic.relay(1), relay);
}

/// Nothing was measured before the run.
class RerouteSearchesThatLearn : public ReroutesRig {
  protected:
    static Job job() {
        Job job = rig_job();
        job.learns = true;
        return job;
    }
    static BaseTable base() {
        BaseTable base(kRigHosts);
        base.set_latency({0, 2}, 64, 150e-6, -1.0);  // of an earlier run
        return base;
    }
    RerouteSearchesThatLearn() : ReroutesRig(job(), base(), SharingRelation(kRigHosts)) {}
};

TEST_F(RerouteSearchesThatLearn, NoneBeginsBeforeTheBaselineIsKnown) {
    suspect(1);
    EXPECT_TRUE(looks(rig.out.take()).empty());
    suspect(2);
    EXPECT_EQ(looks(rig.out.take()), std::vector<HostId>{2});
}

TEST_F(RerouteSearchesThatLearn, WhatThePairGetsIsMeasuredBeforeItLeavesTheDirectPath) {
    queue_s[2] = 10e-3;
    step_B[2] = 2000;
    suspect(2);
    const std::vector<Action> actions = steps(200);
    ASSERT_FALSE(only<Kept>(actions).empty());
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::learning);
    EXPECT_EQ(only<Rerouted>(actions).size(), 1U);
}

}  // namespace
}  // namespace fairlead::core
