// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/choice.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace fairlead::core {
namespace {

MeasuredCandidate measured(HostId relay, double latency_s, double load, double first_s = 0.0, double second_s = 0.0) {
    MeasuredCandidate m;
    m.candidate.relay = relay;
    m.candidate.usable = true;
    m.candidate.latency_s = latency_s;
    m.first.queue_delay_s = first_s;
    m.second.queue_delay_s = second_s;
    m.load = load;
    return m;
}

TEST(Choice, ReasonsToKeep) {
    Random random(1);
    const ChoiceSettings settings;
    const PresentPath present{10e-3, 8e-3, 1e-3, false};
    const auto reason = [&](std::vector<MeasuredCandidate> m, PresentPath p) {
        const Choice choice = choose(m, p, 0, settings, random);
        EXPECT_EQ(choice.relay, kNoHost);
        return choice.reason;
    };
    EXPECT_EQ(reason({}, present), KeepReason::no_candidate);
    MeasuredCandidate silent = measured(1, 1e-3, 0.0);
    silent.second.usable = false;
    EXPECT_EQ(reason({silent}, present), KeepReason::no_answer);
    EXPECT_EQ(reason({silent}, {0.0, 0.0, 1e-3, true}), KeepReason::destination_silent);
    EXPECT_EQ(reason({measured(1, 9e-3, 0.0)}, present), KeepReason::not_better);
    EXPECT_EQ(reason({measured(1, 12e-3, 0, 0, 8e-3), measured(2, 11e-3, 0, 0, 7e-3)}, present),
              KeepReason::destination_congested);
    EXPECT_EQ(reason({measured(1, 12e-3, 0, 8e-3, 0), measured(2, 11e-3, 0, 7e-3, 0)}, present),
              KeepReason::source_congested);
    EXPECT_EQ(reason({measured(1, 6e-3, 0, 0, 5e-3)}, present), KeepReason::destination_congested)
        << "a leg that queues as well is the same queue";
    EXPECT_EQ(reason({measured(1, 0.6e-3, 0.0)}, {0.9e-3, 0.5e-3, 1e-3, false}), KeepReason::not_better)
        << "less than the least gain";
    MeasuredCandidate flagged = measured(1, 7e-3, 0.0);
    flagged.candidate.leg_shares = true;
    EXPECT_EQ(reason({flagged}, present), KeepReason::not_better) << "a flagged one needs more";
}

/// The pair gets 60 Mbit/s behind a queue of 8 ms. Where others of the job crowd the legs it would have to get 1.7
/// times that, or wait for those less than 0.6 of the queue.
TEST(Choice, ACrowdedDetourMustGiveMuchMore) {
    Random random(1);
    const auto taken = [&](std::optional<Crowd> crowd, double service_bps) {
        MeasuredCandidate m = measured(1, 1e-3, 0.0);
        m.crowd = crowd;
        const std::vector<MeasuredCandidate> one{m};
        return choose(one, {10e-3, 8e-3, 1e-3, false, service_bps}, 0, {}, random).relay;
    };
    EXPECT_EQ(taken(Crowd{100e6, 5e-3}, 60e6), kNoHost);
    EXPECT_EQ(taken(Crowd{103e6, 5e-3}, 60e6), 1);
    EXPECT_EQ(taken(Crowd{100e6, 4.5e-3}, 60e6), 1);
    EXPECT_EQ(taken(std::nullopt, 60e6), 1) << "its legs are not crowded";
    EXPECT_EQ(taken(Crowd{1e6, 9e-3}, 0.0), 1) << "what it gets is not known";
}

TEST(Choice, SpreadsOverGoodOnesByLoad) {
    Random random(2);
    const PresentPath present{10e-3, 8e-3, 1e-3, false};
    const std::vector<MeasuredCandidate> list = {measured(1, 2.0e-3, 0.9), measured(2, 2.1e-3, 0.1),
                                                 measured(3, 2.2e-3, 0.2), measured(4, 4.0e-3, 0.0)};
    std::map<HostId, int> taken;
    for (int i = 0; i < 3000; ++i) ++taken[choose(list, present, 0, {}, random).relay];
    EXPECT_EQ(taken[1], 0) << "the most loaded loses every draw of two";
    EXPECT_NEAR(taken[2], 2000, 150);
    EXPECT_NEAR(taken[3], 1000, 150);
    EXPECT_EQ(taken[4], 0) << "twice as slow as the best";
    EXPECT_EQ(choose(std::vector{list[3]}, present, 0, {}, random).relay, 4);
}

TEST(Choice, TakesTheWayInTurn) {
    EXPECT_EQ(path_group_in_turn(std::vector<std::size_t>{0, 1, 2}, 4), 1U);
    EXPECT_EQ(path_group_in_turn(std::vector<std::size_t>{0, 2}, 1), 2U) << "the next where that one is not good";
    EXPECT_EQ(path_group_in_turn(std::vector<std::size_t>{1, 0, 1}, 2), 0U);

    Random random(3);
    const PresentPath present{10e-3, 8e-3, 1e-3, false};
    std::vector<MeasuredCandidate> list = {measured(1, 2.0e-3, 0.0), measured(2, 2.0e-3, 0.9), measured(3, 2.1e-3, 0.9),
                                           measured(4, 9.9e-3, 0.0)};
    list[1].candidate.path_group = list[2].candidate.path_group = 1;
    list[3].candidate.path_group = 2;
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(choose(list, present, 0, {}, random).relay, 1);
        EXPECT_NE(choose(list, present, 1, {}, random).relay, 1) << "also where it is less loaded";
        EXPECT_EQ(choose(list, present, 2, {}, random).relay, 1) << "two path_groups are good";
    }
}

/// On a present path of 10 ms, of which 8 ms are a queue; 1 ms are slow.
class ChoiceOf : public testing::Test {
  protected:
    Choice choose(const std::vector<MeasuredCandidate>& list) {
        return core::choose(list, present, 0, settings, random);
    }
    ChoiceSettings settings;
    PresentPath present{10e-3, 8e-3, 1e-3, false};
    Random random{1};
};

TEST_F(ChoiceOf, MustBeatThePresentPathByTheMargin) {
    EXPECT_EQ(choose({measured(1, 7.99e-3, 0.0)}).relay, 1);
    EXPECT_EQ(choose({measured(1, 8.01e-3, 0.0)}).relay, kNoHost);
    present = {1e-3, 0.9e-3, 1e-3, false};  // 0.5 ms at least
    EXPECT_EQ(choose({measured(1, 0.49e-3, 0.0)}).relay, 1);
    EXPECT_EQ(choose({measured(1, 0.51e-3, 0.0)}).relay, kNoHost);
}

TEST_F(ChoiceOf, AFlaggedOneMustBeatItByMore) {
    MeasuredCandidate flagged = measured(1, 5.99e-3, 0.0);
    flagged.candidate.leg_shares = true;
    EXPECT_EQ(choose({flagged}).relay, 1);
    flagged.candidate.latency_s = 6.01e-3;
    EXPECT_EQ(choose({flagged}).relay, kNoHost);
    settings.flagged_margin = 0.0;
    EXPECT_EQ(choose({flagged}).relay, 1);
    flagged.candidate.latency_s = 8.01e-3;
    EXPECT_EQ(choose({flagged}).relay, kNoHost) << "never less than the others";
}

TEST_F(ChoiceOf, AQueueOfTheLegsIsTheSameQueueFromHalfOfItOn) {
    EXPECT_EQ(choose({measured(1, 5e-3, 0.0, 1.9e-3, 2.0e-3)}).relay, 1);
    EXPECT_EQ(choose({measured(1, 5e-3, 0.0, 2.1e-3, 2.0e-3)}).relay, kNoHost);
    present.queue_delay_s = 0.9e-3;  // slow for another reason
    EXPECT_EQ(choose({measured(1, 5e-3, 0.0, 2.1e-3, 2.0e-3)}).relay, 1);
}

TEST_F(ChoiceOf, AnythingThatAnswersIsBetterThanASilentPath) {
    present = {1e-3, 0.0, 1e-3, true};
    const Choice choice = choose({measured(1, 50e-3, 0.0, 20e-3, 20e-3)});
    EXPECT_EQ(choice.relay, 1);
    EXPECT_EQ(choice.best, 1);
}

TEST_F(ChoiceOf, WhereThePathIsKeptTheBestIsTold) {
    MeasuredCandidate silent = measured(3, 1e-3, 0.0);
    silent.first.usable = false;
    const Choice choice = choose({measured(1, 11e-3, 0.0), measured(2, 9e-3, 0.0), silent});
    EXPECT_EQ(choice.relay, kNoHost);
    EXPECT_EQ(choice.best, 2);
    EXPECT_DOUBLE_EQ(choice.latency_s, 9e-3);
    EXPECT_EQ(choice.reason, KeepReason::not_better);
    EXPECT_EQ(choose({silent}).best, kNoHost);
}

TEST_F(ChoiceOf, WhoseEndIsCongestedIsToldByThoseThatAnswered) {
    MeasuredCandidate silent = measured(3, 12e-3, 0.0);
    silent.candidate.usable = false;
    EXPECT_EQ(choose({measured(1, 12e-3, 0.0, 0.0, 8e-3), silent}).reason, KeepReason::destination_congested);
    EXPECT_EQ(choose({measured(1, 12e-3, 0.0, 8e-3, 0.0), silent}).reason, KeepReason::source_congested);
    EXPECT_EQ(choose({measured(1, 12e-3, 0.0, 8e-3, 8e-3)}).reason, KeepReason::destination_congested)
        << "where both are";
    EXPECT_EQ(choose({measured(1, 12e-3, 0.0, 0.0, 8e-3), measured(2, 12e-3, 0.0, 8e-3, 0.0)}).reason,
              KeepReason::not_better);
    EXPECT_EQ(choose({measured(1, 12e-3, 0.0, 0.0, 0.99e-3)}).reason, KeepReason::not_better) << "no slow leg";
}

TEST_F(ChoiceOf, OfTwoThatAreLoadedAlikeTheFasterIsTaken) {
    const std::vector<MeasuredCandidate> list = {measured(1, 2.2e-3, 0.5), measured(2, 2.1e-3, 0.5)};
    for (int i = 0; i < 20; ++i) {
        const Choice choice = choose(list);
        EXPECT_EQ(choice.relay, 2);
        EXPECT_DOUBLE_EQ(choice.latency_s, 2.1e-3);
    }
    for (int i = 0; i < 20; ++i) {
        const Choice choice = choose({measured(1, 2.0e-3, 0.5), measured(2, 2.1e-3, 0.4)});
        EXPECT_EQ(choice.relay, 2);
        EXPECT_DOUBLE_EQ(choice.latency_s, 2.1e-3) << "of the one that is taken, not of the fastest";
        EXPECT_EQ(choice.best, 1);
    }
}

TEST_F(ChoiceOf, OnlyThoseNearTheFastestGoodOneAreDrawn) {
    // The fastest of all is not good: its leg queues.
    const std::vector<MeasuredCandidate> list = {measured(1, 1e-3, 0.0, 5e-3), measured(2, 4e-3, 0.9),
                                                 measured(3, 5.9e-3, 0.1), measured(4, 6.1e-3, 0.0)};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(choose(list).relay, 3);
}

}  // namespace
}  // namespace fairlead::core
