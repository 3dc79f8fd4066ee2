// SPDX-License-Identifier: Apache-2.0
// Which frames of a rank go through the agents, and which by MPI.
#include "relay/carriers/fallback_carrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "tests/relay_hosts.hpp"

namespace fairlead::agent {
namespace {

/// In place of MPI.
struct OtherCarrier final : relay::Carrier {
    std::vector<Process> sent_to;
    bool ready(Process) override { return true; }
    void send(Process to, std::vector<std::uint8_t>) override { sent_to.push_back(to); }
    int polls = 0;
    std::vector<std::vector<std::uint8_t>> arriving;
    void poll(const Sink& arrived) override {
        ++polls;
        for (const auto& frame : std::exchange(arriving, {})) arrived(frame);
    }
};

TEST(FallbackCarrier, WhatAgentsDoNotReachGoesTheOtherWay) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 2);
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

TEST(FallbackCarrier, AnAgentThatIsStartedAgainIsJoined) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    int attempts = 0;
    const auto join = [&] {
        ++attempts;
        return std::make_unique<relay::AgentJoin>(hosts.directory(0), 0, kProcesses, kWorld);
    };
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), kProcesses, join);
    const auto rank1 = hosts.join(1, 1);
    const auto poll = [&] { carrier.poll([](std::span<const std::uint8_t>) {}); };
    ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1); }));
    poll();
    EXPECT_EQ(attempts, 0);
    hosts.kill(0);
    const std::uint32_t before = carrier.changes();
    EXPECT_TRUE(eventually([&] {
        poll();
        return carrier.agents().gone();
    }));
    const std::uint32_t dead = carrier.changes();
    EXPECT_NE(dead, before);
    EXPECT_TRUE(eventually([&] {
        poll();
        return attempts >= 2;
    })) << "nobody is there yet, and it is tried again";
    carrier.send(1, make_frame(0, 1, 1, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1}));
    hosts.revive(0);
    EXPECT_TRUE(eventually([&] {
        poll();
        return carrier.agents().alive();
    }));
    EXPECT_NE(carrier.changes(), dead);
    EXPECT_EQ(hosts.call([&] { return hosts.plane(0).ranks(); }), (std::set<std::uint32_t>{0}));
    EXPECT_FALSE(carrier.agents().reaches(1)) << "the new agent has not heard where it is";
    const std::uint32_t joined = carrier.changes();
    hosts.call([&] { hosts.plane(0).place(1, kWorld, std::array<std::uint32_t, 1>{1}); });
    EXPECT_TRUE(eventually([&] { return carrier.changes() != joined; }));
    ASSERT_TRUE(carrier.ready(1));
    carrier.send(1, make_frame(0, 1, 2, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1}));
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return !taken.empty();
    }));
    EXPECT_EQ(taken, (Numbers{2}));
}

TEST(FallbackCarrier, AnAgentThatComesLaterIsJoined) {
    Hosts hosts(2);
    const auto rank1 = hosts.join(1, 1);
    hosts.kill(0);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(std::make_unique<AgentCarrier>(), std::move(other), kProcesses, [&] {
        return std::make_unique<relay::AgentJoin>(hosts.directory(0), 0, kProcesses, kWorld);
    });
    EXPECT_THROW(carrier.join(std::chrono::seconds(20)), std::runtime_error) << "and nothing is waited for";
    const std::uint32_t without = carrier.changes();
    ASSERT_TRUE(carrier.ready(1));
    carrier.send(1, make_frame(0, 1, 1, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1}));
    hosts.revive(0);
    hosts.call([&] { hosts.plane(0).place(1, kWorld, std::array<std::uint32_t, 1>{1}); });
    EXPECT_TRUE(eventually([&] {
        carrier.poll([](std::span<const std::uint8_t>) {});
        return carrier.agents().alive();
    }));
    EXPECT_NE(carrier.changes(), without);
    carrier.send(1, make_frame(0, 1, 2, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1})) << "by the agents";
}

TEST(FallbackCarrier, AnAgentThatIsSilentInTheBeginningIsJoinedByWhoPollsSeldom) {
    Hosts hosts(1);
    std::promise<void> wakes;
    hosts.post([&] { wakes.get_future().wait(); });
    relay::FallbackCarrier carrier(std::make_unique<AgentCarrier>(), std::make_unique<OtherCarrier>(), kProcesses, [&] {
        return std::make_unique<relay::AgentJoin>(hosts.directory(0), 0, kProcesses, kWorld);
    });
    EXPECT_THROW(carrier.join(std::chrono::milliseconds(20)), std::runtime_error);
    const auto poll = [&] { carrier.poll([](std::span<const std::uint8_t>) {}); };
    std::this_thread::sleep_for(relay::FallbackCarrier::kRejoin);
    poll();
    EXPECT_FALSE(carrier.agents().alive());
    wakes.set_value();
    EXPECT_TRUE(eventually([&] { return hosts.call([&] { return hosts.plane(0).ranks().size() == 1; }); }));
    std::this_thread::sleep_for(relay::FallbackCarrier::kRejoin);
    poll();
    EXPECT_TRUE(carrier.agents().alive()) << "its answer has come meanwhile";
    EXPECT_EQ(hosts.log(), (std::vector<std::string>{}));
}

/// It may be of a program that the job has started: once the job's ranks are gone for a moment, as when their agent is
/// started again, it should not have their place.
TEST(FallbackCarrier, AnAgentThatDoesNotWantARankIsNotAskedAgainSoon) {
    Hosts hosts(1);
    auto rank0 = hosts.join(0, 0, kProcesses, kNextWorld);
    int attempts = 0;
    relay::FallbackCarrier carrier(std::make_unique<AgentCarrier>(), std::make_unique<OtherCarrier>(), kProcesses, [&] {
        ++attempts;
        return std::make_unique<relay::AgentJoin>(hosts.directory(0), 0, kProcesses, kWorld);
    });
    EXPECT_THROW(carrier.join(std::chrono::seconds(20)), relay::Unwanted);
    rank0.reset();
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < 2 * relay::FallbackCarrier::kRejoin) {
        carrier.poll([](std::span<const std::uint8_t>) {});
    }
    EXPECT_EQ(attempts, 1);
    EXPECT_FALSE(carrier.agents().alive());
}

/// A program follows another one, of which a rank takes its time to end.
TEST(FallbackCarrier, AnAgentIsJoinedOnceTheProgramBeforeHasLeft) {
    Hosts hosts(1);
    auto lingers = hosts.join(0, 3, kProcesses, kNextWorld);
    int attempts = 0;
    relay::FallbackCarrier carrier(
        std::make_unique<AgentCarrier>(), std::make_unique<OtherCarrier>(), kProcesses,
        [&] {
            ++attempts;
            return std::make_unique<relay::AgentJoin>(hosts.directory(0), 0, kProcesses, kWorld);
        },
        std::chrono::milliseconds(50));
    EXPECT_THROW(carrier.join(std::chrono::seconds(20)), relay::Unwanted);
    const auto poll = [&] { carrier.poll([](std::span<const std::uint8_t>) {}); };
    EXPECT_TRUE(eventually([&] {
        poll();
        return attempts >= 3;
    }));
    EXPECT_FALSE(carrier.agents().alive());
    EXPECT_EQ(hosts.log().size(), 1U) << "told of once";
    lingers.reset();
    EXPECT_TRUE(eventually([&] {
        poll();
        return carrier.agents().alive();
    }));
    EXPECT_EQ(hosts.call([&] { return hosts.plane(0).world(); }), kWorld);
}

TEST(FallbackCarrier, AnAgentThatDoesNotAnswerKeepsNobodyWaiting) {
    Hosts hosts(2);
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::make_unique<OtherCarrier>(), kProcesses, [&] {
        return std::make_unique<relay::AgentJoin>(hosts.directory(0), 0, kProcesses, kWorld);
    });
    const auto poll = [&] { carrier.poll([](std::span<const std::uint8_t>) {}); };
    hosts.kill(0);
    EXPECT_TRUE(eventually([&] {
        poll();
        return carrier.agents().gone();
    }));
    hosts.revive(0);
    std::promise<void> wakes;
    hosts.post([&] { wakes.get_future().wait(); });
    const auto begin = std::chrono::steady_clock::now();
    auto longest = std::chrono::nanoseconds(0);
    while (std::chrono::steady_clock::now() - begin < 3 * relay::FallbackCarrier::kRejoin) {
        const auto before = std::chrono::steady_clock::now();
        poll();
        longest = std::max<std::chrono::nanoseconds>(longest, std::chrono::steady_clock::now() - before);
    }
    EXPECT_FALSE(carrier.agents().alive());
    EXPECT_LT(longest, std::chrono::seconds(2));  // the blocking way takes 5 s
    wakes.set_value();
    EXPECT_TRUE(eventually([&] {
        poll();
        return carrier.agents().alive();
    }));
}

TEST(FallbackCarrier, AnAgentThatTakesNothingIsDoneWithout) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), kProcesses);
    const auto rank1 = hosts.join(1, 1);
    std::promise<void> wakes;
    hosts.post([&] { wakes.get_future().wait(); });  // as one that is stopped: it lives, and does nothing
    std::uint64_t sent = 0;
    while (carrier.ready(1)) carrier.send(1, make_frame(0, 1, ++sent, 10'000));
    EXPECT_GT(sent, 10U);
    EXPECT_TRUE(sent_to.empty());
    const std::uint32_t before = carrier.changes();
    EXPECT_TRUE(eventually([&] { return carrier.ready(1); }));
    EXPECT_FALSE(carrier.agents().reaches(1));
    EXPECT_NE(carrier.changes(), before) << "so that what it has not taken is sent again";
    carrier.send(1, make_frame(0, 1, sent + 1, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1}));
    wakes.set_value();
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return taken.size() >= sent;
    }));
    EXPECT_EQ(taken, count_to(sent));
    EXPECT_TRUE(eventually([&] { return carrier.ready(1) && carrier.agents().reaches(1); }));
    carrier.send(1, make_frame(0, 1, sent + 2, 10));
    EXPECT_EQ(sent_to, (std::vector<Process>{1})) << "it takes again";
}

/// A frame that says that its receiver was heard by the agents.
std::vector<std::uint8_t> hearing_frame(Process from, Process to, std::uint64_t number) {
    std::vector<std::uint8_t> frame = make_frame(from, to, number, 10);
    relay::wire::say_heard(frame);
    return frame;
}

bool says_heard(std::span<const std::uint8_t> frame) {
    return std::get<relay::wire::Ends>(relay::wire::ends_of(frame, kProcesses)).heard;
}

/// Two ranks on two hosts, each known to the other's agent; what goes by MPI is kept in `mpi`.
class FallbackCarrierOfTwo : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1) && rank1->reaches(0); }));
    }

    Hosts hosts{2};
    std::unique_ptr<OtherCarrier> other = std::make_unique<OtherCarrier>();
    OtherCarrier& mpi = *other;
    relay::FallbackCarrier carrier{hosts.join(0, 0), std::move(other), kProcesses};
    std::unique_ptr<AgentCarrier> rank1 = hosts.join(1, 1);
};

TEST_F(FallbackCarrierOfTwo, AnAgentsWayThatLostSomethingIsAvoidedUntilTheProcessSaysThatItCarries) {
    int arrived = 0;
    const auto got = [&](int number) {
        return eventually([&] {
            carrier.poll([&](std::span<const std::uint8_t>) { ++arrived; });
            return arrived == number;
        });
    };
    carrier.send_again(1, make_frame(0, 1, 1, 10));
    carrier.send(1, make_frame(0, 1, 2, 10));  // by the agents, too: a try
    carrier.send(1, make_frame(0, 1, 3, 10));
    EXPECT_EQ(mpi.sent_to, (std::vector<Process>{1, 1, 1}));
    rank1->send(0, make_frame(1, 0, 1, 10));
    EXPECT_TRUE(got(1));
    carrier.send(1, make_frame(0, 1, 4, 10));
    EXPECT_EQ(mpi.sent_to.size(), 4U) << "that the agents carry to us does not show that they carry from us";
    rank1->send(0, hearing_frame(1, 0, 2));
    EXPECT_TRUE(got(2));
    carrier.send(1, make_frame(0, 1, 5, 10));
    EXPECT_EQ(mpi.sent_to.size(), 4U);
    carrier.send_again(1, make_frame(0, 1, 6, 10));
    mpi.arriving.push_back(hearing_frame(1, 0, 3));
    EXPECT_TRUE(got(3));
    carrier.send(1, make_frame(0, 1, 7, 10));
    EXPECT_EQ(mpi.sent_to.size(), 5U) << "it may say so by MPI as well";
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        take(*rank1, taken);
        return !taken.empty() && taken.back() == 7;
    }));
    EXPECT_EQ(taken.front(), 2U);
    EXPECT_EQ(std::ranges::count(taken, 6U) + std::ranges::count(taken, 1U), 0);
}

TEST_F(FallbackCarrierOfTwo, WhoIsHeardByTheAgentsIsToldSoOnce) {
    const auto answer_says_heard = [&](std::uint64_t number) {
        carrier.send(1, make_frame(0, 1, number, 10));
        std::optional<bool> heard;
        EXPECT_TRUE(eventually([&] {
            rank1->poll([&](std::span<const std::uint8_t> frame) { heard = says_heard(frame); });
            return heard.has_value();
        }));
        return heard;
    };
    EXPECT_EQ(answer_says_heard(1), false);
    int arrived = 0;
    rank1->send(0, make_frame(1, 0, 1, 10));
    EXPECT_TRUE(eventually([&] {
        carrier.poll([&](std::span<const std::uint8_t>) { ++arrived; });
        return arrived == 1;
    }));
    EXPECT_EQ(answer_says_heard(2), true);
    EXPECT_EQ(answer_says_heard(3), false);
    mpi.arriving.push_back(make_frame(1, 0, 2, 10));
    EXPECT_TRUE(eventually([&] {
        carrier.poll([&](std::span<const std::uint8_t>) { ++arrived; });
        return arrived == 2;
    }));
    EXPECT_EQ(answer_says_heard(4), false) << "it came by MPI";
}

TEST_F(FallbackCarrierOfTwo, WhoIsSentToByTheOtherWayAnswersByBothUntilTheAgentsWayCarries) {
    int arrived = 0;
    const auto got = [&](int number) {
        return eventually([&] {
            carrier.poll([&](std::span<const std::uint8_t>) { ++arrived; });
            return arrived == number;
        });
    };
    Numbers taken;
    const auto taken_by_agents = [&](std::size_t number) {
        return eventually([&] {
            take(*rank1, taken);
            return taken.size() >= number;
        });
    };
    mpi.arriving.push_back(make_frame(1, 0, 1, 10));
    ASSERT_TRUE(got(1));
    carrier.send(1, make_frame(0, 1, 1, 10));
    EXPECT_EQ(mpi.sent_to, (std::vector<Process>{1}));
    EXPECT_TRUE(taken_by_agents(1));
    rank1->send(0, make_frame(1, 0, 2, 10));
    EXPECT_TRUE(eventually([&] {
        carrier.poll([&](std::span<const std::uint8_t>) {
            if (++arrived == 2) mpi.arriving.push_back(make_frame(1, 0, 2, 10));  // the same by the other way
        });
        return arrived == 3;
    }));
    carrier.send(1, make_frame(0, 1, 2, 10));
    EXPECT_EQ(mpi.sent_to, (std::vector<Process>{1})) << "by the agents alone";
    EXPECT_TRUE(taken_by_agents(2));
    EXPECT_EQ(taken, (Numbers{1, 2}));
}

TEST(FallbackCarrier, AnAgentsWayThatLostSomethingIsTriedNowAndThen) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const std::vector<Process>& sent_to = other->sent_to;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), kProcesses);
    const auto rank1 = hosts.join(1, 1);
    ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1); }));
    carrier.send_again(1, make_frame(0, 1, 1, 10));
    std::uint64_t sent = 1;
    Numbers taken;
    EXPECT_TRUE(eventually([&] {
        carrier.send(1, make_frame(0, 1, ++sent, 10));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        take(*rank1, taken);
        return taken.size() == 3;
    }));
    EXPECT_EQ(sent_to.size(), sent) << "all go by MPI, these few by both ways";
    EXPECT_GT(sent, 6U);
}

TEST(FallbackCarrier, WhoPollsSeldomHasTheOtherWayLookedAtEachTime) {
    Hosts hosts(2);
    auto other = std::make_unique<OtherCarrier>();
    const int& polls = other->polls;
    relay::FallbackCarrier carrier(hosts.join(0, 0), std::move(other), 2);
    const auto rank1 = hosts.join(1, 1);
    ASSERT_TRUE(eventually([&] { return carrier.agents().reaches(1); }));
    for (int time = 0; time < 8; ++time) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        carrier.poll([](std::span<const std::uint8_t>) {});
    }
    EXPECT_EQ(polls, 8);
}

TEST(FallbackCarrier, TheOtherWayIsLookedAtSeldomWhileNoFrameUsesIt) {
    auto way = std::make_unique<OtherCarrier>();
    OtherCarrier& other = *way;
    relay::FallbackCarrier carrier(std::make_unique<AgentCarrier>(), std::move(way), 2);
    const auto polled = [&](int times) {
        const int before = other.polls;
        for (int time = 0; time < times; ++time) carrier.poll([](std::span<const std::uint8_t>) {});
        return other.polls - before;
    };
    EXPECT_TRUE(eventually([&] { return polled(64) == 4; }));  // more where we had to wait for a processor
    EXPECT_TRUE(eventually([&] {
        carrier.send(1, make_frame(0, 1, 2, 10));
        return polled(64) == 64;
    })) << "one went that way, and may have an answer";
    EXPECT_TRUE(eventually([&] { return polled(64) == 4; }));
    EXPECT_TRUE(eventually([&] {
        other.arriving.push_back(make_frame(1, 0, 3, 10));
        return polled(16) > 0 && polled(64) == 64;
    })) << "one came that way";
}

}  // namespace
}  // namespace fairlead::agent
