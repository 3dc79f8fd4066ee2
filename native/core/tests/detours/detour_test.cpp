// SPDX-License-Identifier: Apache-2.0
// One detour alone: what it measures, whether it is slow, and its echoes.
#include "detours/detour.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class DetourOf : public testing::Test {
  protected:
    DetourOf() { rig.greet(); }

    std::vector<Action> measure(Time at) {
        rig.now = at;
        detour.measure(rig.paths, at, random, rig.out);
        return rig.out.take();
    }
    /// Both legs are measured, with these queues.
    void legs(double first_s, double second_s) {
        const auto actions = measure(rig.now + 1.0);
        const auto asked = messages<wire::PathQuery>(actions);
        ASSERT_EQ(asked.size(), 1U);
        for (const SendProbes& probes : only<SendProbes>(actions)) {
            if (probes.peer == 3) rig.probe(3, first_s, probes.burst);
        }
        ASSERT_TRUE(detour.take(3, {asked[0].second.token, 1, 3, 3, second_s, 150e-6, 0.0}));
    }
    bool slow() { return detour.slow(rig.paths, rig.traffic, rig.now); }
    PartsRig rig;
    Random random{1};
    Detour detour{rig.job, 1, 3, false, 100.0};
};

/// An equal-cost path has no legs: its echoes tell how long its queue is.
TEST_F(DetourOf, AWayIsMeasuredByItsEchoes) {
    rig.probe(1, 0.0);
    Detour way(rig.job, 1, way_of(0), false, rig.now);
    EXPECT_FALSE(way.way_slow(rig.paths, rig.traffic, rig.now)) << "nothing is known";
    std::optional<Time> arrives;
    const auto echo = [&](double queue_s) {
        rig.out.take();
        way.send_echo(rig.now, rig.out);
        const auto sent = only<SendEcho>(rig.out.take());
        ASSERT_EQ(sent.size(), 1U);
        EXPECT_FALSE(sent[0].trial);
        way.take({sent[0].echo.token, 0, 1, way_of(0)}, rig.now + 300e-6 + queue_s, arrives);
        rig.now += 0.1;
    };
    for (int i = 0; i < 8; ++i) {
        arrives = rig.now;
        echo(20e-3);
    }
    EXPECT_FALSE(way.way_slow(rig.paths, rig.traffic, rig.now)) << "only the answers queue";
    arrives.reset();
    for (int i = 0; i < 8; ++i) echo(0.5e-3);
    EXPECT_FALSE(way.way_slow(rig.paths, rig.traffic, rig.now));
    const double free_s = *way.latency_s(rig.paths, rig.traffic, rig.now);
    for (int i = 0; i < 7; ++i) echo(20e-3);
    EXPECT_FALSE(way.way_slow(rig.paths, rig.traffic, rig.now)) << "it was free a moment ago";
    echo(20e-3);
    EXPECT_TRUE(way.way_slow(rig.paths, rig.traffic, rig.now));
    EXPECT_NEAR(*way.latency_s(rig.paths, rig.traffic, rig.now) - free_s, 19.5e-3, 1e-9);
    rig.out.take();
    way.measure(rig.paths, rig.now + 5.0, random, rig.out);
    way.check_legs(rig.paths, rig.now + 5.0, rig.out);
    const auto actions = rig.out.take();
    EXPECT_TRUE(messages<wire::PathQuery>(actions).empty());
    ASSERT_EQ(only<SendProbes>(actions).size(), 1U);
    EXPECT_EQ(only<SendProbes>(actions)[0].peer, 1);
}

TEST_F(DetourOf, MeasuresTheDirectPathAndTheLegs) {
    EXPECT_TRUE(measure(100.2).empty());
    auto actions = measure(100.25);
    ASSERT_EQ(only<SendProbes>(actions).size(), 1U);
    EXPECT_EQ(only<SendProbes>(actions)[0].peer, 1);
    EXPECT_GE(detour.next_measurement(), 100.25 + 0.125);
    EXPECT_LE(detour.next_measurement(), 100.25 + 0.375);
    actions = measure(101.0);
    EXPECT_EQ(messages<wire::PathQuery>(actions)[0].first, 3);
    detour.check_legs(rig.paths, 101.4, rig.out);
    EXPECT_TRUE(rig.out.take().empty()) << "they were just measured";
    detour.check_legs(rig.paths, 101.5, rig.out);
    EXPECT_EQ(messages<wire::PathQuery>(rig.out.take()).size(), 1U);
}

TEST_F(DetourOf, IsSlowWithAStandingQueueOnItsLegs) {
    EXPECT_FALSE(slow()) << "not known";
    legs(0.5e-3, 0.5e-3);
    EXPECT_FALSE(slow()) << "half good is not worth a reroute";
    legs(5e-3, 0.5e-3);
    EXPECT_TRUE(slow());
    legs(0.0, 5e-3);
    EXPECT_TRUE(slow());
}

TEST_F(DetourOf, IsNotSlowByThePairsOwnBytes) {
    legs(5e-3, 0.0);
    for (int i = 0; i < 4; ++i) rig.sample(1, 600000);  // 120 of 200 Mbit/s
    EXPECT_FALSE(slow());
}

TEST_F(DetourOf, TakesOnlyTheReportThatItWaitsFor) {
    measure(101.0);
    EXPECT_FALSE(detour.take(3, {99, 1, 3, 3, 0.0, 150e-6, 0.0}));
    EXPECT_FALSE(detour.take(2, {1, 1, 3, 3, 0.0, 150e-6, 0.0}));
    EXPECT_TRUE(detour.take(3, {1, 1, 3, 3, 0.0, 150e-6, 0.0}));
    EXPECT_FALSE(detour.take(3, {1, 1, 3, 3, 0.0, 150e-6, 0.0}));
}

TEST_F(DetourOf, ItsLatencyIsThatOfBothLegs) {
    rig.traffic.set_mix(1, {{64, 1.0}});
    legs(1e-3, 2e-3);
    const std::optional<double> latency_s = detour.latency_s(rig.paths, rig.traffic, rig.now);
    ASSERT_TRUE(latency_s.has_value());
    EXPECT_NEAR(*latency_s, 3e-3 + 300e-6 + rig.job.settings.choice.relay_cost_s, 20e-6);
}

TEST_F(DetourOf, EchoesThatComeBackProveIt) {
    Time now = 100.0;
    for (int i = 0; i < 30; ++i, now = detour.next_echo(true)) {
        detour.send_echo(now, rig.out);
        const auto echoes = only<SendEcho>(rig.out.take());
        ASSERT_EQ(echoes.size(), 1U);
        EXPECT_FALSE(echoes[0].trial);
        EXPECT_EQ(echoes[0].echo.relay, 3);
        detour.take(wire::EchoReply{echoes[0].echo.token, 0, 1, 3}, now + 1e-3);
        EXPECT_NEAR(detour.next_echo(true), now + 0.1, 1e-9);
        EXPECT_NEAR(detour.next_echo(false), now + 0.5, 1e-9);
        EXPECT_FALSE(detour.lost(now + 1e-3));
    }
    EXPECT_FALSE(detour.asked_directly().has_value());
}

TEST_F(DetourOf, IsLostWhenNoneComesBack) {
    Time now = 100.0;
    int beats = 0;
    for (; !detour.lost(now) && now < 105.0; now = std::max(now + 1e-3, detour.next_echo(true))) {
        detour.send_echo(now, rig.out);
        beats += static_cast<int>(messages<wire::Heartbeat>(rig.out.take()).size());
    }
    EXPECT_TRUE(detour.lost(now));
    EXPECT_LT(now, 101.5);
    EXPECT_GT(beats, 0) << "the destination is asked directly";
    ASSERT_TRUE(detour.asked_directly().has_value());
    EXPECT_GT(*detour.asked_directly(), 100.0);
}

TEST_F(DetourOf, TheDestinationIsNotAskedAnyMoreOnceEchoesComeBack) {
    Time now = 100.0;
    for (; !detour.asked_directly() && now < 105.0; now = std::max(now + 1e-3, detour.next_echo(true))) {
        detour.send_echo(now, rig.out);
    }
    ASSERT_TRUE(detour.asked_directly().has_value());
    const std::uint32_t last = only<SendEcho>(rig.out.take()).back().echo.token;
    detour.take(wire::EchoReply{last, 0, 1, 3}, now);
    detour.send_echo(now + 0.1, rig.out);
    EXPECT_FALSE(detour.asked_directly().has_value());
    EXPECT_TRUE(messages<wire::Heartbeat>(rig.out.take()).empty());
}

TEST(Detour, WithoutAPlaneForEchoesTheRelaysAgentHandsThemOn) {
    Job job = rig_job();
    job.proves = false;
    Outbox out;
    Detour detour(job, 1, 3, true, 100.0);
    detour.send_echo(100.0, out);
    const auto sent = messages<wire::Echo>(out.take());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 3);
    EXPECT_EQ(sent[0].second.destination, 1);
}

}  // namespace
}  // namespace fairlead::core
