// SPDX-License-Identifier: Apache-2.0
// The life of a detour, on one controller driven by hand: manual reroutes, watching, restoration, faults, the end.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/controller_rig.hpp"

namespace fairlead::core {
namespace {

TEST(Controller, RestoresAfterTheDwellTime) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const double rerouted_at = rig.now;
    while (rig.seen<Restored>().empty() && rig.now < rerouted_at + 10.0) {
        rig.surroundings(rig.on(rig.sample(300e-6), 0.02), 0.0, 0.0);
    }
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::direct_good);
    EXPECT_GE(rig.seen<Restored>()[0].away_s, 2.0);
    EXPECT_LE(rig.seen<Restored>()[0].away_s, 3.0);
    EXPECT_EQ(rig.sent<wire::RelayRelease>(rig.seen<Rerouted>()[0].relay), 1);
    EXPECT_EQ(rig.controller.view(1).relay, kNoHost);
}

/// What round trips take longer than they did on the free direct path is what it costs to wait.
TEST(Controller, ReturnsSoonFromADetourThatCostsMoreThanItGained) {
    for (const bool costs : {true, false}) {
        ControllerConfig config = config_of(0);
        config.proves = true;
        Rig rig(config);
        rig.greet_all();
        double busy_s = 0.0;
        const auto use = [&](int samples, double srtt_s, double direct_queue_s) {
            for (int i = 0; i < samples && rig.seen<Restored>().empty(); ++i) {
                SocketSample sample = rig.sample(srtt_s);
                sample.busy_s = busy_s += 0.04;
                rig.step(sample, 0.04, direct_queue_s, 0.0);
            }
        };
        use(20, 300e-6, 0.0);
        use(10, 20e-3, 20e-3);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        use(150, costs ? 1.2e-3 : 305e-6, 0.0);
        const auto restored = rig.seen<Restored>();
        ASSERT_EQ(restored.size(), 1U);
        EXPECT_EQ(restored[0].reason, RestoreReason::direct_good);
        if (costs) {
            EXPECT_LT(restored[0].away_s, 1.8);
        } else {
            EXPECT_GE(restored[0].away_s, 2.0);
        }
    }
}

TEST(Controller, ADetourIsLeftForADirectPathOnlyIfThatIsLow) {
    for (const double direct_queue_s : {0.3e-3, 2e-3}) {
        Rig rig;
        rig.greet_all();
        rig.congestion(20e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        // All detours become slower than the direct path, which has not been good for the dwell time yet.
        for (int i = 0; i < 90; ++i) rig.step(rig.sample(30e-3), 0.02, direct_queue_s, 10e-3);
        const bool low = direct_queue_s < 1e-3;
        const auto restored = rig.seen<Restored>();
        ASSERT_EQ(restored.size(), low ? 1U : 0U) << direct_queue_s;
        for (const Restored& back : restored) {
            EXPECT_EQ(back.reason, RestoreReason::detour_slow);
            EXPECT_GE(back.away_s, Settings{}.detour.slow_dwell_s) << "one look at a queue that comes and goes";
            EXPECT_LT(back.away_s, Settings{}.detour.dwell_s);
        }
    }
}

TEST(Controller, ADetourThatCarriesLessIsLeftAndTheDirectPathKeptUntilNothingPasses) {
    Rig rig;
    rig.greet_all();
    const auto uses = [&](int samples, std::uint64_t size_B, double direct_queue_s) {
        rig.sample_B = size_B;
        for (int i = 0; i < samples; ++i) rig.step(rig.sample(direct_queue_s + 300e-6), 0.04, direct_queue_s, 0.0);
    };
    uses(20, 50000, 0.0);
    uses(10, 50000, 20e-3);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    uses(30, 20000, 20e-3);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::in_vain);
    uses(40, 20000, 20e-3);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U) << "it got as much there";
    rig.sample_B = 0;
    for (int i = 0; i < 20; ++i) rig.step(rig.sample(20e-3), 0.04, -1.0, 0.0);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 2U) << "nothing arrives";
}

/// A longer way delays and takes no throughput: a pair that gets little on its detour may get more directly.
TEST(Controller, ADetourThatGivesLittleIsLeftForADirectPathThatMayOnlyBeLonger) {
    for (const bool little : {true, false}) {
        Rig rig;
        rig.greet_all();
        rig.congestion(10e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        rig.sample_B = little ? 300'000 : 600'000;  // 60 or 120 of 200 Mbit/s
        for (int i = 0; i < 150; ++i) rig.step(rig.sample(300e-6), 0.04, 10e-3, 0.0);
        const auto restored = rig.seen<Restored>();
        ASSERT_EQ(restored.size(), little ? 1U : 0U);
        for (const Restored& back : restored) {
            EXPECT_EQ(back.reason, RestoreReason::in_vain);
            EXPECT_GE(back.away_s, 4.0) << "short congestion is over by then";
        }
    }
}

/// Jobs that met on a detour must not all leave it in the same moment.
TEST(Controller, HoldsOfDetoursAreDrawn) {
    const DetourSettings settings;
    std::vector<double> held_s;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        ControllerConfig config = config_of(0);
        config.seed = seed;
        Rig rig(std::move(config));
        rig.greet_all();
        rig.congestion(20e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        const Rerouted rerouted = rig.seen<Rerouted>()[0];
        const HostId other = rerouted.relay == 2 ? 3 : 2;
        const int asked = rig.sent<wire::PathQuery>(other);
        // The detour fills up, too: once it is held no longer, the others are asked.
        while (rig.sent<wire::PathQuery>(other) == asked && rig.now < rerouted.confirmed_at + 3.0) {
            rig.step(rig.sample(20e-3), 0.01, 20e-3, 20e-3);
        }
        held_s.push_back(rig.now - rerouted.confirmed_at);
    }
    const auto [least, most] = std::ranges::minmax(held_s);
    EXPECT_GE(least, (1.0 - settings.hold_jitter) * settings.hold_s);
    EXPECT_LE(most, (1.0 + settings.hold_jitter) * settings.hold_s + 2.0 * settings.legs_period_s);
    EXPECT_GE(most - least, 0.5 * settings.hold_jitter * settings.hold_s);
}

/// A queue that comes and goes must not be met at the same place of its period again and again.
TEST(Controller, LooksAtTheDirectPathOfADetourAtRandomTimes) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    constexpr double kStep_s = 1e-3;
    std::vector<double> intervals_s;
    double last = 0.0;
    const double end = rig.now + 10.0;
    while (rig.now < end) {
        if (!looks_at(1, rig.step(Tick{}, kStep_s, 10e-3, 0.0))) continue;
        if (last > 0.0) intervals_s.push_back(rig.now - last);
        last = rig.now;
    }
    ASSERT_TRUE(rig.seen<Restored>().empty());
    ASSERT_GE(intervals_s.size(), 30U);
    std::ranges::sort(intervals_s);
    EXPECT_GE(intervals_s.front(), 0.125 - kStep_s);
    EXPECT_LE(intervals_s.back(), 0.375 + kStep_s);
    EXPECT_LT(intervals_s[intervals_s.size() / 4], 0.22) << "spread over all of it";
    EXPECT_GT(intervals_s[intervals_s.size() * 3 / 4], 0.28);
}

class ControllerLosesRelay : public testing::TestWithParam<int> {};
TEST_P(ControllerLosesRelay, AndRestoresAtOnce) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const HostId relay = rig.seen<Rerouted>()[0].relay;
    const double lost_at = rig.now;
    RestoreReason reason = RestoreReason::relay_dead;
    switch (GetParam()) {
        case 0:
            rig.on(Received{relay, wire::Goodbye{}});
            reason = RestoreReason::peer_stopped;
            break;
        case 1:
            rig.on(Received{relay, wire::RelayRefuse{0, 1, wire::RefuseReason::stopping}});
            reason = RestoreReason::peer_stopped;
            break;
        case 2:
            rig.on(Received{relay, wire::Hello{kHosts, true}, 2});  // its agent started anew
            break;
        default:
            while (rig.seen<Restore>().empty() && rig.now < lost_at + 2.0) rig.on(Tick{}, 0.02);
            EXPECT_LE(rig.now - lost_at, 0.6);
    }
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    rig.on(RestoreDone{1});
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, reason);
}
INSTANTIATE_TEST_SUITE_P(Each, ControllerLosesRelay, testing::Range(0, 4));

TEST(Controller, TheNewAgentOfALostRelayIsAskedAtOnce) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const HostId relay = rig.seen<Rerouted>()[0].relay;
    rig.grant = false;  // the others have no room
    rig.open = rig.on(Received{relay, wire::Goodbye{}});
    for (int i = 0; i < 50; ++i) rig.step(rig.sample(20e-3), 0.02, 10e-3, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const int asked = rig.sent<wire::PathQuery>(relay);
    rig.grant = true;
    const double back_at = rig.now;
    rig.open = rig.on(Received{relay, wire::Hello{kHosts, true}, 2});
    while (rig.seen<Rerouted>().size() == 1U && rig.now < back_at + 2.0) {
        rig.step(rig.sample(20e-3), 0.02, 10e-3, 0.0);
    }
    EXPECT_LT(rig.now - back_at, 0.3);
    EXPECT_GT(rig.sent<wire::PathQuery>(relay), asked);
}

TEST(Controller, APauseEndsDetoursAndBeginsNoneUntilItIsOver) {
    for (const bool ended_by_command : {true, false}) {
        Rig rig;
        rig.greet_all();
        rig.on(ManualReroute{2, 4});
        rig.on(RerouteDone{2, 4});
        rig.congestion(10e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 2U);
        EXPECT_EQ(rig.controller.detours(), 1) << "not the one by hand";
        rig.surroundings(rig.on(Pause{1.0}), 10e-3, 0.0);
        ASSERT_EQ(rig.seen<Restored>().size(), 1U);
        EXPECT_EQ(rig.seen<Restored>()[0].destination, 1);
        EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::paused);
        EXPECT_EQ(rig.controller.detours(), 0);
        EXPECT_EQ(rig.controller.view(2).relay, 4);
        for (int i = 0; i < 15; ++i) rig.step(rig.sample(20e-3), 0.04, 10e-3, 0.0);
        EXPECT_EQ(rig.seen<Rerouted>().size(), 2U);
        const double resumed_at = rig.now;
        if (ended_by_command) rig.open = rig.on(Pause{0.0});
        for (int i = 0; i < 100 && rig.seen<Rerouted>().size() == 2U; ++i) {
            rig.step(rig.sample(20e-3), 0.006, 10e-3, 0.0);
        }
        ASSERT_EQ(rig.seen<Rerouted>().size(), 3U) << ended_by_command;
        const Rerouted again = rig.seen<Rerouted>()[2];
        EXPECT_EQ(again.destination, 1);
        EXPECT_EQ(again.again, ended_by_command) << "a pause that ran out may be long ago";
        if (ended_by_command) {
            EXPECT_EQ(again.relay, rig.seen<Rerouted>()[1].relay);
        }
        EXPECT_LT(rig.now - resumed_at, ended_by_command ? 0.05 : 0.5);
        EXPECT_EQ(rig.controller.detours(), 1);
    }
}

TEST(Controller, AfterAPauseARelayThatRefusesIsNotTakenAgain) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.surroundings(rig.on(Pause{1.0}), 10e-3, 0.0);
    rig.grant = false;
    rig.step(rig.sample(300e-6), 0.04, 0.0, 0.0);
    rig.open = rig.on(Pause{0.0});
    EXPECT_EQ(rig.sent<wire::RelayRequest>(rig.seen<Rerouted>()[0].relay), 2);
    for (int i = 0; i < 10; ++i) rig.step(rig.sample(300e-6), 0.006, 0.0, 0.0);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.open = rig.on(Pause{0.0});
    EXPECT_EQ(rig.sent<wire::RelayRequest>(rig.seen<Rerouted>()[0].relay), 2) << "it is forgotten";
}

TEST(Controller, APauseWithinAPauseForgetsNoDetour) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.surroundings(rig.on(Pause{1.0}), 10e-3, 0.0);
    rig.surroundings(rig.on(Pause{1.0}), 10e-3, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    rig.on(rig.sample(20e-3), 0.01);
    rig.surroundings(rig.on(Pause{0.0}), 10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 2U);
    EXPECT_TRUE(rig.seen<Rerouted>()[1].again);
    EXPECT_EQ(rig.seen<Rerouted>()[1].relay, rig.seen<Rerouted>()[0].relay);
}

TEST(Controller, APauseKeepsTheRelaysRoomForAsLongAsItLasts) {
    for (const bool ended_by_command : {true, false}) {
        Rig rig;
        rig.greet_all();
        rig.congestion(10e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        const HostId relay = rig.seen<Rerouted>()[0].relay;
        const auto pause = [&] { rig.surroundings(rig.on(Pause{1.0}), 10e-3, 0.0); };
        const auto wait = [&](double wait_s) {
            for (const double end = rig.now + wait_s; rig.now < end;) rig.step(rig.sample(300e-6), 0.02, 0.0, 0.0);
        };
        pause();
        const int beats = rig.sent<wire::Heartbeat>(relay);
        wait(0.8);
        EXPECT_GT(rig.sent<wire::Heartbeat>(relay), beats + 2);
        EXPECT_EQ(rig.sent<wire::RelayRelease>(relay), 0);
        if (!ended_by_command) {
            wait(0.4);
            const int after = rig.sent<wire::Heartbeat>(relay);
            wait(1.0);
            EXPECT_EQ(rig.sent<wire::Heartbeat>(relay), after) << "its lease ends by itself";
            continue;
        }
        rig.grant = true;
        rig.open = rig.on(Pause{0.0});
        wait(0.1);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 2U);
        EXPECT_EQ(rig.seen<Rerouted>()[1].relay, relay);
        const auto asked = rig.messages<wire::RelayRequest>(relay);
        ASSERT_EQ(asked.size(), 2U);
        EXPECT_GT(asked[1].least_bps, 0.0) << "it shares the relay as before";
    }
}

TEST(Controller, APauseLeavesTheDetourOfADeadDirectPath) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const double dead_at = rig.now;
    while (rig.now < dead_at + 3.0) rig.step(rig.sample(300e-6), 0.02, -1.0, 0.0);
    ASSERT_EQ(rig.controller.detours(), 1);
    rig.surroundings(rig.on(Pause{1.0}), -1.0, 0.0);
    EXPECT_EQ(rig.controller.detours(), 1);
    EXPECT_EQ(rig.seen<Restored>().size(), 0U);
}

TEST(Controller, APauseEndsARerouteThatIsUnderWay) {
    Rig rig;
    rig.greet_all();
    rig.answers_reroutes = false;
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Reroute>().size(), 1U);
    rig.on(Pause{10.0});
    rig.on(RerouteDone{1, rig.seen<Reroute>()[0].relay});
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    rig.on(RestoreDone{1});
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::paused);
}

TEST(Controller, APauseLeavesARerouteOffADirectPathThatHasJustDied) {
    for (const bool under_way : {true, false}) {
        Rig rig;
        rig.greet_all();
        for (int i = 0; i < 20; ++i) rig.step(rig.sample(300e-6), 0.02, 0.0, 0.0);
        rig.sample_B = 0;
        for (int i = 0; i < 50 && rig.seen<Reroute>().empty(); ++i) rig.step(rig.sample(300e-6), 0.02, -1.0, 0.0);
        ASSERT_EQ(rig.seen<Reroute>().size(), 1U);
        const RerouteDone done{1, rig.seen<Reroute>()[0].relay};
        if (!under_way) rig.on(done);
        rig.on(Pause{10.0});
        if (under_way) rig.on(done);
        EXPECT_TRUE(rig.seen<Restore>().empty()) << under_way;
        EXPECT_EQ(rig.controller.detours(), 1) << under_way;
    }
}

TEST(Controller, TellsWhatConnectionsHaveDelivered) {
    Rig rig;
    rig.greet_all();
    EXPECT_EQ(rig.controller.delivered_B(), 0U);
    rig.on(rig.sample(300e-6), 0.02);
    rig.second = 2;
    rig.second_delivered_B = 5000;
    rig.on(rig.second_sample(300e-6), 0.02);
    EXPECT_EQ(rig.controller.delivered_B(), rig.delivered_B + rig.second_delivered_B);
}

TEST(Controller, ReroutesByHand) {
    ControllerConfig config = config_of(0);
    config.automatic = false;
    Rig rig(config);
    rig.greet_all();
    EXPECT_TRUE(rig.seen<SendProbes>().empty()) << "no probes of its own";
    rig.on(ManualReroute{1, 1});
    rig.on(ManualReroute{0, 2});
    rig.on(ManualReroute{1, 99});
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    rig.on(ManualReroute{1, 2});
    ASSERT_EQ(rig.seen<Reroute>().size(), 1U);
    rig.on(ManualReroute{1, 3});
    EXPECT_EQ(rig.seen<Reroute>().size(), 1U) << "waits for the guardian";
    rig.on(RerouteDone{1, 2});
    ASSERT_EQ(rig.seen<Reroute>().size(), 2U) << "replaced in one step";
    EXPECT_EQ(rig.seen<Reroute>()[1].relay, 3);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U);
    EXPECT_TRUE(rig.seen<Rerouted>()[0].manual);
    rig.on(RerouteDone{1, 3});
    EXPECT_EQ(rig.seen<Rerouted>()[1].before, 2);
    EXPECT_EQ(rig.sent<wire::RelayRelease>(2), 1);
    rig.on(ManualRestore{1});
    rig.on(RestoreDone{1});
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::manual);
}

/// A grant is not waited for by hand: without this, everything for the destination would go on to a host that drops it.
TEST(Controller, ARerouteByHandOverAHostWithoutAPlaneIsTakenBack) {
    for (const bool told_before_done : {true, false}) {
        Rig rig;
        rig.on(Tick{});  // nobody was heard yet
        rig.on(ManualReroute{1, 2});
        ASSERT_EQ(rig.seen<Reroute>().size(), 1U);
        const Received refusal{2, wire::RelayRefuse{1, 1, wire::RefuseReason::no_plane}};
        if (told_before_done) rig.on(refusal);
        EXPECT_TRUE(rig.seen<Restore>().empty()) << "the guardian is at it";
        rig.on(RerouteDone{1, 2});
        if (!told_before_done) rig.on(refusal);
        ASSERT_EQ(rig.seen<Restore>().size(), 1U) << told_before_done;
        rig.on(RestoreDone{1});
        ASSERT_EQ(rig.seen<Restored>().size(), 1U);
        EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::relay_revoked);
        ASSERT_EQ(rig.seen<ManualEnded>().size(), told_before_done ? 1U : 0U);
        if (!told_before_done) continue;
        EXPECT_EQ(rig.seen<ManualEnded>()[0].destination, 1);
        EXPECT_EQ(rig.seen<ManualEnded>()[0].relay, 2);
        EXPECT_EQ(rig.seen<ManualEnded>()[0].error, "the relay refused: it has no data plane, or is stopping");
    }
}

TEST(Controller, ARerouteByHandOverAHostThatSaidItCannotRelayIsRefused) {
    Rig rig;
    rig.greet_all();
    rig.on(Received{2, wire::Hello{kHosts, false}});
    rig.on(ManualReroute{1, 2});
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    ASSERT_EQ(rig.seen<ManualEnded>().size(), 1U);
    EXPECT_EQ(rig.seen<ManualEnded>()[0].error, "the relay has no data plane");
    rig.on(ManualReroute{1, 3});
    rig.on(ManualReroute{1, 2});  // while the guardian is at the other
    rig.on(RerouteDone{1, 3});
    EXPECT_EQ(rig.seen<Reroute>().size(), 1U);
    EXPECT_EQ(rig.seen<ManualEnded>().size(), 2U);
    EXPECT_EQ(rig.controller.view(1).relay, 3) << "what works stays";
}

TEST(Controller, ARefusalOfAnEarlierRequestTakesNothingBack) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualReroute{1, 2});
    rig.on(RerouteDone{1, 2});
    rig.on(Received{2, wire::RelayRefuse{77, 1, wire::RefuseReason::budget}});
    EXPECT_TRUE(rig.seen<Restore>().empty());
}

TEST(Controller, ARestorationByHandEndsARerouteThatIsUnderWay) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualRestore{1});
    ASSERT_EQ(rig.seen<ManualEnded>().size(), 1U) << "nothing is away";
    EXPECT_EQ(rig.seen<ManualEnded>()[0].relay, kNoHost);
    EXPECT_EQ(rig.seen<ManualEnded>()[0].error, "");
    rig.answers_reroutes = false;
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Reroute>().size(), 1U) << "the controller's own";
    rig.on(ManualRestore{1});
    EXPECT_EQ(rig.seen<ManualEnded>().size(), 1U) << "not ended yet";
    rig.on(RerouteDone{1, rig.seen<Reroute>()[0].relay});
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    rig.on(RestoreDone{1});
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::manual);
    EXPECT_EQ(rig.seen<ManualEnded>().size(), 1U);
}

TEST(Controller, ByHandEndsWithTheGuardiansWords) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualReroute{1, 2});
    rig.on(RerouteFailed{1, 2, "no such device"});
    rig.on(ManualReroute{1, 3});
    rig.on(RerouteDone{1, 3});
    rig.on(ManualRestore{1});
    rig.on(RestoreFailed{1, "busy"});
    const auto ended = rig.seen<ManualEnded>();
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].relay, 2);
    EXPECT_EQ(ended[0].error, "no such device");
    EXPECT_EQ(ended[1].relay, kNoHost);
    EXPECT_EQ(ended[1].error, "busy");
}

TEST(Controller, AFailedRestorationIsTriedAgain) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualReroute{1, 2});
    rig.on(RerouteDone{1, 2});
    rig.on(Received{2, wire::Goodbye{}});
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    std::size_t asked = 1;
    for (const double within_s : {0.02, 0.04, 0.08, 0.16}) {  // at once: its traffic may be lost meanwhile
        rig.on(RestoreFailed{1, "busy"});
        EXPECT_EQ(rig.seen<Restore>().size(), asked);
        rig.on(Tick{}, within_s);
        EXPECT_EQ(rig.seen<Restore>().size(), ++asked) << "within " << within_s << " s";
    }
}

TEST(Controller, StopRestoresEverything) {
    Rig rig;
    rig.greet_all();
    rig.on(ManualReroute{1, 2});
    rig.on(RerouteDone{1, 2});
    rig.on(ManualReroute{3, 4});  // under way
    rig.on(Stop{});
    EXPECT_EQ(rig.seen<Restore>().size(), 1U);
    rig.on(RerouteDone{3, 4});
    EXPECT_EQ(rig.seen<Restore>().size(), 2U);
    rig.on(RestoreDone{1});
    rig.on(RestoreDone{3});
    EXPECT_EQ(rig.sent<wire::RelayRelease>(2), 1);
    EXPECT_EQ(rig.sent<wire::RelayRelease>(4), 1);
    rig.on(ManualReroute{1, 2});
    EXPECT_EQ(rig.seen<Reroute>().size(), 2U) << "nothing new after the end";
}

TEST(Controller, WhileItStopsItIsNotToBeWokenInThePast) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.on(Stop{});
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    // The guardian takes its time: whatever is due for the detour meanwhile.
    for (int i = 0; i < 100; ++i) {
        rig.on(Tick{}, 0.02);
        ASSERT_GE(rig.controller.next_wakeup(), rig.now) << "after " << i << " ticks";
    }
    rig.on(RestoreDone{1});
    EXPECT_EQ(rig.seen<Restored>().size(), 1U);
}

}  // namespace
}  // namespace fairlead::core
