// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class PeersOf : public testing::Test {
  protected:
    const Job job = rig_job();
    Peers peers{job};
    Outbox out;
};

TEST_F(PeersOf, AreGreetedAtFirstAndThenNowAndThen) {
    peers.greet(true, 1.0, 100.0, out);
    const auto hellos = messages<wire::Hello>(out.take());
    ASSERT_EQ(hellos.size(), 4U);
    EXPECT_EQ(hellos[0].second, (wire::Hello{kRigHosts, true}));
    peers.on_hello(1, {kRigHosts, true}, true, out);
    EXPECT_EQ(messages<wire::Hello>(out.take()).size(), 1U) << "the first is answered";
    peers.on_hello(1, {kRigHosts, true}, true, out);
    EXPECT_TRUE(out.take().empty());
    EXPECT_DOUBLE_EQ(peers.next_hello(), 102.0);
    peers.greet(true, 1.0, 102.0, out);
    EXPECT_EQ(messages<wire::Hello>(out.take()).size(), 4U);
    peers.greet(true, 1.0, 104.0, out);
    EXPECT_EQ(messages<wire::Hello>(out.take()).size(), 3U) << "the one that was heard is greeted more rarely";
}

TEST_F(PeersOf, OfALargeJobAreGreetedMoreRarelyOnceTheyWereHeard) {
    for (HostId host = 2; host < kRigHosts; ++host) peers.on_hello(host, {kRigHosts, true}, true, out);
    peers.greet(true, 4.0, 100.0, out);
    EXPECT_DOUBLE_EQ(peers.next_hello(), 102.0) << "one was not heard";
    peers.on_hello(1, {kRigHosts, true}, true, out);
    peers.greet(true, 4.0, 102.0, out);
    EXPECT_DOUBLE_EQ(peers.next_hello(), 220.0);
}

TEST_F(PeersOf, MayRelayWhenTheyAreHeardUpAndNotShunned) {
    EXPECT_FALSE(peers.may_relay(1, 100.0));
    EXPECT_TRUE(peers.reachable(1)) << "not heard yet, it may have a plane";
    peers.on_hello(1, {kRigHosts, true}, true, out);
    EXPECT_TRUE(peers.may_relay(1, 100.0));
    peers.shun(1, 100.0);
    EXPECT_FALSE(peers.may_relay(1, 104.9));
    EXPECT_TRUE(peers.may_relay(1, 105.0));
    peers.lose(1);
    EXPECT_FALSE(peers.may_relay(1, 105.0));
    EXPECT_FALSE(peers.reachable(1));
    peers.answered(1);
    EXPECT_TRUE(peers.down(1)) << "an answer from before it ended";
    peers.heard_from(1);
    EXPECT_TRUE(peers.may_relay(1, 105.0));
    peers.miss(1, 105.0);
    EXPECT_FALSE(peers.may_relay(1, 105.0));
    EXPECT_TRUE(peers.reachable(1)) << "over a relay, perhaps";
    peers.answered(1);
    EXPECT_TRUE(peers.may_relay(1, 105.0));
    peers.on_hello(1, {kRigHosts, false}, true, out);
    EXPECT_TRUE(peers.lacks_plane(1));
    EXPECT_FALSE(peers.reachable(1));
    peers.on_hello(1, {kRigHosts + 1, true}, true, out);
    EXPECT_FALSE(peers.may_relay(1, 105.0)) << "of another job";
}

TEST_F(PeersOf, AnAgentThatStartedAnewIsAStranger) {
    EXPECT_FALSE(peers.meet(1, 7));
    peers.on_hello(1, {kRigHosts, true}, true, out);
    EXPECT_FALSE(peers.meet(1, 7));
    EXPECT_TRUE(peers.meet(1, 8));
    EXPECT_FALSE(peers.heard(1));
    EXPECT_FALSE(peers.meet(1, 8));
}

TEST_F(PeersOf, ARelayIsLostAfterFourHeartbeatsWithoutAnAnswer) {
    peers.on_hello(1, {kRigHosts, true}, true, out);
    peers.begin_beats(1, 100.0);
    Time now = 100.0;
    for (int beat = 0; beat < 3; ++beat, now += 0.1) EXPECT_FALSE(peers.beat(1, {}, now, out));
    EXPECT_FALSE(peers.beat(1, {}, now - 0.05, out)) << "not due";
    peers.on_beat(1, now);
    EXPECT_DOUBLE_EQ(peers.last_beat(1), now);
    out.take();
    for (int beat = 0; beat < 4; ++beat, now += 0.1) EXPECT_FALSE(peers.beat(1, {}, now, out));
    EXPECT_EQ(messages<wire::Heartbeat>(out.take()).size(), 4U);
    EXPECT_EQ(peers.beats_missed(1), 4);
    EXPECT_TRUE(peers.beat(1, {}, now, out));
    EXPECT_TRUE(peers.down(1));
    EXPECT_EQ(peers.beats_missed(1), 0);
}

TEST_F(PeersOf, AHeartbeatSaysForWhatTheRelayIsUsed) {
    peers.begin_beats(1, 100.0);
    const std::vector<wire::RelayUse> few{{2, 1e6}, {3, 0.0}};
    EXPECT_FALSE(peers.beat(1, few, 100.0, out));
    auto beats = messages<wire::Heartbeat>(out.take());
    ASSERT_EQ(beats.size(), 1U);
    EXPECT_EQ(beats[0].second, (wire::Heartbeat{false, few}));

    const std::vector<wire::RelayUse> many(wire::kMaxRelayUses + 1, {2, 1e6});
    EXPECT_FALSE(peers.beat(1, many, 100.1, out));
    beats = messages<wire::Heartbeat>(out.take());
    ASSERT_EQ(beats.size(), 2U) << "more than fit into one packet";
    EXPECT_EQ(beats[0].second.uses.size(), wire::kMaxRelayUses);
    EXPECT_EQ(beats[1].second.uses.size(), 1U);
    EXPECT_EQ(peers.beats_missed(1), 2) << "counted once";
}

TEST_F(PeersOf, OneThatDoesNotAnswerIsGreetedAtOnceAndAskedWhetherItLives) {
    for (HostId host = 1; host < kRigHosts; ++host) peers.on_hello(host, {kRigHosts, true}, true, out);
    peers.greet(true, 1.0, 100.0, out);
    out.take();
    peers.miss(2, 101.0);
    peers.greet(true, 1.0, 101.0, out);
    const auto actions = out.take();
    ASSERT_EQ(messages<wire::Hello>(actions).size(), 1U);
    ASSERT_EQ(messages<wire::Heartbeat>(actions).size(), 1U);
    EXPECT_EQ(messages<wire::Heartbeat>(actions)[0].first, 2);
}

TEST_F(PeersOf, OneThatOftenDoesNotReportItsLoadIsNotWaitedFor) {
    EXPECT_FALSE(peers.answers_loads(1));
    peers.on_hello(1, {kRigHosts, true}, true, out);
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(peers.answers_loads(1));
        peers.miss_load(1);
    }
    EXPECT_FALSE(peers.answers_loads(1));
    peers.on_load(1);
    EXPECT_TRUE(peers.answers_loads(1));
}

}  // namespace
}  // namespace fairlead::core
