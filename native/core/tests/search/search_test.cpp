// SPDX-License-Identifier: Apache-2.0
// One search alone: its steps, and how it judges what it measured.
#include "search/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

/// Sockets, peers and probes answer a search of the path to host 1.
class SearchOf : public testing::Test {
  protected:
    using Step = Search::Step;
    using Verdict = Search::Verdict;

    SearchOf() {
        rig.greet();
        rig.sample(1, 2000);
        rig.sample(1, 2000);
    }
    Search begin(Suspicion why = Suspicion::delay) {
        Search search(rig.parts, 1, why, rig.now);
        search.begin(rig.now, rig.out);
        return search;
    }
    /// Answers what was asked: queues of the direct path and of the legs, in s; below 0: nothing comes back.
    void answer(Search& search, double direct_s, double leg_s) {
        const std::vector<Action> actions = rig.out.take();
        for (const SendProbes& probes : only<SendProbes>(actions)) {
            const double queue_s = probes.peer == 1 ? direct_s : leg_s;
            for (int i = 0; i < probes.count; ++i) {
                rig.paths.probes().on_result({probes.peer, probes.burst, rig.now + 0.003 * i, queue_s < 0.0,
                                              300e-6 + std::max(0.0, queue_s), std::max(0.0, queue_s), 0.0, 0.0},
                                             rig.now + 0.003 * i);
            }
        }
        for (const SendEcho& sent : only<SendEcho>(actions)) {
            const double queue_s = is_way(sent.echo.relay) ? ways_s[way_number(sent.echo.relay)] : -1.0;
            if (queue_s < 0.0) continue;
            EXPECT_TRUE(search.take_echo({sent.echo.token, 0, 1, sent.echo.relay}, rig.now + 300e-6 + queue_s));
        }
        for (const auto& [relay, query] : messages<wire::PathQuery>(actions)) {
            search.take_report(relay, {query.token, 1, 3, 3, leg_s, 150e-6, 0.0}, rig.now + 0.006);
        }
        rig.now += 0.006;
        const auto entries = rig.traffic.load_entries(rig.now);
        for (const std::uint32_t token : rig.load_reports.answer(true, entries, rig.now, rig.out)) {
            search.count().take(0, token, entries, rig.now);
        }
    }
    /// Until something is for the caller to do.
    Step run(Search& search, double direct_s, double leg_s) {
        for (int round = 0; round < 100; ++round) {
            answer(search, direct_s, leg_s);
            const Step step = search.advance(rig.now, rig.out);
            if (step == Step::queue) {
                search.query(0, avoided, rig.now, random, rig.out);
            } else if (step != Step::waiting) {
                return step;
            }
        }
        return Step::waiting;
    }
    PartsRig rig;
    AvoidedRelays avoided;
    Random random{1};
    double ways_s[kMaxWays] = {};  ///< queues of the equal-cost paths; below 0: no echo comes back
};

TEST_F(SearchOf, AFalseAlarmEndsAfterABurst) {
    Search search = begin();
    EXPECT_EQ(search.advance(rig.now, rig.out), Step::waiting);
    EXPECT_EQ(search.next_due(rig.now), HUGE_VAL);
    EXPECT_EQ(run(search, 0.2e-3, 0.0), Step::no_queue);
}

TEST_F(SearchOf, TheJobsOwnLoadIsCountedFromASignThatIsMoreThanTheLastFalseAlarm) {
    const auto counts = [&](double srtt_s, Suspicion why) {
        rig.now += 0.04;
        rig.delivered_B[1] += 1000;
        rig.traffic.on_sample({1, srtt_s, 3e-4, 20000, rig.delivered_B[1], 0, 0, false, 0.0, 0.0}, rig.now);
        rig.out.take();
        begin(why);
        return only<SampleSockets>(rig.out.take()).size();
    };
    EXPECT_EQ(counts(0.9e-3, Suspicion::delay), 0U) << "counted once the path was found to be slow";
    EXPECT_EQ(counts(4e-3, Suspicion::delay), 1U);
    EXPECT_EQ(counts(4e-3, Suspicion::loss), 0U);
}

TEST_F(SearchOf, AStandingQueueOfOthersIsCongestion) {
    const Time begun = rig.now;
    Search search = begin();
    ASSERT_EQ(run(search, 10e-3, 0.0), Step::measured);
    EXPECT_EQ(search.judge(rig.now), Verdict::congested);
    EXPECT_DOUBLE_EQ(search.decision().suspected_at, begun);
    EXPECT_NEAR(search.decision().queue_delay_s, 10e-3, 1e-9);
    EXPECT_GT(search.decision().foreign_share, 0.9);
    EXPECT_LT(rig.now - begun, 0.2);
    search.measure();
    const Choice choice = search.choose(0, random);
    ASSERT_NE(choice.relay, kNoHost);
    rig.out.take();
    search.ask_relay(choice, rig.now, rig.out);
    EXPECT_EQ(messages<wire::RelayRequest>(rig.out.take()).at(0).first, choice.relay);
    ASSERT_NE(search.asked(), nullptr);
    EXPECT_EQ(search.relay(), choice.relay);
}

TEST_F(SearchOf, AQueueOfTheJobsOwnBytesIsNot) {
    Search search = begin();
    for (int round = 0; round < 100; ++round) {
        rig.delivered_B[1] += 160000;  // in 6 ms: more than the link carries
        rig.traffic.on_sample({1, 20e-3, 3e-4, 200000, rig.delivered_B[1], 0, 0, false, 0.0, 0.0}, rig.now);
        answer(search, 10e-3, 0.0);
        const Step step = search.advance(rig.now, rig.out);
        if (step == Step::queue) search.query(0, avoided, rig.now, random, rig.out);
        if (step == Step::measured) break;
    }
    EXPECT_EQ(search.judge(rig.now), Verdict::own_load);
}

/// Another look is due, and finds it.
TEST_F(SearchOf, APathThatFallsSilentAfterAMixedBurstIsFoundSilent) {
    Search search = begin();
    for (const SendProbes& probes : only<SendProbes>(rig.out.take())) {
        for (int i = 0; i < probes.count; ++i) {
            const double queue_s = i + 1 == probes.count ? 10e-3 : 0.0;
            rig.paths.probes().on_result(
                {1, probes.burst, rig.now + 0.003 * i, false, 300e-6 + queue_s, queue_s, 0.0, 0.0},
                rig.now + 0.003 * i);
        }
    }
    rig.now += 0.01;
    ASSERT_EQ(search.advance(rig.now, rig.out), Step::waiting) << "it looks again";
    rig.now += 1.0;
    rig.traffic.on_sample({1, 3e-4, 3e-4, 20000, rig.delivered_B[1], 0, 0, false, 0.0, 0.0}, rig.now);
    EXPECT_EQ(run(search, -1.0, 0.0), Step::measured);
    EXPECT_TRUE(search.found().silent);
}

TEST_F(SearchOf, ASilentPathIsBelievedOnlyIfTheSocketsStandStill) {
    Search search = begin();
    EXPECT_EQ(run(search, -1.0, 0.0), Step::no_queue);
    EXPECT_FALSE(search.found().silent);
    rig.now += 1.0;
    rig.traffic.on_sample({1, 3e-4, 3e-4, 20000, rig.delivered_B[1], 0, 0, false, 0.0, 0.0}, rig.now);
    Search stalled = begin(Suspicion::stall);
    EXPECT_EQ(run(stalled, -1.0, 0.0), Step::measured);
    EXPECT_TRUE(stalled.found().silent);
    EXPECT_EQ(stalled.judge(rig.now), Verdict::congested);
    EXPECT_DOUBLE_EQ(stalled.decision().foreign_share, 1.0);
}

TEST_F(SearchOf, AQueueThatIsGoneWhenJudgedIsNone) {
    Search search = begin();
    answer(search, 10e-3, 0.0);
    ASSERT_EQ(search.advance(rig.now, rig.out), Step::queue);
    search.query(0, avoided, rig.now, random, rig.out);
    ASSERT_EQ(run(search, 0.0, 0.0), Step::measured);
    EXPECT_EQ(search.judge(rig.now), Verdict::no_queue);
}

TEST_F(SearchOf, ARelayThatRefusesIsDroppedAndTheNextOneChosen) {
    Search search = begin();
    ASSERT_EQ(run(search, 10e-3, 0.0), Step::measured);
    ASSERT_EQ(search.judge(rig.now), Verdict::congested);
    search.measure();
    for (int asked = 0; asked < 3; ++asked) {
        const Choice choice = search.choose(0, random);
        ASSERT_NE(choice.relay, kNoHost) << asked;
        search.ask_relay(choice, rig.now, rig.out);
        EXPECT_EQ(search.advance(rig.now, rig.out), Step::waiting);
        rig.now += 0.051;
        EXPECT_EQ(search.advance(rig.now, rig.out), Step::refused);
        rig.out.take();
        search.drop_relay(rig.out);
        EXPECT_EQ(messages<wire::RelayRelease>(rig.out.take()).at(0).first, choice.relay);
    }
    EXPECT_EQ(search.choose(0, random).reason, KeepReason::refused);
}

TEST_F(SearchOf, ADetourThatCarriesNothingIsTheReason) {
    rig.peers.lose(2);
    rig.peers.lose(4);
    Search search = begin();
    ASSERT_EQ(run(search, 10e-3, 0.0), Step::measured);
    ASSERT_EQ(search.judge(rig.now), Verdict::congested);
    search.measure();
    search.ask_relay(search.choose(0, random), rig.now, rig.out);
    search.asked()->grant(rig.now);
    search.advance(rig.now + 0.016, rig.out);
    EXPECT_TRUE(search.relay_broken());
    search.drop_relay(rig.out);
    EXPECT_EQ(search.choose(0, random).reason, KeepReason::not_carried);
}

TEST_F(SearchOf, WithoutCandidatesThereIsNoChoice) {
    for (HostId host = 2; host < kRigHosts; ++host) rig.peers.lose(host);
    Search search = begin();
    ASSERT_EQ(run(search, 10e-3, 0.0), Step::measured);
    search.judge(rig.now);
    search.measure();
    EXPECT_EQ(search.choose(0, random).reason, KeepReason::no_candidate);
}

/// There are three equal-cost paths to host 1.
class SearchOfWays : public SearchOf {
  protected:
    SearchOfWays() {
        rig.job.ways = 3;
        rig.probe(1, 0.0);
    }
    void lose_relays() {
        for (HostId host = 2; host < kRigHosts; ++host) rig.peers.lose(host);
    }
    /// Where the direct path queues for 10 ms, the legs to and from relays for so long.
    Choice chosen(double leg_s = 0.0) {
        Search search = begin();
        EXPECT_EQ(run(search, 10e-3, leg_s), Step::measured);
        search.judge(rig.now);
        search.measure();
        told = search.ways().told();
        return search.choose(0, random);
    }
    std::string told;
};

TEST_F(SearchOfWays, TheBestIsTakenThoughRelaysAreFree) {
    ways_s[0] = ways_s[2] = 10e-3;
    EXPECT_EQ(chosen().relay, way_of(1));
    EXPECT_EQ(told, "all 3 were measured");
}

TEST_F(SearchOfWays, WithoutARelayItIsTheReasonThatNoneIsBetter) {
    lose_relays();
    ways_s[0] = 9e-3;
    ways_s[1] = 8e-3;
    ways_s[2] = 11e-3;
    const Choice choice = chosen();
    EXPECT_EQ(choice.relay, kNoHost);
    EXPECT_EQ(choice.reason, KeepReason::no_better_way);
    EXPECT_EQ(choice.best, way_of(1));
    EXPECT_GT(choice.latency_s, 8e-3);
    EXPECT_EQ(told, "all 3 were measured");
}

TEST_F(SearchOfWays, ItIsToldHowManyWereMeasured) {
    lose_relays();
    std::ranges::fill(ways_s, 9e-3);
    ways_s[2] = -1.0;
    EXPECT_EQ(chosen().reason, KeepReason::no_better_way);
    EXPECT_EQ(told, "2 of 3 were measured");
    for (int number = 0; number < 3; ++number) avoided.lost(way_of(number), 60.0, rig.now);
    EXPECT_EQ(chosen().reason, KeepReason::no_better_way);
    EXPECT_EQ(told, "0 of 3 were measured");
    avoided = {};
    rig.job.ways = 1;
    EXPECT_EQ(chosen().reason, KeepReason::no_better_way);
    EXPECT_EQ(told, "the only one was measured");
}

TEST_F(SearchOfWays, ThatDeliverNothingAreTheReason) {
    lose_relays();
    std::ranges::fill(ways_s, -1.0);
    EXPECT_EQ(chosen().reason, KeepReason::not_carried);
    rig.peers.lose(1);
    EXPECT_EQ(chosen().reason, KeepReason::no_candidate) << "there are none to a host without a plane";
}

TEST_F(SearchOfWays, RelaysThatAreNoBetterEitherAreTheReason) {
    std::ranges::fill(ways_s, 8e-3);
    const Choice choice = chosen(9e-3);
    EXPECT_EQ(choice.relay, kNoHost);
    EXPECT_EQ(choice.reason, KeepReason::destination_congested);
    EXPECT_EQ(choice.best, way_of(0)) << "the fastest of all";
}

/// The pair is on a detour over host 3: all detours queue for so long, and the direct path for so long.
class SearchOfDetour : public SearchOf {
  protected:
    Verdict judge(double direct_s, double leg_s, bool direct_low) {
        rig.traffic.lead_over(1, 3);
        Search search(rig.parts, 1, Suspicion::delay, rig.now);
        search.query(0, avoided, rig.now, random, rig.out);
        EXPECT_EQ(run(search, direct_s, leg_s), Step::measured);
        const Verdict verdict = search.judge_detour(direct_low, rig.now);
        before = search.decision().before;
        kept = search.choose(0, random);
        return verdict;
    }
    HostId before = kNoHost;
    Choice kept;
};

TEST_F(SearchOfDetour, ThatIsSlowCompetesWithTheOthers) {
    EXPECT_EQ(judge(20e-3, 10e-3, false), Verdict::congested);
    EXPECT_EQ(before, 3);
}

TEST_F(SearchOfDetour, ThatIsNotSlowIsKept) {
    EXPECT_EQ(judge(20e-3, 0.2e-3, false), Verdict::not_slow);
}

TEST_F(SearchOfDetour, WhereTheOnlyRelayIsTheOneInUseTheWaysAreNotTheReason) {
    rig.job.ways = 3;
    rig.probe(1, 0.0);
    std::ranges::fill(ways_s, 40e-3);
    rig.peers.lose(2);
    rig.peers.lose(4);
    EXPECT_EQ(judge(20e-3, 10e-3, false), Verdict::congested);
    EXPECT_EQ(kept.relay, kNoHost);
    EXPECT_EQ(kept.reason, KeepReason::no_candidate);
    EXPECT_TRUE(is_way(kept.best)) << "the fastest of what was measured";
}

TEST_F(SearchOfDetour, IsLeftForADirectPathThatHasBeenLow) {
    EXPECT_EQ(judge(0.0, 10e-3, false), Verdict::congested) << "one look is not enough";
    EXPECT_EQ(judge(0.0, 10e-3, true), Verdict::direct_better);
}

}  // namespace
}  // namespace fairlead::core
