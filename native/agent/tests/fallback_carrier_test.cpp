// SPDX-License-Identifier: Apache-2.0
// Which frames of a rank go through the agents, and which by MPI.
#include "relay/fallback_carrier.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "relay_hosts.hpp"

namespace fairlead::agent {
namespace {

/// In place of MPI.
struct OtherCarrier final : relay::Carrier {
    std::vector<Process> sent_to;
    bool ready(Process) override { return true; }
    void send(Process to, std::vector<std::uint8_t>) override { sent_to.push_back(to); }
    int polls = 0;
    void poll(const Sink&) override { ++polls; }
};

TEST(FallbackCarrier, WhatAgentsDoNotReachGoesTheOtherWay) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 0, 2);
    const auto send = [&](Process to, std::uint64_t number) {
        EXPECT_TRUE(carrier.ready(to));
        carrier.send(to, make_frame(0, to, number, 10));
    };
    send(1, 1);
    EXPECT_EQ(sent_to, (std::vector<Process>{1})) << "nobody knows where it is";
    const auto rank1 = hosts.join(1, 1);
    send(1, 2);
    carrier.send_again(1, make_frame(0, 1, 3, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1, 1})) << "what is sent again";
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return !taken.empty();
    }));
    EXPECT_EQ(taken, (Numbers{2}));
    hosts.kill(0);
    EXPECT_TRUE(eventually([&] {
        carrier.poll([](std::span<const std::uint8_t>) {});
        return !carrier.agents().alive();
    }));
    send(1, 4);
    EXPECT_EQ(sent_to, (std::vector<Process>{1, 1, 1})) << "its own agent is gone";
}

TEST(FallbackCarrier, AnAgentThatTakesNothingIsDoneWithout) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 0, kProcesses);
    const auto rank1 = hosts.join(1, 1);
    std::promise<void> wakes;
    hosts.post([&] { wakes.get_future().wait(); });  // as one that is stopped: it lives, and does nothing
    std::uint64_t sent = 0;
    while (carrier.ready(1)) carrier.send(1, make_frame(0, 1, ++sent, 10'000));
    EXPECT_GT(sent, 10U);
    EXPECT_TRUE(sent_to.empty());
    EXPECT_TRUE(eventually([&] { return carrier.ready(1); }));
    carrier.send(1, make_frame(0, 1, sent + 1, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1}));
    wakes.set_value();
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return taken.size() >= sent;
    }));
    EXPECT_EQ(taken, count_to(sent));
    ASSERT_TRUE(carrier.ready(1));
    carrier.send(1, make_frame(0, 1, sent + 2, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1})) << "it takes again";
}

TEST(FallbackCarrier, AnAgentsWayThatLostSomethingIsAvoidedUntilSomethingComesByIt) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 0, kProcesses);
    const auto rank1 = hosts.join(1, 1);
    ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1) && rank1->reaches(0); }));
    carrier.send_again(1, make_frame(0, 1, 1, 10));
    carrier.send(1, make_frame(0, 1, 2, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1, 1}));
    rank1->send(0, make_frame(1, 0, 1, 10));
    int arrived = 0;
    EXPECT_TRUE(eventually([&] {
        carrier.poll([&](std::span<const std::uint8_t>) { ++arrived; });
        return arrived == 1;
    }));
    carrier.send(1, make_frame(0, 1, 3, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1, 1}));
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return !taken.empty();
    }));
    EXPECT_EQ(taken, (Numbers{3}));
}

TEST(FallbackCarrier, AnAgentsWayIsTriedAgainAfterAWhile) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 0, kProcesses, std::chrono::milliseconds(0));
    const auto rank1 = hosts.join(1, 1);
    ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1); }));
    carrier.send_again(1, make_frame(0, 1, 1, 10));
    carrier.send(1, make_frame(0, 1, 2, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1}));
}

TEST(FallbackCarrier, WhoPollsSeldomHasTheOtherWayLookedAtEachTime) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const int& polls = other->polls;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 0, 2);
    const auto rank1 = hosts.join(1, 1);
    ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1); }));
    for (int time = 0; time < 8; ++time) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        carrier.poll([](std::span<const std::uint8_t>) {});
    }
    EXPECT_EQ(polls, 8);
}

TEST(FallbackCarrier, TheOtherWayIsLookedAtSeldomWhileAgentsReachEverybody) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const int& polls = other->polls;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 0, 2);
    const auto polled = [&](int times) {
        const int before = polls;
        for (int time = 0; time < times; ++time) carrier.poll([](std::span<const std::uint8_t>) {});
        return polls - before;
    };
    EXPECT_EQ(polled(32), 32) << "nobody knows where the other one is";
    const auto rank1 = hosts.join(1, 1);
    EXPECT_TRUE(eventually([&] { return polled(64) == 4; }));  // more where we had to wait for a processor
    hosts.kill(0);
    EXPECT_TRUE(eventually([&] { return polled(2) == 2; }));
}

}  // namespace
}  // namespace fairlead::agent
