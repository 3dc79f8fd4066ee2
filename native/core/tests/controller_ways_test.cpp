// SPDX-License-Identifier: Apache-2.0
// Equal-cost paths, on one controller driven by hand: when a pair leaves for one, stays there and returns.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/controller_rig.hpp"

namespace fairlead::core {
namespace {

ControllerConfig with_ways(int ways = 3, const BaseSettings& base = {}) {
    ControllerConfig config = config_of(0, base);
    config.proves = true;
    config.ways = ways;
    return config;
}

/// As Rig::step, but echoes come back at once: they meet no queue.
void step(Rig& rig, const Event& event, double after_s, double direct_queue_s) {
    std::vector<Action> open = std::exchange(rig.open, {});
    std::vector<Action> next = rig.on(event, after_s);
    for (const Action& action : open) {
        for (const Event& answer : rig.answers(action, direct_queue_s, 0.0)) {
            for (Action& more : rig.on(answer)) next.push_back(std::move(more));
        }
    }
    for (std::size_t i = 0; i < next.size(); ++i) {
        const Action action = next[i];
        if (!std::holds_alternative<SendEcho>(action)) {
            rig.open.push_back(action);
            continue;
        }
        for (const Event& answer : rig.answers(action, direct_queue_s, 0.0)) {
            for (Action& more : rig.on(answer)) next.push_back(std::move(more));
        }
    }
}

/// The connections of the pair meet a queue, and lose so many segments a sample; the probes' path is free.
void unseen_queue(Rig& rig, int samples, double queue_s, std::uint64_t lost, std::uint64_t& retransmits) {
    for (int i = 0; i < samples; ++i) {
        SocketSample sample = rig.sample(300e-6 + queue_s);
        sample.retransmits = retransmits += lost;
        step(rig, sample, 0.008, 0.0);
        for (int tick = 0; tick < 4; ++tick) step(rig, Tick{}, 0.008, 0.0);
    }
}

TEST(EqualCostPaths, AreTakenBeforeRelays) {
    Rig rig(with_ways());
    rig.greet_all();
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const Rerouted moved = rig.seen<Rerouted>()[0];
    EXPECT_TRUE(is_way(moved.relay));
    EXPECT_FALSE(moved.unseen);
    EXPECT_EQ(rig.controller.view(1).relay, moved.relay);
    for (HostId host = 1; host < kHosts; ++host) {
        EXPECT_EQ(rig.sent<wire::RelayRequest>(host), 0) << "nobody has to carry anything";
    }
    for (int i = 0; i < 30; ++i) step(rig, rig.sample(300e-6), 0.04, 20e-3);
    EXPECT_TRUE(rig.seen<Restored>().empty()) << "the direct path is congested";
    EXPECT_EQ(rig.sent<wire::Heartbeat>(1), 0) << "there is no relay to hear of it";
}

TEST(EqualCostPaths, OfWhichNoEchoComesBackAreLeftOut) {
    Rig rig(with_ways(1));
    rig.broken = way_of(0);
    rig.greet_all();
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    EXPECT_LT(rig.seen<Rerouted>()[0].relay, kHosts);
}

TEST(EqualCostPaths, AreEnoughWhereThereIsNoRelay) {
    ControllerConfig config = with_ways();
    Rig rig(std::move(config));
    rig.on(Tick{});
    rig.on(Received{1, wire::Hello{kHosts, true}});
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    EXPECT_TRUE(is_way(rig.seen<Rerouted>()[0].relay));
}

/// Each echo is answered 6 ms after it was asked for; it may have waited for its route for as long.
TEST(EqualCostPaths, TheTimeUntilAnEchoLeavesIsNotCounted) {
    for (const bool told : {false, true}) {
        Rig rig(with_ways());
        rig.tells_left = told;
        rig.on(Tick{});
        rig.on(Received{1, wire::Hello{kHosts, true}});
        rig.on(ProbeResult{1, 0, rig.now, false, 300e-6, 0.0, 0.0, 0.0});
        rig.congestion(10e-3, 0.0);
        EXPECT_EQ(rig.seen<Rerouted>().size(), told ? 1U : 0U);
    }
}

/// Each echo is answered 6 ms after it was asked for; it may be the answers that queue.
TEST(EqualCostPaths, WhatAnswersQueueForIsNotCountedWhereTheyTellTheArrival) {
    for (const bool told : {false, true}) {
        Rig rig(with_ways());
        rig.tells_arrival = told;
        rig.on(Tick{});
        rig.on(Received{1, wire::Hello{kHosts, true}});
        rig.on(ProbeResult{1, 0, rig.now, false, 300e-6, 0.0, 0.0, 0.0});
        rig.congestion(10e-3, 0.0);
        EXPECT_EQ(rig.seen<Rerouted>().size(), told ? 1U : 0U);
    }
}

TEST(EqualCostPaths, AreTakenByHandUpToTheirNumber) {
    Rig rig(with_ways(2));
    rig.greet_all();
    rig.on(ManualReroute{1, way_of(2)});
    EXPECT_TRUE(rig.seen<SendEcho>().empty()) << "there is none";
    rig.surroundings(rig.on(ManualReroute{1, way_of(1)}), 0.0, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    EXPECT_EQ(rig.seen<Rerouted>()[0].relay, way_of(1));
    EXPECT_TRUE(rig.seen<Rerouted>()[0].manual);
    EXPECT_EQ(rig.controller.view(1).relay, way_of(1));
    for (int i = 0; i < 100; ++i) step(rig, rig.sample(300e-6), 0.1, 0.0);
    EXPECT_TRUE(rig.seen<Restored>().empty()) << "whatever is measured";
}

TEST(EqualCostPaths, TheirPairReturnsAfterTheDwellTime) {
    Rig rig(with_ways());
    rig.greet_all();
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    for (int i = 0; i < 150 && rig.seen<Restored>().empty(); ++i) step(rig, rig.sample(300e-6), 0.04, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::direct_good);
    EXPECT_TRUE(is_way(rig.seen<Restored>()[0].relay));
    EXPECT_EQ(rig.controller.view(1).relay, kNoHost);
}

/// A queue that stands for long becomes part of the direct path's baseline, by which the path is low from then on. Who
/// returned could not leave again: probes would not see what the connections meet.
TEST(EqualCostPaths, TheirPairStaysWhereTheDirectPathIsLowByAShiftedBaseline) {
    BaseSettings base;
    base.shift_window_s = 20.0;
    base.shift_samples = 20;
    Rig rig(with_ways(3, base));
    rig.greet_all();
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    for (int i = 0; i < 750; ++i) step(rig, rig.sample(300e-6), 0.04, 20e-3);
    ASSERT_EQ(rig.seen<BaseShifted>().size(), 1U);
    EXPECT_EQ(rig.controller.view(1).congestion_level, CongestionLevel::low);
    EXPECT_TRUE(rig.seen<Restored>().empty());
    for (int i = 0; i < 150 && rig.seen<Restored>().empty(); ++i) step(rig, rig.sample(300e-6), 0.04, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U) << "the queue is gone";
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::direct_good);
}

TEST(EqualCostPaths, LostEchoesEndTheMove) {
    Rig rig(with_ways());
    rig.greet_all();
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.echoes = false;
    for (int i = 0; i < 60 && rig.seen<Restored>().empty(); ++i) step(rig, rig.sample(300e-6), 0.02, 20e-3);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::detour_broken);
}

/// It is left for the direct path, which is looked at anew.
TEST(EqualCostPaths, ThatGetAQueueAreLeft) {
    Rig rig(with_ways());
    rig.greet_all();
    rig.congestion(20e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const HostId way = rig.seen<Rerouted>()[0].relay;
    for (int i = 0; i < 100 && rig.seen<Restored>().empty(); ++i) rig.step(rig.sample(20e-3), 0.04, 20e-3, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U) << "echoes take 40 ms";
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::detour_slow);
    EXPECT_EQ(rig.seen<Restored>()[0].relay, way);
}

/// Probes take another path than the connections, which lose segments.
TEST(EqualCostPaths, AreTakenForAQueueThatOnlyTheConnectionsMeet) {
    Rig rig(with_ways());
    rig.greet_all();
    std::uint64_t retransmits = 0;
    unseen_queue(rig, 3, 0.0, 0, retransmits);
    const Time begun = rig.now;
    unseen_queue(rig, 25, 20e-3, 1, retransmits);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const Rerouted moved = rig.seen<Rerouted>()[0];
    EXPECT_TRUE(is_way(moved.relay));
    EXPECT_TRUE(moved.unseen);
    EXPECT_NEAR(moved.queue_delay_s, 20e-3, 1e-9);
    EXPECT_LT(moved.decided_at - begun, 1.0);
    unseen_queue(rig, 20, 0.0, 0, retransmits);
    EXPECT_TRUE(std::ranges::none_of(rig.seen<Restored>(), [](const Restored& back) {
        return back.reason == RestoreReason::in_vain;
    })) << "the round trip has become better";
}

/// A delayed acknowledgement looks like a queue: without losses, and without a way that differs, nothing is moved.
TEST(EqualCostPaths, ARoundTripAloneMovesNothing) {
    Rig rig(with_ways());
    rig.greet_all();
    std::uint64_t retransmits = 0;
    unseen_queue(rig, 3, 0.0, 0, retransmits);
    unseen_queue(rig, 50, 20e-3, 0, retransmits);
    EXPECT_TRUE(rig.seen<Rerouted>().empty());
}

TEST(EqualCostPaths, WithoutThemTheConnectionsAloneMoveNothing) {
    Rig rig(with_ways(0));
    rig.greet_all();
    std::uint64_t retransmits = 0;
    unseen_queue(rig, 3, 0.0, 0, retransmits);
    unseen_queue(rig, 50, 20e-3, 1, retransmits);
    EXPECT_TRUE(rig.seen<Rerouted>().empty());
    EXPECT_TRUE(rig.seen<SendEcho>().empty());
}

TEST(EqualCostPaths, AMoveForTheConnectionsThatImprovesNothingIsTakenBackAndHeldOff) {
    Rig rig(with_ways());
    rig.greet_all();
    std::uint64_t retransmits = 0;
    unseen_queue(rig, 3, 0.0, 0, retransmits);
    unseen_queue(rig, 60, 20e-3, 1, retransmits);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::in_vain);
    EXPECT_LT(rig.seen<Restored>()[0].away_s, 1.0);
    unseen_queue(rig, 300, 20e-3, 1, retransmits);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U) << "held off for half a minute";
    rig.surroundings(rig.on(rig.sample(60e-3), 0.1), 40e-3, 0.0);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 2U) << "not where probes see a queue";
}

}  // namespace
}  // namespace fairlead::core
