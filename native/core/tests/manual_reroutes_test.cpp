// SPDX-License-Identifier: Apache-2.0
// Reroutes and returns that the supervisor asks for.
#include <gtest/gtest.h>

#include "reroutes_rig.hpp"

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

}  // namespace
}  // namespace fairlead::core
