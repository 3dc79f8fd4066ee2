// SPDX-License-Identifier: Apache-2.0
// The routes of one host's pairs alone: what its parts' results lead to.
#include "reroutes.hpp"

#include <gtest/gtest.h>

#include "parts_rig.hpp"

namespace fairlead::core {
namespace {

class ReroutesOf : public testing::Test {
  protected:
    ReroutesOf() {
        rig.greet();
        reroutes.at(rig.now);
    }
    void at(Time now) { reroutes.at(rig.now = now); }
    /// A manual detour, over a relay that was proved.
    void reroute_manually(HostId destination, HostId relay) {
        reroutes.request_manually(destination, relay);
        for (const SendEcho& sent : only<SendEcho>(rig.out.take())) {
            reroutes.on_echo({sent.echo.token, 0, sent.echo.destination, sent.echo.relay});
        }
        ASSERT_EQ(only<Reroute>(rig.out.take()).size(), 1U);
        reroutes.on_guardian(RerouteDone{destination, relay});
        ASSERT_EQ(only<Rerouted>(rig.out.take()).size(), 1U);
    }
    PartsRig rig;
    Notices notices{rig.job, rig.paths, rig.peers};
    Learning learning{rig.job, rig.paths, rig.traffic, rig.peers};
    Random random{1};
    Reroutes reroutes{rig.parts, rig.traffic, rig.peers, notices, learning, random, rig.out};
};

TEST_F(ReroutesOf, AManualRerouteWaitsForTheProof) {
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

TEST_F(ReroutesOf, ADetourThatIsNotProvedInTimeIsGivenUp) {
    reroutes.request_manually(1, 3);
    at(rig.now + 0.51);
    rig.out.take();
    reroutes.advance();
    const auto ended = only<ManualEnded>(rig.out.take());
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_NE(ended[0].error.find("does not carry packets"), std::string::npos);
}

TEST_F(ReroutesOf, WhatCannotWorkIsSaidAtOnce) {
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

TEST_F(ReroutesOf, APairIsRestoredWhenItsRelayIsLost) {
    reroute_manually(1, 3);
    reroute_manually(2, 4);
    reroutes.lose_host(3);
    ASSERT_EQ(only<Restore>(rig.out.take()).size(), 1U);
    reroutes.on_guardian(RestoreDone{1});
    const auto actions = rig.out.take();
    ASSERT_EQ(only<Restored>(actions).size(), 1U);
    EXPECT_EQ(only<Restored>(actions)[0].reason, RestoreReason::relay_dead);
    EXPECT_EQ(messages<wire::RelayRelease>(actions).at(0).first, 3);
    EXPECT_EQ(rig.traffic.relay(1), kNoHost);
    EXPECT_EQ(rig.traffic.relay(2), 4);
    EXPECT_FALSE(rig.peers.may_relay(3, rig.now)) << "for a while";
}

TEST_F(ReroutesOf, AFailedRerouteIsReported) {
    rig.job.proves = false;
    reroutes.request_manually(1, 3);
    rig.out.take();
    reroutes.on_guardian(RerouteFailed{1, 4, "not asked"});
    EXPECT_TRUE(rig.out.take().empty());
    reroutes.on_guardian(RerouteFailed{1, 3, "no such device"});
    const auto actions = rig.out.take();
    EXPECT_EQ(only<ManualEnded>(actions).at(0).error, "no such device");
    ASSERT_EQ(only<Kept>(actions).size(), 1U);
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::reroute_failed);
    EXPECT_EQ(only<Kept>(actions)[0].best, 3);
}

TEST_F(ReroutesOf, SignsOfTheSocketsBeginASearchAndTheNextOneWaits) {
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

TEST_F(ReroutesOf, ANoticeAboutAPairThatIsNotInUseBeginsNoSearch) {
    reroutes.on_notice({0, 1, CongestionLevel::high, 5e-3, 0.0});
    EXPECT_TRUE(rig.out.take().empty());
    rig.sample(1, 2000);
    rig.sample(1, 2000);
    at(rig.now);
    reroutes.on_notice({0, 1, CongestionLevel::high, 5e-3, 0.4});
    EXPECT_EQ(only<SendProbes>(rig.out.take()).size(), 1U);
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(1, rig.now), 0.4);
}

TEST_F(ReroutesOf, AGrantThatNobodyWaitsForIsGivenBack) {
    reroutes.on_grant(2, {123, 1, 0});
    EXPECT_EQ(messages<wire::RelayRelease>(rig.out.take()).at(0).first, 2);
}

TEST_F(ReroutesOf, TheEndRestoresAllAndReroutesNoMore) {
    reroute_manually(1, 3);
    for (HostId host = 0; host < kRigHosts; ++host) reroutes.stop(host);
    EXPECT_EQ(only<Restore>(rig.out.take()).size(), 1U);
    reroutes.on_guardian(RestoreFailed{1, "busy"});
    at(rig.now + 0.011);
    reroutes.advance();
    EXPECT_EQ(only<Restore>(rig.out.take()).size(), 1U) << "tried again";
    reroutes.on_guardian(RestoreDone{1});
    EXPECT_EQ(only<Restored>(rig.out.take()).at(0).reason, RestoreReason::stopping);
}

TEST_F(ReroutesOf, WithoutAPlaneEverybodyIsToldAndPairsAreRestored) {
    reroute_manually(1, 3);
    rig.relay_role.disable();
    reroutes.lose_plane();
    const auto actions = rig.out.take();
    EXPECT_EQ(messages<wire::Hello>(actions).size(), 4U);
    EXPECT_EQ(messages<wire::Hello>(actions)[0].second, (wire::Hello{kRigHosts, false}));
    EXPECT_EQ(only<Restore>(actions).size(), 1U);
}

}  // namespace
}  // namespace fairlead::core
