// SPDX-License-Identifier: Apache-2.0
#include "paths/probe_desk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace fairlead::core {
namespace {

class Background : public testing::Test {
  protected:
    /// Until so late, as the desk wants to be woken: when each peer was probed, and with how many probes.
    std::map<HostId, std::vector<std::pair<Time, int>>> run(Time until) {
        std::map<HostId, std::vector<std::pair<Time, int>>> probed;
        for (; now <= until; now = std::max(now, desk.next_deadline(true))) {
            std::vector<Action> out;
            desk.background(now, out);
            wakes += out.empty() ? 0 : 1;
            for (const Action& action : out) {
                const auto& probes = std::get<SendProbes>(action);
                probed[probes.peer].emplace_back(now, probes.count);
            }
            desk.expire(now);
        }
        return probed;
    }
    Settings settings;
    ProbeDesk desk{0, 16, settings};
    Time now = 1000.0;
    int wakes = 0;
};

TEST_F(Background, PausesDoubleUpToTheLongest) {
    for (const auto& [peer, probes] : run(1200.0)) {
        ASSERT_NE(peer, 0);
        ASSERT_GE(probes.size(), 12U);
        EXPECT_LE(probes[0].first, 1001.0);
        EXPECT_EQ(probes[0].second, 3) << "the first contact is a burst";
        double wanted_s = 2.0;
        for (std::size_t i = 1; i < probes.size(); ++i) {
            const double pause_s = probes[i].first - probes[i - 1].first;
            EXPECT_EQ(probes[i].second, 1);
            EXPECT_LE(pause_s, wanted_s + 0.05) << "peer " << peer << ", pause " << i;
            EXPECT_GE(pause_s, 0.75 * wanted_s - 1e-9) << "not earlier than the slack";
            wanted_s = std::min(2.0 * wanted_s, 16.0);
        }
    }
}

TEST_F(Background, SeveralPeersTakeOneWake) {
    run(1100.0);
    wakes = 0;
    std::size_t probes = 0;
    for (const auto& [peer, sent] : run(1200.0)) probes += sent.size();
    EXPECT_GE(probes, 90U);
    EXPECT_LE(static_cast<std::size_t>(wakes) * 2, probes);
}

TEST_F(Background, AnAgentThatStartedAnewIsMetAnew) {
    run(1100.0);
    desk.meet_again(3, now);
    const auto probes = run(1100.0 + 30.0).at(3);
    ASSERT_GE(probes.size(), 3U);
    EXPECT_EQ(probes[0].second, 3);
    EXPECT_LE(probes[1].first - probes[0].first, 2.05);
}

TEST_F(Background, IsNotBegunAnewWhileItBegins) {
    run(1001.0);
    for (HostId peer = 1; peer < 16; ++peer) desk.meet_again(peer, now);
    for (const auto& [peer, probes] : run(now + 1.5)) {
        for (const auto& [when, count] : probes) EXPECT_EQ(count, 1) << "peer " << peer << " at " << when;
    }
}

/// A host sends no more to 256 others than to 16, in no second; it meets first whom the program talks to.
TEST(ManyHosts, AreMetInTurn) {
    const Settings settings;
    for (const HostId hosts : {HostId{16}, HostId{256}}) {
        ProbeDesk desk(0, hosts, settings);
        std::map<HostId, Time> met;
        std::map<int, int> sent;  // probes by second
        for (Time now = 1000.0; now < 1120.0; now = std::max(now, desk.next_deadline(true))) {
            if (now >= 1001.5 && !met.contains(200)) desk.meet_now(200 % hosts, now);
            std::vector<Action> out;
            desk.background(now, out);
            for (const Action& action : out) {
                const auto& probes = std::get<SendProbes>(action);
                met.try_emplace(probes.peer, now);
                sent[static_cast<int>(now)] += probes.count;
            }
            desk.expire(now);
        }
        EXPECT_EQ(met.size(), hosts - 1U);
        for (const auto& [second, count] : sent) EXPECT_LE(count, 3 * 16 + 4) << hosts << " hosts, second " << second;
        if (hosts == 256) {
            EXPECT_LE(met.at(200), 1002.0);
            EXPECT_GT(met.at(199), 1010.0);
            EXPECT_LE(met.at(255), 1016.5);
        }
    }
}

TEST(Bursts, AnswersMayTakeAsLongAsTheSocketsRoundTrip) {
    const Settings settings;
    for (const double round_trip_s : {0.0, 0.088}) {
        ProbeDesk desk(0, 2, settings);
        desk.expect(1, round_trip_s);
        std::vector<Action> out;
        desk.burst(1, 1000.0, out);
        EXPECT_TRUE(desk.expire(1000.0 + settings.probes.answer_timeout_s).empty());
        EXPECT_EQ(desk.expire(1000.090).size(), round_trip_s > 0.0 ? 0U : 1U);
    }
}

/// Twenty bursts of three use the budget of 60 probes up, where a probe counts once.
TEST(Budget, ProbesOfANarrowPathCountForMore) {
    const Settings settings;
    for (const auto& [price, bursts] : {std::pair{1.0, 20}, std::pair{5.0, 4}, std::pair{1000.0, 1}}) {
        ProbeDesk desk(0, 2, settings);
        desk.set_price(1, price);
        std::vector<Action> out;
        int sent = 0;
        for (Time now = 1000.0; desk.affordable(1, now); now += 1e-6, ++sent) {
            desk.burst(1, now, out);
            desk.expire(now + 1.0);  // done, so that the next does not join it
        }
        EXPECT_EQ(sent, bursts) << price;
        EXPECT_FALSE(desk.affordable(1, 1000.04)) << "60 probes a second are two and a half in this time";
        EXPECT_TRUE(desk.affordable(1, 1002.0)) << "at most the whole budget: " << price;
    }
}

}  // namespace
}  // namespace fairlead::core
