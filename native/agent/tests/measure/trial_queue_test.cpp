// SPDX-License-Identifier: Apache-2.0
#include "measure/trial_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairlead::agent {
namespace {

/// Stands in for the guardian, which answers when the test says so: what happened, in its order.
struct Guardian {
    std::vector<std::string> log;
    std::deque<TrialQueue::Made> asked;
    TrialQueue queue{[this](const core::wire::Echo& echo, TrialQueue::Made made) {
                         log.push_back("route " + text(echo));
                         asked.push_back(std::move(made));
                     },
                     [this](const core::wire::Echo& echo) { log.push_back("echo " + text(echo)); }};

    static std::string text(const core::wire::Echo& echo) {
        return std::to_string(echo.destination) + " over " + std::to_string(echo.relay) + " #" +
               std::to_string(echo.token);
    }
    void add(std::uint32_t token, core::HostId destination, core::HostId relay) {
        queue.add({token, 0, destination, relay, 0});
    }
    void answer(bool made = true) {
        const TrialQueue::Made next = std::move(asked.front());
        asked.pop_front();
        next(made);
    }
};

using Log = std::vector<std::string>;

TEST(TrialQueue, AnEchoLeavesBeforeTheNextRouteToItsDestinationIsMade) {
    Guardian guardian;
    for (const core::HostId relay : std::vector<core::HostId>{2, 3, 4}) guardian.add(relay, 1, relay);
    EXPECT_EQ(guardian.log, Log{"route 1 over 2 #2"});
    for (int i = 0; i < 3; ++i) guardian.answer();
    EXPECT_EQ(guardian.log, (Log{"route 1 over 2 #2", "echo 1 over 2 #2", "route 1 over 3 #3", "echo 1 over 3 #3",
                                 "route 1 over 4 #4", "echo 1 over 4 #4"}));
    EXPECT_TRUE(guardian.asked.empty());
}

TEST(TrialQueue, OtherDestinationsDoNotWait) {
    Guardian guardian;
    guardian.add(1, 1, 3);
    guardian.add(2, 2, 3);
    EXPECT_EQ(guardian.log, (Log{"route 1 over 3 #1", "route 2 over 3 #2"}));
}

TEST(TrialQueue, WhereNoRouteCouldBeMadeNothingIsSentAndTheNextHasItsTurn) {
    Guardian guardian;
    guardian.add(1, 1, 2);
    guardian.add(2, 1, 3);
    guardian.answer(false);
    guardian.answer();
    EXPECT_EQ(guardian.log, (Log{"route 1 over 2 #1", "route 1 over 3 #2", "echo 1 over 3 #2"}));
}

TEST(TrialQueue, WhatWasDroppedIsNotSent) {
    Guardian guardian;
    guardian.add(1, 1, 2);
    guardian.add(2, 1, 3);
    guardian.queue.drop(1);
    guardian.queue.drop(5);  // nothing is there
    guardian.add(3, 1, 4);   // that comes later is
    guardian.answer();
    guardian.answer();
    EXPECT_EQ(guardian.log, (Log{"route 1 over 2 #1", "route 1 over 4 #3", "echo 1 over 4 #3"}));
}

TEST(TrialQueue, WhileTheGuardianIsSlowOneWaitsForEachRelay) {
    Guardian guardian;
    for (std::uint32_t token = 1; token <= 100; ++token) guardian.add(token, 1, core::HostId(2 + token % 2));
    for (int i = 0; i < 3; ++i) guardian.answer();
    EXPECT_TRUE(guardian.asked.empty());
    EXPECT_EQ(guardian.log.back(), "echo 1 over 3 #99");
}

TEST(TrialQueue, RoutesThatAreThereAtOnceAreTakenInTurn) {
    Log sent;
    TrialQueue queue([](const core::wire::Echo&, const TrialQueue::Made& made) { made(true); },
                     [&](const core::wire::Echo& echo) { sent.push_back(Guardian::text(echo)); });
    queue.add({1, 0, 1, 2, 0});
    queue.add({2, 0, 1, 3, 0});
    EXPECT_EQ(sent, (Log{"1 over 2 #1", "1 over 3 #2"}));
}

}  // namespace
}  // namespace fairlead::agent
