// SPDX-License-Identifier: Apache-2.0
#include "roles/relay_role.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(RelayRole, MeasuresALegAndReportsIt) {
    PartsRig rig;
    rig.relay_role.answer(3, wire::PathQuery{77, 1}, rig.now, rig.out);
    const auto probes = only<SendProbes>(rig.out.take());
    ASSERT_EQ(probes.size(), 1U);
    rig.relay_role.on_burst(*rig.probe(1, 4e-3, probes[0].burst), rig.out);
    auto sent = messages<wire::PathReport>(rig.out.take());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].first, 3);
    EXPECT_EQ(sent[0].second.token, 77U);
    EXPECT_EQ(sent[0].second.received, 3);
    EXPECT_NEAR(sent[0].second.queue_delay_s, 4e-3, 1e-12);
    rig.relay_role.answer(4, wire::PathQuery{78, 1}, rig.now, rig.out);
    sent = messages<wire::PathReport>(rig.out.take());
    ASSERT_EQ(sent.size(), 1U) << "what was measured just now is told at once";
    EXPECT_EQ(sent[0].first, 4);
}

TEST(RelayRole, DoesNotMeasureThePathBackOrToItself) {
    PartsRig rig;
    rig.relay_role.answer(3, wire::PathQuery{77, 3}, rig.now, rig.out);
    rig.relay_role.answer(3, wire::PathQuery{77, 0}, rig.now, rig.out);
    EXPECT_TRUE(rig.out.take().empty());
}

TEST(RelayRole, GrantsWithinItsBudget) {
    PartsRig rig;  // 100 Mbit/s
    rig.relay_role.answer(1, wire::RelayRequest{1, 2, 60e6}, rig.now, rig.out);
    rig.relay_role.answer(2, wire::RelayRequest{2, 3, 60e6}, rig.now, rig.out);
    const auto actions = rig.out.take();
    ASSERT_EQ(messages<wire::RelayGrant>(actions).size(), 1U);
    EXPECT_EQ(messages<wire::RelayGrant>(actions)[0].second, (wire::RelayGrant{1, 2, 0}));
    ASSERT_EQ(messages<wire::RelayRefuse>(actions).size(), 1U);
    EXPECT_EQ(messages<wire::RelayRefuse>(actions)[0].second.reason, wire::RefuseReason::budget);
    ASSERT_EQ(rig.relay_role.granted().size(), 1U);
    EXPECT_EQ(rig.relay_role.granted()[0], (Pair{1, 2}));
    rig.relay_role.answer(1, wire::RelayRelease{2});
    EXPECT_TRUE(rig.relay_role.granted().empty());
}

TEST(RelayRole, AGrantLivesByHeartbeats) {
    PartsRig rig;
    rig.relay_role.answer(1, wire::RelayRequest{1, 2, 0.0}, rig.now, rig.out);
    EXPECT_DOUBLE_EQ(rig.relay_role.next_deadline(), rig.now + 2.0);
    const std::vector<wire::RelayUse> uses{{2, 0.0}};
    rig.relay_role.answer_beat(1, uses, rig.now + 1.5, rig.out);
    EXPECT_EQ(messages<wire::Heartbeat>(rig.out.take())[0].second, wire::Heartbeat{true});
    rig.relay_role.expire(rig.now + 3.4);
    EXPECT_EQ(rig.relay_role.granted().size(), 1U);
    rig.relay_role.expire(rig.now + 3.5);
    EXPECT_TRUE(rig.relay_role.granted().empty());
}

TEST(RelayRole, AGrantWhoseReleaseWasLostEndsAlthoughItsSourceHasOthers) {
    PartsRig rig;
    rig.relay_role.answer(1, wire::RelayRequest{1, 2, 40e6}, rig.now, rig.out);
    rig.relay_role.answer(1, wire::RelayRequest{2, 3, 40e6}, rig.now, rig.out);
    const std::vector<wire::RelayUse> uses{{3, 40e6}};
    for (int beat = 0; beat < 4; ++beat, rig.now += 0.5) rig.relay_role.answer_beat(1, uses, rig.now, rig.out);
    rig.relay_role.expire(rig.now);
    EXPECT_EQ(rig.relay_role.granted(), (std::vector<Pair>{{1, 3}}));
}

TEST(RelayRole, GrantsOfASourceThatStoodStillAreThereAgain) {
    PartsRig rig;  // 100 Mbit/s
    rig.relay_role.answer(1, wire::RelayRequest{1, 2, 80e6}, rig.now, rig.out);
    rig.relay_role.expire(rig.now + 2.0);
    ASSERT_TRUE(rig.relay_role.granted().empty());
    const std::vector<wire::RelayUse> uses{{2, 80e6}, {1, 80e6}, {0, 80e6}};
    rig.relay_role.answer_beat(1, uses, rig.now + 3.0, rig.out);
    EXPECT_EQ(rig.relay_role.granted(), (std::vector<Pair>{{1, 2}})) << "neither to the source nor to the relay";
    rig.out.take();
    rig.relay_role.answer(3, wire::RelayRequest{2, 2, 60e6}, rig.now + 3.0, rig.out);
    EXPECT_EQ(messages<wire::RelayRefuse>(rig.out.take()).size(), 1U) << "its rate counts";
}

TEST(RelayRole, WithoutAPlaneItRefusesAndAnswersNoHeartbeat) {
    PartsRig rig;
    rig.relay_role.disable();
    rig.relay_role.answer(1, wire::RelayRequest{1, 2, 0.0}, rig.now, rig.out);
    rig.relay_role.answer_beat(1, {}, rig.now, rig.out);
    rig.relay_role.answer(1, wire::Echo{7, 1, 2, 0, 0}, rig.out);
    const auto actions = rig.out.take();
    ASSERT_EQ(actions.size(), 1U);
    EXPECT_EQ(messages<wire::RelayRefuse>(actions)[0].second.reason, wire::RefuseReason::no_plane);
}

TEST(RelayRole, StopsByRevokingWhatItGranted) {
    PartsRig rig;
    rig.relay_role.answer(1, wire::RelayRequest{1, 2, 0.0}, rig.now, rig.out);
    rig.out.take();
    rig.relay_role.stop(rig.out);
    rig.relay_role.answer(3, wire::RelayRequest{9, 2, 0.0}, rig.now, rig.out);
    const auto refused = messages<wire::RelayRefuse>(rig.out.take());
    ASSERT_EQ(refused.size(), 2U);
    EXPECT_EQ(refused[0], (std::pair<HostId, wire::RelayRefuse>(1, {0, 2, wire::RefuseReason::stopping})));
    EXPECT_EQ(refused[1].second.reason, wire::RefuseReason::stopping);
}

TEST(RelayRole, AnswersAnEchoByAWayOnce) {
    PartsRig rig;
    rig.relay_role.answer(3, wire::Echo{7, 3, 0, way_of(1), 0}, rig.out);
    const auto replies = messages<wire::EchoReply>(rig.out.take());
    ASSERT_EQ(replies.size(), 1U);
    EXPECT_EQ(replies[0], (std::pair<HostId, wire::EchoReply>(3, {7, 3, 0, way_of(1)})));
}

TEST(RelayRole, HandsOnEchoesAndAnswersThoseToItself) {
    PartsRig rig;
    rig.relay_role.answer(1, wire::Echo{7, 1, 2, 0, 0}, rig.out);
    EXPECT_EQ(messages<wire::Echo>(rig.out.take())[0].first, 2);
    rig.relay_role.answer(3, wire::Echo{7, 1, 2, 0, 0}, rig.out);
    EXPECT_TRUE(rig.out.take().empty()) << "not from its source";
    rig.relay_role.answer(3, wire::Echo{7, 1, 0, 3, 0}, rig.out);
    const auto replies = messages<wire::EchoReply>(rig.out.take());
    ASSERT_EQ(replies.size(), 2U) << "on both paths";
    EXPECT_EQ(replies[0].first, 1);
    EXPECT_EQ(replies[1].first, 3);
    EXPECT_TRUE(rig.relay_role.hand_on(2, {7, 1, 2, 0}, rig.out));
    EXPECT_EQ(messages<wire::EchoReply>(rig.out.take())[0].first, 1);
    EXPECT_FALSE(rig.relay_role.hand_on(2, {7, 0, 2, 3}, rig.out)) << "its own";
}

}  // namespace
}  // namespace fairlead::core
