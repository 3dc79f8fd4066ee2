// SPDX-License-Identifier: Apache-2.0
// What shows that a detour carries packets to a host that takes part, and what follows where it does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/controller_rig.hpp"

namespace fairlead::core {
namespace {

/// Host 0's traffic to host 1 goes over host 2, by hand.
Rig manually_rerouted() {
    ControllerConfig config = config_of(0);
    config.automatic = false;
    Rig rig(config);
    rig.greet_all();
    rig.step(ManualReroute{1, 2}, 0.0, 0.0, 0.0);
    rig.step(Tick{}, 0.001, 0.0, 0.0);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U);
    return rig;
}

/// Until the traffic is back, at most so long; how long it took.
double time_to_restore(Rig& rig, double limit_s) {
    const double begin = rig.now;
    while (rig.seen<Restored>().empty() && rig.now < begin + limit_s) rig.step(Tick{}, 0.005, 0.0, 0.0);
    return rig.now - begin;
}

class DestinationSaysItIsGone : public testing::TestWithParam<int> {};
TEST_P(DestinationSaysItIsGone, AndItsDetourIsRestoredAtOnce) {
    Rig rig = manually_rerouted();
    switch (GetParam()) {
        case 0:
            rig.on(Received{1, wire::Goodbye{}});
            break;
        case 1:
            rig.on(Received{1, wire::Hello{kHosts, false}});  // its guardian is gone
            break;
        default:
            rig.on(Received{1, wire::Hello{kHosts, true}, 2});  // its agent started anew
    }
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    rig.on(RestoreDone{1});
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason,
              GetParam() == 0 ? RestoreReason::peer_stopped : RestoreReason::destination_lost);
}
INSTANTIATE_TEST_SUITE_P(Each, DestinationSaysItIsGone, testing::Range(0, 3));

TEST(Echoes, ALastingDetourIsKeptAsLongAsTheyComeBack) {
    Rig rig = manually_rerouted();
    for (int i = 0; i < 1000; ++i) rig.step(Tick{}, 0.01, 0.0, 0.0);
    EXPECT_TRUE(rig.seen<Restore>().empty());
    EXPECT_NEAR(rig.sent<wire::Echo>(2), 10.0 / EchoSettings{}.period_s, 10.0);
}

TEST(Echoes, ADestinationThatIsSilentIsLostWithinASecond) {
    Rig rig = manually_rerouted();
    rig.silent = 1;
    EXPECT_LT(time_to_restore(rig, 5.0), 1.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::destination_lost);
    rig.on(ManualReroute{1, 3});
    ASSERT_EQ(rig.seen<ManualEnded>().size(), 1U);
    EXPECT_EQ(rig.seen<ManualEnded>()[0].error, "the destination does not answer");
    // It is asked again, and is back as soon as it answers.
    rig.silent = kNoHost;
    for (int i = 0; i < 300; ++i) rig.step(Tick{}, 0.01, 0.0, 0.0);
    rig.on(ManualReroute{1, 3});
    EXPECT_EQ(rig.seen<Reroute>().size(), 2U);
}

/// Host 1 is a destination, over 2, and a relay, to 3. Only the path between it and this host fails.
TEST(Echoes, ARelayThatIsSilentOnTheDirectPathIsStillReachedByItsOwnDetour) {
    Rig rig = manually_rerouted();
    rig.step(ManualReroute{3, 1}, 0.0, 0.0, 0.0);
    for (int i = 0; i < 100; ++i) rig.step(Tick{}, 0.005, 0.0, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 2U);
    rig.deaf = 1;
    for (int i = 0; i < 1000; ++i) rig.step(Tick{}, 0.005, 0.0, 0.0);
    const auto restored = rig.seen<Restored>();
    ASSERT_EQ(restored.size(), 1U);
    EXPECT_EQ(restored[0].destination, 3);
    EXPECT_EQ(restored[0].reason, RestoreReason::relay_dead);
    rig.on(ManualReroute{1, 4});
    EXPECT_TRUE(rig.seen<ManualEnded>().empty()) << "it is known to live";
}

TEST(Echoes, AnAnswerFromBeforeItWasAskedShowsNoLife) {
    Rig rig = manually_rerouted();
    for (int i = 0; i < 21; ++i) rig.step(Tick{}, 0.005, 0.0, 0.0);  // an echo has just been sent
    rig.on(Received{1, wire::Heartbeat{true}});                      // as its relay it was asked anyway
    rig.silent = 1;
    time_to_restore(rig, 5.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::destination_lost);
}

TEST(Echoes, AHostThatLostItsPlaneRestoresItsPairsAndTellsTheOthers) {
    Rig rig = manually_rerouted();
    rig.on(PlaneLost{});
    ASSERT_EQ(rig.seen<Restore>().size(), 1U);
    rig.on(RestoreDone{1});
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::plane_lost);
    for (HostId host = 1; host < 4; ++host) {
        const auto sent = rig.seen<Send>();
        const auto told = std::find_if(sent.rbegin(), sent.rend(), [host](const Send& each) {
            return each.to == host && std::holds_alternative<wire::Hello>(each.message);
        });
        ASSERT_NE(told, sent.rend());
        EXPECT_FALSE(std::get<wire::Hello>(told->message).can_relay);
    }
    rig.on(Received{2, wire::RelayRequest{1, 3, 1e6}});
    EXPECT_EQ(rig.sent<wire::RelayRefuse>(2), 1);
    const int beats = rig.sent<wire::Heartbeat>(2);
    rig.on(Received{2, wire::Heartbeat{false}});
    EXPECT_EQ(rig.sent<wire::Heartbeat>(2), beats) << "no answer, so that a source whose refusal was lost returns";
}

TEST(Echoes, ARelayThatDiesIsTakenForDeadWhicheverIsNoticedFirst) {
    for (int phase = 0; phase < 20; ++phase) {
        Rig rig = manually_rerouted();
        for (int i = 0; i < 200 + phase; ++i) rig.step(Tick{}, 0.005, 0.0, 0.0);
        rig.silent = 2;
        rig.echoes = false;
        EXPECT_LT(time_to_restore(rig, 5.0), 0.55) << phase;
        ASSERT_EQ(rig.seen<Restored>().size(), 1U);
        EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::relay_dead) << phase;
    }
}

TEST(Echoes, AWayThatCarriesNothingIsLeftWithinASecond) {
    Rig rig = manually_rerouted();
    rig.echoes = false;
    EXPECT_LT(time_to_restore(rig, 5.0), 1.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::detour_broken);
}

TEST(Echoes, ABrokenRelayIsAvoidedForThisDestinationWhileAnotherIsTried) {
    Rig rig;
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const HostId broken = rig.seen<Rerouted>()[0].relay;
    rig.echoes = false;
    while (rig.seen<Restored>().empty()) rig.step(rig.sample(20e-3), 0.02, 10e-3, 0.0);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::detour_broken);
    rig.echoes = true;
    const double restored_at = rig.now;
    while (rig.now < restored_at + 2.0) rig.step(rig.sample(20e-3), 0.02, 10e-3, 0.0);
    const auto rerouted = rig.seen<Rerouted>();
    ASSERT_GE(rerouted.size(), 2U);
    EXPECT_NE(rerouted[1].relay, broken);
}

/// Whether a detour by hand lasts for so long, where this share of the echoes is lost and the others take so long.
bool lasts(double seconds, double lost_share, const std::function<double(double)>& round_trip_s) {
    Rig rig = manually_rerouted();
    const double begin = rig.now;
    Random random(3);
    std::vector<std::pair<double, wire::EchoReply>> under_way;
    while (rig.now < begin + seconds) {
        for (const Action& action : rig.on(Tick{}, 0.005)) {
            const Send* send = std::get_if<Send>(&action);
            if (send == nullptr) continue;
            if (const auto* echo = std::get_if<wire::Echo>(&send->message);
                echo != nullptr && random.uniform() >= lost_share)
                under_way.emplace_back(rig.now + round_trip_s(rig.now - begin), Rig::reply_to(*echo));
            if (std::holds_alternative<wire::Heartbeat>(send->message))
                rig.on(Received{send->to, wire::Heartbeat{true}});
        }
        std::erase_if(under_way, [&](const auto& each) {
            if (each.first <= rig.now) rig.on(Received{1, each.second});
            return each.first <= rig.now;
        });
        rig.all.clear();
    }
    return rig.controller.view(1).relay != kNoHost;
}

/// A queue of 50 ms and a tenth lost on each of three links, ten minutes.
TEST(Echoes, LossAndQueuesOfACongestedNetworkAreNoReasonToRestore) {
    EXPECT_TRUE(lasts(600.0, 0.27, [](double) { return 0.15; }));
}

TEST(Echoes, AQueueThatComesAtOnceIsNoReasonToRestore) {
    for (double begin_s = 2.0; begin_s < 2.2; begin_s += 0.01)
        EXPECT_TRUE(lasts(5.0, 0.0, [&](double s) { return s < begin_s ? 300e-6 : 0.3; })) << begin_s;
}

TEST(Echoes, AWayThatBreaksIsLeftBeforeTcpsThirdTransmission) {
    for (int phase = 0; phase < 20; ++phase) {
        Rig rig = manually_rerouted();
        for (int i = 0; i < 200 + phase; ++i) rig.step(Tick{}, 0.005, 0.0, 0.0);
        rig.echoes = false;
        EXPECT_LT(time_to_restore(rig, 5.0), 0.55) << phase;
    }
}

TEST(Echoes, ARelayHandsThemOnAndADestinationAnswersByBothWays) {
    Rig relay;
    relay.on(Received{1, wire::Echo{7, 1, 2, 0}});
    EXPECT_EQ(relay.sent<wire::Echo>(2), 1);
    relay.on(Received{2, wire::EchoReply{7, 1, 2, 0}});
    EXPECT_EQ(relay.sent<wire::EchoReply>(1), 1);
    relay.on(Received{3, wire::Echo{7, 1, 2, 0}});
    relay.on(Received{3, wire::EchoReply{7, 1, 2, 0}});
    EXPECT_EQ(relay.sent<wire::Echo>(2) + relay.sent<wire::EchoReply>(1), 2) << "of a stranger to the pair";

    Rig destination;
    destination.on(Received{2, wire::Echo{7, 1, 0, 2}});
    EXPECT_EQ(destination.sent<wire::EchoReply>(1), 1);
    EXPECT_EQ(destination.sent<wire::EchoReply>(2), 1);

    ControllerConfig config = config_of(0);
    config.can_relay = false;
    Rig without(config);
    without.on(Received{2, wire::Echo{7, 1, 0, 2}});
    without.on(Received{1, wire::Echo{7, 1, 2, 0}});
    EXPECT_EQ(without.sent<wire::EchoReply>(1) + without.sent<wire::Echo>(2), 0) << "it has no plane";
}

TEST(Echoes, NothingIsReroutedToAHostWithoutAPlane) {
    Rig rig;
    rig.greet_all();
    rig.on(Received{1, wire::Hello{kHosts, false}});
    rig.on(ManualReroute{1, 2});
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    ASSERT_EQ(rig.seen<ManualEnded>().size(), 1U);
    EXPECT_EQ(rig.seen<ManualEnded>()[0].error, "the destination has no data plane");
    rig.congestion(10e-3, 0.0);
    EXPECT_TRUE(rig.seen<Rerouted>().empty());
    ASSERT_EQ(rig.seen<Kept>().size(), 1U);
    EXPECT_EQ(rig.seen<Kept>()[0].reason, KeepReason::destination_lost);
}

ControllerConfig proving() {
    ControllerConfig config = config_of(0);
    config.proves = true;
    return config;
}

TEST(Trials, ARerouteByHandWaitsForTheFirstEcho) {
    Rig rig(proving());
    rig.greet_all();
    rig.on(ManualReroute{1, 2});
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    const auto sent = rig.seen<SendEcho>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_TRUE(sent[0].trial);
    EXPECT_EQ(sent[0].echo, (wire::Echo{sent[0].echo.token, 0, 1, 2, 0}));
    wire::EchoReply other = Rig::reply_to(sent[0].echo);
    ++other.token;
    rig.on(Received{1, other});
    EXPECT_TRUE(rig.seen<Reroute>().empty()) << "of no echo of ours";
    rig.on(Received{2, Rig::reply_to(sent[0].echo)});  // handed on by the relay's agent
    EXPECT_EQ(rig.seen<Reroute>().size(), 1U);
    rig.on(RerouteDone{1, 2});
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.on(Tick{}, 0.001);
    EXPECT_FALSE(rig.seen<SendEcho>().back().trial) << "right after the reroute, on the way that is used";
}

TEST(Trials, ARerouteByHandOverAWayThatCarriesNothingIsRefused) {
    Rig rig(proving());
    rig.greet_all();
    rig.broken = 2;
    rig.step(ManualReroute{1, 2}, 0.0, 0.0, 0.0);
    const double asked_at = rig.now;
    while (rig.seen<ManualEnded>().empty() && rig.now < asked_at + 5.0) rig.step(Tick{}, 0.005, 0.0, 0.0);
    EXPECT_NEAR(rig.now - asked_at, EchoSettings{}.manual_s, 0.02);
    EXPECT_TRUE(rig.seen<Reroute>().empty());
    ASSERT_EQ(rig.seen<ManualEnded>().size(), 1U);
    EXPECT_EQ(rig.seen<ManualEnded>()[0].error.rfind("the detour does not carry packets", 0), 0U);
    EXPECT_GT(rig.seen<SendEcho>().size(), 10U) << "not after one that was lost";
    rig.on(ManualReroute{1, 2});
    rig.on(ManualReroute{1, 3});  // another wish
    const wire::Echo late = rig.seen<SendEcho>().end()[-2].echo;
    ASSERT_EQ(late.relay, 2);
    rig.on(Received{1, Rig::reply_to(late)});
    EXPECT_TRUE(rig.seen<Reroute>().empty());
}

/// Echoes over all candidates of every search would be a queue of their own on narrow links.
TEST(Trials, OnlyTheChosenWayIsTried) {
    for (const bool own : {false, true}) {
        Rig rig(proving());
        rig.greet_all();
        if (own) rig.sample_B = 400000;  // about what the link carries meanwhile
        rig.congestion(10e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), own ? 0U : 1U);
        int tried = 0;
        for (const SendEcho& sent : rig.seen<SendEcho>()) tried += sent.trial ? 1 : 0;
        EXPECT_EQ(tried, own ? 0 : 1);
    }
}

TEST(Trials, ARerouteWaitsForTheGrantAndForAnEcho) {
    for (const bool grant : {false, true}) {
        Rig rig(proving());
        rig.greet_all();
        rig.grant = grant;
        rig.echoes = !grant;
        rig.congestion(10e-3, 0.0);
        EXPECT_TRUE(rig.seen<Reroute>().empty());
        ASSERT_FALSE(rig.seen<Kept>().empty());
        EXPECT_EQ(rig.seen<Kept>()[0].reason, grant ? KeepReason::not_carried : KeepReason::refused);
    }
}

TEST(Trials, OnlyRelaysThatCarryAreTaken) {
    for (HostId broken = 2; broken < kHosts; ++broken) {
        Rig rig(proving());
        rig.greet_all();
        rig.broken = broken;
        rig.congestion(10e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        EXPECT_NE(rig.seen<Rerouted>()[0].relay, broken);
    }
}

TEST(Trials, TheyDoNotDelayAReroute) {
    double decided_s[2];
    for (const bool proves : {false, true}) {
        ControllerConfig config = config_of(0);
        config.proves = proves;
        Rig rig(config);
        rig.greet_all();
        const double begin = rig.now;
        rig.congestion(10e-3, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        decided_s[proves] = rig.seen<Rerouted>()[0].decided_at - begin;
    }
    EXPECT_LE(decided_s[1], decided_s[0] + 1e-3);
}

TEST(Trials, ADetourThatStopsCarryingIsLeftAndNotTakenAgainUntilItDoes) {
    Rig rig(proving());
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.echoes = false;
    const double broken_at = rig.now;
    while (rig.now < broken_at + 8.0) rig.step(rig.sample(20e-3), 0.02, 10e-3, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::detour_broken);
    EXPECT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.echoes = true;
    while (rig.now < broken_at + 16.0) rig.step(rig.sample(20e-3), 0.02, 10e-3, 0.0);
    EXPECT_GE(rig.seen<Rerouted>().size(), 2U);
}

/// What the kernel says of sockets whose segments do not arrive: one is in flight, and is sent again after 0.2 s, 0.4
/// s, 0.8 s.
SocketSample lost_sample(const Rig& rig, double since_s) {
    const std::uint64_t again = since_s < 0.2 ? 0 : since_s < 0.6 ? 1 : since_s < 1.4 ? 2 : 3;
    return SocketSample{1, 20e-3, 300e-6, 1448, rig.delivered_B, 0, 100 + again, false, 0.2};
}

TEST(Stuck, SegmentsThatDoNotArriveEndADetourAlthoughEchoesDo) {
    Rig rig(proving());
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    rig.on(lost_sample(rig, 0.0), 0.02);
    const double begin = rig.now;
    while (rig.seen<Restored>().empty() && rig.now < begin + 3.0)
        rig.step(lost_sample(rig, rig.now - begin), 0.04, 0.0, 0.0);
    ASSERT_EQ(rig.seen<Restored>().size(), 1U);
    EXPECT_EQ(rig.seen<Restored>()[0].reason, RestoreReason::detour_broken);
    EXPECT_LT(rig.now - begin, 1.0);
}

TEST(Stuck, AClosedWindowAndWhatWasLostBeforeTheRerouteAreNoReason) {
    for (const bool closed : {true, false}) {
        Rig rig(proving());
        rig.greet_all();
        rig.on(rig.sample(300e-6), 0.02);
        SocketSample silent = lost_sample(rig, 5.0);  // three time-outs before the reroute
        rig.on(silent, 0.02);
        rig.on(silent, 2.0);
        rig.step(ManualReroute{1, 2}, 0.0, 0.0, 0.0);
        rig.step(Tick{}, 0.001, 0.0, 0.0);
        rig.step(Tick{}, 0.001, 0.0, 0.0);
        ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
        if (closed) silent.in_flight_B = 0;
        for (int i = 0; i < 50; ++i) rig.step(silent, 0.04, 0.0, 0.0);  // the next time-out is 3 s away
        EXPECT_TRUE(rig.seen<Restored>().empty());
    }
}

TEST(Stuck, SocketsSayNothingOfADetourOnWhichAgentsCarryMessages) {
    Rig rig;  // what the program sends by sockets takes the direct path
    rig.greet_all();
    rig.congestion(10e-3, 0.0);
    ASSERT_EQ(rig.seen<Rerouted>().size(), 1U);
    const double begin = rig.now;
    while (rig.now < begin + 1.2) rig.step(lost_sample(rig, rig.now - begin), 0.04, 10e-3, 0.0);
    EXPECT_TRUE(rig.seen<Restored>().empty());
}

}  // namespace
}  // namespace fairlead::core
