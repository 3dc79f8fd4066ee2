// SPDX-License-Identifier: Apache-2.0
// The life of a route: what the guardian answers, and detours that are lost.
#include "reroutes/reroutes.hpp"

#include <gtest/gtest.h>

#include "tests/reroutes/reroutes_rig.hpp"

namespace fairlead::core {
namespace {

class ReroutesOf : public ReroutesRig {};

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
