// SPDX-License-Identifier: Apache-2.0
#include "search/way_trials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

/// Three ways to host 1, whose probes need 0.3 ms there and back.
class Ways : public testing::Test {
  protected:
    Ways() {
        rig.job.ways = 3;
        rig.greet();
        rig.probe(1, 0.0);
    }
    void ask() { trials.ask(avoided, rig.now, rig.out); }
    /// Answers the echoes that were sent, each after its way's queue; below 0: never. Then the next are sent.
    void round(const std::map<int, double>& queues_s) {
        for (const SendEcho& sent : only<SendEcho>(rig.out.take())) {
            EXPECT_TRUE(sent.trial);
            const double queue_s = queues_s.at(way_number(sent.echo.relay));
            if (queue_s < 0.0) continue;
            EXPECT_TRUE(trials.take({sent.echo.token, 0, 1, sent.echo.relay}, rig.now + 300e-6 + queue_s));
        }
        rig.now += rig.job.settings.echo.trial_s;
        trials.advance(rig.now, rig.out);
    }
    std::map<HostId, double> queues_s() const {
        std::map<HostId, double> found;
        for (const MeasuredCandidate& way : trials.measure()) found[way.candidate.relay] = way.first.queue_delay_s;
        return found;
    }
    PartsRig rig;
    AvoidedRelays avoided;
    WayTrials trials{rig.parts, 1};
};

TEST_F(Ways, AreMeasuredByTheSlowestOfTheirEchoes) {
    ask();
    round({{0, 0.0}, {1, 20e-3}, {2, 0.0}});
    round({{0, 0.0}, {1, 18e-3}, {2, 5e-3}});
    EXPECT_FALSE(trials.complete(rig.now)) << "a third round is on its way";
    round({{0, 1e-3}, {1, 19e-3}, {2, 0.0}});
    EXPECT_TRUE(trials.complete(rig.now));
    const auto found = queues_s();
    ASSERT_EQ(found.size(), 3U);
    EXPECT_NEAR(found.at(way_of(0)), 1e-3, 1e-9);
    EXPECT_NEAR(found.at(way_of(1)), 20e-3, 1e-9);
    EXPECT_NEAR(found.at(way_of(2)), 5e-3, 1e-9);
    EXPECT_NEAR(trials.standing_queue_s(), 18e-3, 1e-9) << "every echo met that";
    for (const MeasuredCandidate& way : trials.measure()) {
        EXPECT_TRUE(way.candidate.usable && way.first.usable && way.second.usable);
        EXPECT_NEAR(way.candidate.latency_s - way.first.queue_delay_s, 150e-6 + (1024 + 65536) / 2.0 * 8.0 / 200e6,
                    1e-3)
            << "as long as the direct path, but for its queue";
    }
    EXPECT_TRUE(trials.silent().empty());
}

TEST_F(Ways, ByWhichFewEchoesComeBackAreNotTaken) {
    ask();
    round({{0, 0.0}, {1, -1.0}, {2, -1.0}});
    round({{0, -1.0}, {1, -1.0}, {2, 0.0}});
    round({{0, 0.0}, {1, -1.0}, {2, -1.0}});
    const Time end = rig.now - rig.job.settings.echo.trial_s + rig.job.settings.choice.query_timeout_s;
    EXPECT_FALSE(trials.complete(end - 1e-6));
    EXPECT_NEAR(trials.next_due(rig.now), end, 1e-9);
    EXPECT_TRUE(trials.complete(end + 1e-6));
    EXPECT_EQ(trials.next_due(end + 1e-6), HUGE_VAL);
    EXPECT_EQ(queues_s().size(), 1U);
    EXPECT_EQ(trials.silent(), std::vector<HostId>{way_of(1)});
}

TEST_F(Ways, HaveMoreTimeWhereNoAnswerComesBackAtAll) {
    ask();
    for (int i = 0; i < 3; ++i) round({{0, -1.0}, {1, -1.0}, {2, -1.0}});
    const Time end = rig.now - rig.job.settings.echo.trial_s + rig.job.settings.choice.query_extended_s;
    EXPECT_FALSE(trials.complete(end - 1e-6)) << "answers may queue";
    EXPECT_NEAR(trials.next_due(rig.now), end, 1e-9);
    EXPECT_TRUE(trials.complete(end + 1e-6));
    EXPECT_EQ(trials.silent().size(), 3U);
}

/// The guardian makes the routes one after the other.
TEST_F(Ways, TheTimeUntilAnEchoLeavesIsNotCounted) {
    ask();
    for (int i = 0; i < 3; ++i) {
        for (const SendEcho& sent : only<SendEcho>(rig.out.take())) {
            const Time left = rig.now + 4e-3 * (1 + way_number(sent.echo.relay));
            trials.note_left({1, sent.echo.relay, sent.echo.token}, left);
            EXPECT_TRUE(trials.take({sent.echo.token, 0, 1, sent.echo.relay}, left + 300e-6 + 2e-3));
        }
        rig.now += rig.job.settings.echo.trial_s;
        trials.advance(rig.now, rig.out);
    }
    const auto found = queues_s();
    ASSERT_EQ(found.size(), 3U);
    for (const auto& [way, queue_s] : found) EXPECT_NEAR(queue_s, 2e-3, 1e-9) << way_number(way);
}

TEST_F(Ways, AnswersToEchoesThatLeaveLateAreWaitedForAsLong) {
    ask();
    round({{0, 0.0}, {1, 0.0}, {2, -1.0}});
    round({{0, 0.0}, {1, 0.0}, {2, -1.0}});
    const std::vector<SendEcho> last = only<SendEcho>(rig.out.take());
    ASSERT_EQ(last.size(), 3U);
    const Time left = rig.now + 20e-3;
    trials.note_left({1, last[0].echo.relay, last[0].echo.token}, left);
    const Time end = left + rig.job.settings.choice.query_timeout_s;
    EXPECT_NEAR(trials.next_due(rig.now), end, 1e-9);
    EXPECT_FALSE(trials.complete(end - 1e-6));
    EXPECT_TRUE(trials.complete(end + 1e-6));
    trials.note_left({1, way_of(0), last[1].echo.token}, left + 1.0);
    EXPECT_NEAR(trials.next_due(rig.now), end, 1e-9) << "of another way";
}

TEST_F(Ways, WhatAnswersQueueForOnTheirWayBackIsNotCounted) {
    for (int i = 0; i < 3; ++i) {
        rig.paths.probes().on_result({1, 0, rig.now + 0.001 * i, false, 4.3e-3, 0.0, 4e-3, 0.0}, rig.now);
    }
    ask();
    for (int i = 0; i < 3; ++i) round({{0, 4e-3}, {1, 9e-3}, {2, 4e-3}});
    EXPECT_NEAR(queues_s().at(way_of(0)), 0.0, 1e-9);
    EXPECT_NEAR(queues_s().at(way_of(1)), 5e-3, 1e-9);
}

/// Both directions are congested.
TEST_F(Ways, AreToldApartByArrivalsWhateverAnswersQueueFor) {
    for (int i = 0; i < 3; ++i) {
        rig.paths.probes().on_result({1, 0, rig.now + 0.001 * i, false, 20.3e-3, 0.0, 20e-3, 0.0}, rig.now);
    }
    ask();
    for (int i = 0; i < 3; ++i) {
        for (const SendEcho& sent : only<SendEcho>(rig.out.take())) {
            const double queue_s = 3e-3 * way_number(sent.echo.relay);
            const Time answered = rig.now + 300e-6 + queue_s + 4e-3 * i;
            EXPECT_TRUE(trials.take({sent.echo.token, 0, 1, sent.echo.relay}, answered, rig.now + queue_s));
        }
        rig.now += rig.job.settings.echo.trial_s;
        trials.advance(rig.now, rig.out);
    }
    for (int number = 0; number < 3; ++number) EXPECT_NEAR(queues_s().at(way_of(number)), 3e-3 * number, 1e-9);
    EXPECT_NEAR(trials.standing_queue_s(), 6e-3, 1e-9);
}

TEST_F(Ways, ThatAreAvoidedOrLeadNowhereAreNotTried) {
    avoided.lost(way_of(1), 1.0, rig.now);
    ask();
    EXPECT_EQ(only<SendEcho>(rig.out.take()).size(), 2U);
    ask();
    EXPECT_EQ(only<SendEcho>(rig.out.take()).size(), 2U) << "anew, not in addition";
    rig.peers.on_hello(1, {kRigHosts, false}, true, rig.out);
    rig.out.take();
    ask();
    EXPECT_TRUE(trials.empty()) << "the destination has no data plane";
    EXPECT_TRUE(trials.complete(rig.now));
    EXPECT_TRUE(only<SendEcho>(rig.out.take()).empty());
}

TEST_F(Ways, AnswersToOthersEchoesAreNotTaken) {
    ask();
    const SendEcho sent = only<SendEcho>(rig.out.take()).at(0);
    EXPECT_FALSE(trials.take({sent.echo.token, 0, 2, sent.echo.relay}, rig.now));
    EXPECT_FALSE(trials.take({sent.echo.token + 100, 0, 1, sent.echo.relay}, rig.now));
    EXPECT_TRUE(trials.take({sent.echo.token, 0, 1, sent.echo.relay}, rig.now));
}

}  // namespace
}  // namespace fairlead::core
