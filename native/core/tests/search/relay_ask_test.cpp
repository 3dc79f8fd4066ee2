// SPDX-License-Identifier: Apache-2.0
#include "search/relay_ask.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(RelayAsk, AsksForTheRateAndProvesTheDetour) {
    const Job job = rig_job();
    Outbox out;
    RelayAsk ask(job, 1, 3, 40e6, 7e6, 100.0, out);
    auto actions = out.take();
    const auto requests = messages<wire::RelayRequest>(actions);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0], (std::pair<HostId, wire::RelayRequest>(3, {1, 1, 50e6, 7e6})));
    ASSERT_EQ(only<SendEcho>(actions).size(), 1U);
    EXPECT_FALSE(ask.ready());
    EXPECT_TRUE(ask.answered_by(3, 1));
    EXPECT_FALSE(ask.answered_by(4, 1));
    EXPECT_FALSE(ask.answered_by(3, 2));
    ask.grant(100.01);
    EXPECT_FALSE(ask.ready()) << "the proof is missing";
    EXPECT_FALSE(ask.broken()) << "one echo may get lost";
    EXPECT_TRUE(ask.answered({2, 0, 1, 3}));
    EXPECT_TRUE(ask.ready());
    EXPECT_FALSE(ask.broken());
}

TEST(RelayAsk, OfAnEqualCostPathTheEchoIsEnough) {
    const Job job = rig_job();
    Outbox out;
    RelayAsk ask(job, 1, way_of(2), 40e6, 0.0, 100.0, out);
    const auto actions = out.take();
    EXPECT_TRUE(messages<wire::RelayRequest>(actions).empty());
    const auto echoes = only<SendEcho>(actions);
    ASSERT_EQ(echoes.size(), 1U);
    EXPECT_EQ(echoes[0].echo.relay, way_of(2));
    EXPECT_FALSE(ask.ready());
    EXPECT_TRUE(ask.answered({echoes[0].echo.token, 0, 1, way_of(2)}));
    EXPECT_TRUE(ask.ready());
}

TEST(RelayAsk, WithoutProofsTheGrantIsEnough) {
    Job job = rig_job();
    job.proves = false;
    Outbox out;
    RelayAsk ask(job, 1, 3, 0.0, 0.0, 100.0, out);
    const auto actions = out.take();
    EXPECT_TRUE(only<SendEcho>(actions).empty());
    EXPECT_DOUBLE_EQ(messages<wire::RelayRequest>(actions)[0].second.rate_bps, 1e6) << "the least";
    EXPECT_DOUBLE_EQ(ask.next_due(), 100.05);
    EXPECT_FALSE(ask.overdue(100.049));
    EXPECT_TRUE(ask.overdue(100.051));
    ask.grant(100.04);
    EXPECT_TRUE(ask.ready());
}

TEST(RelayAsk, ADetourThatWasGrantedAndCarriesNothingIsBroken) {
    const Job job = rig_job();
    Outbox out;
    RelayAsk ask(job, 1, 3, 40e6, 0.0, 100.0, out);
    EXPECT_NEAR(ask.next_due(), 100.015, 1e-9);
    ask.advance(100.016, out);
    EXPECT_FALSE(ask.broken()) << "not granted";
    ask.grant(100.02);
    EXPECT_TRUE(ask.broken());
    EXPECT_FALSE(ask.overdue(100.06)) << "a grant gives the echo time";
    EXPECT_TRUE(ask.overdue(100.071));
}

}  // namespace
}  // namespace fairlead::core
