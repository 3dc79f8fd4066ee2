// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <gtest/gtest.h>

#include "rules.hpp"

namespace fairlead::relay::simulation {
namespace {

TEST(Rules, RefuseWhatMpiDoesNotAllow) {
    Rules rules(2);
    rules.sent(0, {1, 5});
    rules.sent(0, {2, 5});
    rules.sent(1, {1, 6});
    rules.posted(10, {0, 5});
    rules.posted(11, {});
    EXPECT_THROW(rules.matched(10, 0, 2), std::logic_error) << "overtaken";
    EXPECT_THROW(rules.matched(11, 0, 1), std::logic_error) << "receive 10 is older";
    EXPECT_THROW(rules.matched(10, 1, 1), std::logic_error) << "not accepted";
    EXPECT_THROW(rules.matched(12, 0, 1), std::logic_error) << "no such receive";
    rules.matched(11, 1, 1);
    rules.matched(10, 0, 1);
    EXPECT_THROW(rules.matched(11, 1, 1), std::logic_error) << "twice";
    EXPECT_FALSE(rules.all_matched());
    rules.posted(12, {});
    rules.matched(12, 0, 2);
    EXPECT_TRUE(rules.all_matched());
}

TEST(Simulation, EveryMessageOnceAndInOrder) {
    const Result result = run({.seed = 1, .messages = 8000});
    EXPECT_EQ(result.received, 8000U);
    EXPECT_EQ(result.counters.direct + result.counters.relayed, 8000U);
    for (const std::uint64_t count :
         {result.counters.direct, result.counters.relayed, result.counters.takeovers, result.counters.cancelled,
          result.counters.cancel_failed, result.counters.pulled, result.counters.held, result.counters.waited,
          result.counters.retransmitted, result.counters.duplicates, result.agent_deaths, result.withdrawn,
          result.probed}) {
        EXPECT_GT(count, 0U);
    }
}

TEST(Simulation, WithConsentNothingIsCancelled) {
    const Result result = run({.seed = 1, .messages = 20000, .cancels = false});
    EXPECT_EQ(result.received, 20000U);
    EXPECT_EQ(result.counters.direct + result.counters.relayed, 20000U);
    EXPECT_EQ(result.counters.cancelled + result.counters.cancel_failed, 0U);
    for (const std::uint64_t count :
         {result.counters.direct, result.counters.relayed, result.counters.takeovers, result.counters.pulled,
          result.counters.held, result.counters.waited, result.counters.retransmitted, result.counters.duplicates,
          result.agent_deaths, result.withdrawn, result.probed}) {
        EXPECT_GT(count, 0U);
    }
}

}  // namespace
}  // namespace fairlead::relay::simulation
