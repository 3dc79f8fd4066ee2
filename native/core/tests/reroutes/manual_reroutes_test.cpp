// SPDX-License-Identifier: Apache-2.0
// Reroutes and returns that the supervisor asks for.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/reroutes/reroutes_rig.hpp"

namespace fairlead::core {
namespace {

class ManualReroutes : public ReroutesRig {};

TEST_F(ManualReroutes, AManualRerouteWaitsForTheProof) {
    reroutes.request_manually(1, 3);
    const auto echoes = only<SendEcho>(rig.out.take());
    ASSERT_EQ(echoes.size(), 1U);
    reroutes.on_echo({echoes[0].echo.token, 0, 1, 3});
    const auto actions = rig.out.take();
    EXPECT_EQ(messages<wire::RelayRequest>(actions).at(0).first, 3);
    ASSERT_EQ(only<Reroute>(actions).size(), 1U);
    EXPECT_EQ(rig.traffic.relay(1), kNoHost) << "the guardian has not answered";
    reroutes.on_guardian(RerouteDone{1, 3});
    const auto rerouted = only<Rerouted>(rig.out.take());
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_TRUE(rerouted[0].manual);
    EXPECT_EQ(rerouted[0].before, kNoHost);
    EXPECT_EQ(rig.traffic.relay(1), 3);
}

TEST_F(ManualReroutes, ADetourThatIsNotProvedInTimeIsGivenUp) {
    reroutes.request_manually(1, 3);
    at(rig.now + 0.51);
    rig.out.take();
    reroutes.advance();
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_NE(ended[0].error.find("does not carry packets"), std::string::npos);
}

TEST_F(ManualReroutes, MayTakeAnEqualCostPathOfWhichNoHostHasToHear) {
    for (HostId host = 2; host < kRigHosts; ++host) rig.peers.lose(host);
    reroutes.request_manually(1, way_of(2));
    const auto echoes = only<SendEcho>(rig.out.take());
    ASSERT_EQ(echoes.size(), 1U);
    EXPECT_EQ(echoes[0].echo.relay, way_of(2));
    EXPECT_TRUE(echoes[0].trial);
    reroutes.on_echo({echoes[0].echo.token, 0, 1, way_of(2)});
    const auto actions = rig.out.take();
    EXPECT_TRUE(only<Send>(actions).empty());
    ASSERT_EQ(only<Reroute>(actions).size(), 1U);
    EXPECT_EQ(only<Reroute>(actions)[0].relay, way_of(2));
    reroutes.on_guardian(RerouteDone{1, way_of(2)});
    const auto rerouted = only<Rerouted>(rig.out.take());
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_TRUE(rerouted[0].manual);
    EXPECT_EQ(rig.traffic.relay(1), way_of(2));
    reroutes.request_manually(1, kNoHost);
    reroutes.on_guardian(RestoreDone{1});
    const auto restored = only<Restored>(rig.out.take());
    ASSERT_EQ(restored.size(), 1U);
    EXPECT_EQ(restored[0].relay, way_of(2));
}

TEST_F(ManualReroutes, AnEqualCostPathThatDeliversNothingIsGivenUp) {
    reroutes.request_manually(1, way_of(0));
    at(rig.now + 0.51);
    rig.out.take();
    reroutes.advance();
    rig.peers.lose(1);
    reroutes.request_manually(1, way_of(0));
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_NE(ended[0].error.find("the equal-cost path does not carry packets"), std::string::npos);
    EXPECT_EQ(ended[1].error, "the destination does not answer");
}

TEST_F(ManualReroutes, WhatCannotWorkIsSaidAtOnce) {
    rig.peers.lose(3);
    reroutes.request_manually(1, 3);
    rig.peers.lose(1);
    reroutes.request_manually(1, 2);
    reroutes.request_manually(4, kNoHost);
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 3U);
    EXPECT_EQ(ended[0].error, "the relay does not answer");
    EXPECT_EQ(ended[1].error, "the destination does not answer");
    EXPECT_EQ(ended[2].error, "") << "nothing to restore";
}

TEST_F(ManualReroutes, NeedAPlaneAtBothEndsOfTheSecondLeg) {
    rig.peers.on_hello(3, {kRigHosts, false}, true, rig.out);
    rig.peers.lose(3);
    reroutes.request_manually(1, 3);
    rig.peers.on_hello(1, {kRigHosts, false}, true, rig.out);
    reroutes.request_manually(1, 2);
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].error, "the relay has no data plane") << "before all else";
    EXPECT_EQ(ended[0].destination, 1);
    EXPECT_EQ(ended[0].relay, 3);
    EXPECT_EQ(ended[1].error, "the destination has no data plane");
    rig.peers.meet(2, 7);  // its agent started anew
    rig.peers.meet(4, 7);
    reroutes.request_manually(4, 2);
    EXPECT_EQ(only<SendEcho>(rig.out.take()).size(), 1U) << "who was not heard yet may have one";
}

TEST_F(ManualReroutes, AreKnownToTheRelayButTakeNothingOfItsBudget) {
    rig.job.proves = false;
    reroutes.request_manually(1, 3);
    const auto actions = rig.out.take();
    EXPECT_TRUE(only<SendEcho>(actions).empty());
    const auto requests = messages<wire::RelayRequest>(actions);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].second.destination, 1);
    EXPECT_DOUBLE_EQ(requests[0].second.rate_bps, 0.0);
    ASSERT_EQ(only<Reroute>(actions).size(), 1U) << "no grant is waited for";
    reroutes.on_guardian(RerouteDone{1, 3});
    const auto rerouted = only<Rerouted>(rig.out.take());
    ASSERT_EQ(rerouted.size(), 1U);
    EXPECT_DOUBLE_EQ(rerouted[0].suspected_at, rig.now);
    EXPECT_DOUBLE_EQ(rerouted[0].confirmed_at, rig.now);
    EXPECT_DOUBLE_EQ(rerouted[0].decided_at, rig.now);
}

TEST_F(ManualReroutes, AreTriedAgainAndAgain) {
    const EchoSettings& echo = rig.job.settings.echo;
    const Time begun = rig.now;
    reroutes.request_manually(1, 3);
    EXPECT_DOUBLE_EQ(reroutes.next_due(), begun + echo.trial_s);
    std::vector<SendEcho> echoes = only<SendEcho>(rig.out.take());
    for (int i = 1; i <= 3; ++i) {
        at(begun + i * echo.trial_s);
        reroutes.advance();
        for (const SendEcho& each : only<SendEcho>(rig.out.take())) echoes.push_back(each);
    }
    ASSERT_EQ(echoes.size(), 4U);
    reroutes.on_echo({echoes[1].echo.token, 0, 1, 4});
    EXPECT_TRUE(rig.out.take().empty()) << "another relay's";
    reroutes.on_echo({echoes[1].echo.token, 0, 1, 3});
    EXPECT_EQ(only<Reroute>(rig.out.take()).size(), 1U) << "any of them proves it";
    at(begun + 1.0);
    reroutes.advance();
    EXPECT_TRUE(only<ManualEnded>(rig.out.take()).empty());
}

/// Until they end a congested path is not looked at, so it is nothing to wake for.
TEST_F(ManualReroutes, TrialsWakeForTheirEchoesOnly) {
    const std::uint32_t burst = rig.paths.probes().burst(1, rig.now, rig.out.actions());
    const auto done = rig.probe(1, 10e-3, burst);
    at(rig.now);
    rig.paths.judge(*done, rig.now, rig.out);
    reroutes.on_burst(*done);
    ASSERT_NE(rig.paths.congestion_level(1), CongestionLevel::low);
    reroutes.request_manually(1, 3);
    EXPECT_DOUBLE_EQ(reroutes.next_due(), rig.now + rig.job.settings.echo.trial_s);
}

TEST_F(ManualReroutes, AReturnEndsWithItsReason) {
    reroute_manually(1, 3);
    at(rig.now + 2.0);
    reroutes.request_manually(1, kNoHost);
    ASSERT_EQ(only<Restore>(rig.out.take()).size(), 1U);
    reroutes.on_guardian(RestoreDone{1});
    const auto restored = only<Restored>(rig.out.take());
    ASSERT_EQ(restored.size(), 1U);
    EXPECT_EQ(restored[0].reason, RestoreReason::manual);
    EXPECT_EQ(restored[0].relay, 3);
    EXPECT_DOUBLE_EQ(restored[0].away_s, 2.0);
}

TEST_F(ManualReroutes, AReturnThatFailsIsReportedAndTriedAgain) {
    reroute_manually(1, 3);
    reroutes.request_manually(1, kNoHost);
    rig.out.take();
    reroutes.on_guardian(RestoreFailed{1, "busy"});
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].error, "busy");
    EXPECT_EQ(ended[0].relay, kNoHost);
    reroutes.request_manually(1, 4);  // he has changed his mind
    at(rig.now + 1.0);
    reroutes.advance();
    EXPECT_TRUE(only<Restore>(rig.out.take()).empty()) << "a return that waits is forgotten";
}

TEST_F(ManualReroutes, AReturnDropsADetourThatIsBeingTried) {
    reroutes.request_manually(1, 3);
    const auto echoes = only<SendEcho>(rig.out.take());
    ASSERT_EQ(echoes.size(), 1U);
    reroutes.request_manually(1, kNoHost);
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].relay, kNoHost);
    EXPECT_EQ(ended[0].error, "");
    reroutes.on_echo({echoes[0].echo.token, 0, 1, 3});
    EXPECT_TRUE(only<Reroute>(rig.out.take()).empty());
}

TEST_F(ManualReroutes, WaitForTheGuardianAndTheLastOneCounts) {
    rig.job.proves = false;
    reroutes.request_manually(1, 3);
    rig.out.take();
    reroutes.request_manually(1, 4);
    reroutes.request_manually(1, 2);
    EXPECT_TRUE(rig.out.take().empty());
    reroutes.on_guardian(RerouteDone{1, 3});
    auto asked = only<Reroute>(rig.out.take());
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].relay, 2);
    reroutes.request_manually(1, kNoHost);
    EXPECT_TRUE(rig.out.take().empty());
    reroutes.on_guardian(RerouteDone{1, 2});
    EXPECT_EQ(only<Restore>(rig.out.take()).size(), 1U);
    reroutes.request_manually(1, 4);
    reroutes.on_guardian(RestoreDone{1});
    asked = only<Reroute>(rig.out.take());
    ASSERT_EQ(asked.size(), 1U) << "nor during a return";
    EXPECT_EQ(asked[0].relay, 4);
    reroutes.on_guardian(RerouteDone{1, 4});
    EXPECT_TRUE(messages<wire::RelayRequest>(rig.out.take()).empty()) << "each is done once";
}

TEST_F(ManualReroutes, WhatCannotWorkChangesNothing) {
    reroute_manually(1, 3);
    rig.peers.lose(4);
    reroutes.request_manually(1, 4);
    const auto actions = rig.out.take();
    EXPECT_EQ(only<ManualEnded>(actions).size(), 1U);
    EXPECT_TRUE(only<Restore>(actions).empty());
    EXPECT_EQ(rig.traffic.relay(1), 3);
}

TEST_F(ManualReroutes, AProofThatComesDuringAReturnIsAskedForOnceMore) {
    reroute_manually(1, 3);
    reroutes.request_manually(1, 4);
    const auto first = only<SendEcho>(rig.out.take());
    ASSERT_EQ(first.size(), 1U);
    reroutes.lose_host(3);
    ASSERT_EQ(only<Restore>(rig.out.take()).size(), 1U);
    reroutes.on_echo({first[0].echo.token, 0, 1, 4});
    EXPECT_TRUE(only<Reroute>(rig.out.take()).empty());
    reroutes.on_guardian(RestoreDone{1});
    const auto second = only<SendEcho>(rig.out.take());
    ASSERT_EQ(second.size(), 1U);
    reroutes.on_echo({second[0].echo.token, 0, 1, 4});
    EXPECT_EQ(only<Reroute>(rig.out.take()).size(), 1U);
}

TEST_F(ManualReroutes, EndTheSearchUnderWay) {
    queue_s[1] = 10e-3;
    suspect(1);
    while (messages<wire::RelayRequest>(rig.out.actions()).empty() && rig.now < 102.0) step();
    const auto actions = rig.out.take();
    const auto requests = messages<wire::RelayRequest>(actions);
    ASSERT_EQ(requests.size(), 1U);
    const HostId relay = requests[0].first;
    reroutes.request_manually(1, kNoHost);
    rig.out.take();
    reroutes.on_grant(relay, {requests[0].second.token, 1, 0});
    for (const SendEcho& sent : only<SendEcho>(actions)) reroutes.on_echo({sent.echo.token, 0, 1, relay});
    const auto later = rig.out.take();
    EXPECT_TRUE(only<Reroute>(later).empty());
    EXPECT_EQ(messages<wire::RelayRelease>(later).size(), 1U);
}

TEST_F(ManualReroutes, StayThoughTheDirectPathIsGood) {
    reroute_manually(1, 3);
    for (int i = 0; i < 100; ++i) {
        at(rig.now + 0.1);
        sample(1, 300e-6);
        reroutes.advance();
        const auto actions = rig.out.take();
        EXPECT_TRUE(looks(actions).empty()) << "it is not measured either";
        EXPECT_TRUE(only<Restore>(actions).empty());
        for (const SendEcho& sent : only<SendEcho>(actions)) reroutes.on_echo({sent.echo.token, 0, 1, 3});
        for (const auto& beat : messages<wire::Heartbeat>(actions)) rig.peers.on_beat(beat.first, rig.now);
    }
}

}  // namespace
}  // namespace fairlead::core
