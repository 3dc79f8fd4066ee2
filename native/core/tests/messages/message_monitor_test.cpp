// SPDX-License-Identifier: Apache-2.0
// Times of messages: how two agents find them.
#include "fairlead/core/message_monitor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fairlead::core {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint64_t kSmall_B = 1024;

/// Rank 0 is on host 0, ranks 1 and 2 on host 1, rank 3 on host 2.
class Hosts {
  public:
    explicit Hosts(Acknowledge acknowledge = Acknowledge::waited)
        : monitors_{MessageMonitor(0, 3, settings(), acknowledge), MessageMonitor(1, 3, settings(), acknowledge),
                    MessageMonitor(2, 3, settings(), acknowledge)} {
        for (MessageMonitor& each : monitors_) {
            each.place(0, 0);
            each.place(1, 1);
            each.place(2, 1);
            each.place(3, 2);
        }
    }
    static MessageSettings settings() {
        MessageSettings settings;
        settings.max_asked_per_s = 10;
        return settings;
    }
    MessageMonitor& operator[](HostId host) { return monitors_[host]; }

    /// Hands on what the hosts have for each other. Their clocks show host * offset_s more than host 0's.
    int exchange(double offset_s = 0.0, double error_s = 1e-6) {
        int messages = 0;
        for (bool any = true; any;) {
            any = false;
            for (HostId from = 0; from < 3; ++from) {
                for (const auto& [to, message] : monitors_[from].take_outgoing()) {
                    ++messages;
                    any = true;
                    const ClockEstimate clock{(from - to) * offset_s, 0.0, error_s};
                    if (const auto* query = std::get_if<wire::SendQuery>(&message)) {
                        monitors_[to].asked(from, *query, now);
                    } else {
                        monitors_[to].told(from, std::get<wire::SendReport>(message), clock, 0);
                    }
                }
            }
        }
        return messages;
    }

    Time now = 100.0;

  private:
    std::array<MessageMonitor, 3> monitors_;
};

MessageEnd send(std::uint32_t from, std::uint32_t to, std::uint32_t number, std::int64_t at_ns) {
    return {true, {7, from, to, 5, number}, kSmall_B, at_ns, at_ns, at_ns, at_ns + 1000, false};
}
MessageEnd receive(std::uint32_t from, std::uint32_t to, std::uint32_t number, std::int64_t needed_ns,
                   std::int64_t done_ns) {
    return {false, {7, from, to, 5, number}, kSmall_B, needed_ns, needed_ns, needed_ns, done_ns, false};
}
void complete(MessageMonitor& monitor, std::vector<MessageEnd> call, Time now) {
    monitor.completed(call, now);
}

TEST(MessageMonitor, AsksOfMessagesThatWereWaitedForOnly) {
    Hosts hosts;
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[0], {send(0, 1, 2, 20 * kMs)}, hosts.now);
    complete(hosts[1], {receive(0, 1, 1, 15 * kMs, 15 * kMs + 20'000)}, hosts.now);
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 0);
    complete(hosts[1], {receive(0, 1, 2, 21 * kMs, 26 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 2);
    const auto times = hosts[1].take_times();
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].source, 0);
    EXPECT_EQ(times[0].source_rank, 0U);
    EXPECT_EQ(times[0].rank, 1U);
    EXPECT_DOUBLE_EQ(times[0].latency_s, 0.006);
    EXPECT_DOUBLE_EQ(times[0].error_s, 1e-6);
    EXPECT_TRUE(times[0].certain_path);
    const auto pairs = hosts[1].take_pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].messages, 2U);
    EXPECT_EQ(pairs[0].size_B, 2 * kSmall_B);
    EXPECT_EQ(pairs[0].waits, 1U);
    EXPECT_DOUBLE_EQ(pairs[0].waited_s, 0.005);
    EXPECT_DOUBLE_EQ(pairs[0].known_s, 0.005);
    EXPECT_DOUBLE_EQ(pairs[0].network_s, 0.005);
    EXPECT_EQ(pairs[0].latencies_s, std::vector<double>{0.006});
    EXPECT_TRUE(hosts[1].take_pairs().empty());
}

TEST(MessageMonitor, WhereAllAreAcknowledgedThoseThatNobodyWaitedForAreTimedToo) {
    Hosts hosts(Acknowledge::always);
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[1], {receive(0, 1, 1, 15 * kMs, 15 * kMs + 20'000)}, hosts.now);
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 2);
    const auto times = hosts[1].take_times();
    ASSERT_EQ(times.size(), 1U);
    EXPECT_DOUBLE_EQ(times[0].latency_s, 0.00502);
    // The pair's sums are of waiting, as with any policy.
    const auto pairs = hosts[1].take_pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].messages, 1U);
    EXPECT_EQ(pairs[0].waits, 0U);
    EXPECT_DOUBLE_EQ(pairs[0].waited_s, 0.0);
    EXPECT_TRUE(pairs[0].latencies_s.empty());
    // Messages inside the host are nobody's to acknowledge.
    complete(hosts[1], {send(2, 1, 1, 20 * kMs)}, hosts.now);
    complete(hosts[1], {receive(2, 1, 1, 21 * kMs, 21 * kMs + 10'000)}, hosts.now);
    hosts.now += 1.0;
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 0);
    EXPECT_TRUE(hosts[1].take_times().empty());
}

TEST(MessageMonitor, WhereNoneIsAcknowledgedWaitingIsStillDivided) {
    Hosts hosts(Acknowledge::never);
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[1], {receive(0, 1, 1, 11 * kMs, 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 2);
    EXPECT_TRUE(hosts[1].take_times().empty());
    const auto pairs = hosts[1].take_pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(pairs[0].network_s, 0.003);
    EXPECT_EQ(pairs[0].latencies_s, std::vector<double>{0.004});
}

TEST(MessageMonitor, PairsOfRanksHaveTheirTransmissionAndProcessing) {
    Hosts hosts;
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[2], {send(3, 1, 1, 16 * kMs)}, hosts.now);
    MessageEnd first = receive(0, 1, 1, 12 * kMs, 18 * kMs);
    MessageEnd last = receive(3, 1, 1, 12 * kMs, 18 * kMs);
    first.processing_ns = last.processing_ns = 40 * kMs;
    complete(hosts[1], {first, last}, hosts.now);
    // Not waited for: it has processing only.
    MessageEnd there = receive(0, 1, 2, 70 * kMs, 70 * kMs + 1000);
    there.processing_ns = 52 * kMs;
    complete(hosts[1], {there}, hosts.now);
    // From a neighbour on the host, for which another placement may be looked.
    complete(hosts[1], {receive(2, 1, 1, 71 * kMs, 71 * kMs + 1000)}, hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange();
    const auto pairs = hosts[1].take_rank_pairs(10);
    ASSERT_EQ(pairs.size(), 3U);
    EXPECT_EQ(pairs[0].source_rank, 0U);
    EXPECT_EQ(pairs[0].source, 0);
    EXPECT_EQ(pairs[0].rank, 1U);
    EXPECT_EQ(pairs[0].messages, 2U);
    EXPECT_EQ(pairs[0].size_B, 2 * kSmall_B);
    EXPECT_DOUBLE_EQ(pairs[0].waited_s, 0.0);
    EXPECT_DOUBLE_EQ(pairs[0].processing_s, 0.052);
    EXPECT_EQ(pairs[1].source_rank, 2U);
    EXPECT_EQ(pairs[1].source, 1);
    EXPECT_EQ(pairs[1].messages, 1U);
    EXPECT_EQ(pairs[2].source_rank, 3U);
    EXPECT_DOUBLE_EQ(pairs[2].waited_s, 0.006);
    EXPECT_DOUBLE_EQ(pairs[2].known_s, 0.006);
    EXPECT_DOUBLE_EQ(pairs[2].transmission_s, 0.002);
    EXPECT_DOUBLE_EQ(pairs[2].processing_s, 0.040);
    EXPECT_TRUE(hosts[1].take_rank_pairs(10).empty());
}

TEST(MessageMonitor, AReceiverThatComputesBetweenItsTestsOverlapsTheTransmission) {
    Hosts hosts;
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    MessageEnd end = receive(0, 1, 1, 11 * kMs, 14 * kMs);
    end.computed = true;
    end.processing_ns = 2 * kMs;
    complete(hosts[1], {end}, hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange();
    const auto pairs = hosts[1].take_rank_pairs(10);
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(pairs[0].waited_s, 0.0);
    EXPECT_DOUBLE_EQ(pairs[0].transmission_s, 0.0);
    EXPECT_DOUBLE_EQ(pairs[0].processing_s, 0.002);
    EXPECT_DOUBLE_EQ(hosts[1].take_pairs().at(0).waited_s, 0.003);
}

TEST(MessageMonitor, StampsAreBroughtToTheReceiversClock) {
    Hosts hosts;  // host 1's clock is 2 s ahead
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[1], {receive(0, 1, 1, 2000 * kMs + 11 * kMs, 2000 * kMs + 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange(2.0, 50e-6);
    const auto times = hosts[1].take_times();
    ASSERT_EQ(times.size(), 1U);
    EXPECT_NEAR(times[0].latency_s, 0.004, 1e-9);
    EXPECT_DOUBLE_EQ(times[0].error_s, 50e-6);
}

TEST(MessageMonitor, ASendThatIsCompleteLaterIsToldThen) {
    Hosts hosts;
    complete(hosts[1], {receive(0, 1, 1, 11 * kMs, 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 1);
    EXPECT_TRUE(hosts[1].take_times().empty());
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    EXPECT_EQ(hosts.exchange(), 1);
    EXPECT_EQ(hosts[1].take_times().size(), 1U);
}

TEST(MessageMonitor, WhatIsNotAnsweredInTimeIsUnknown) {
    Hosts hosts;
    complete(hosts[1], {receive(0, 1, 1, 11 * kMs, 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange();
    hosts.now += 2.0;
    hosts[0].tick(hosts.now);
    hosts[1].tick(hosts.now);
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    EXPECT_EQ(hosts.exchange(), 0);
    const auto pairs = hosts[1].take_pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_DOUBLE_EQ(pairs[0].waited_s, 0.003);
    EXPECT_DOUBLE_EQ(pairs[0].known_s, 0.0);
}

TEST(MessageMonitor, OfSeveralMessagesTheOneThatWasSentLastIsTheOneWaitedFor) {
    Hosts hosts;
    complete(hosts[0], {send(0, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[2], {send(3, 1, 1, 16 * kMs)}, hosts.now);
    complete(hosts[1], {receive(0, 1, 1, 12 * kMs, 18 * kMs), receive(3, 1, 1, 12 * kMs, 18 * kMs), send(1, 0, 1, 9)},
             hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange();
    const auto times = hosts[1].take_times();
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].source, 2);
    EXPECT_DOUBLE_EQ(times[0].latency_s, 0.002);
    EXPECT_FALSE(times[0].certain_path);
    const auto pairs = hosts[1].take_pairs();
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_EQ(pairs[0].waits, 0U);
    EXPECT_EQ(pairs[1].source, 2);
    EXPECT_DOUBLE_EQ(pairs[1].waited_s, 0.006);
    EXPECT_DOUBLE_EQ(pairs[1].late_sender_s, 0.004);
}

TEST(MessageMonitor, MessagesInsideAHostAreNotTheNetworks) {
    Hosts hosts;
    complete(hosts[1], {send(2, 1, 1, 10 * kMs)}, hosts.now);
    complete(hosts[1], {receive(2, 1, 1, 11 * kMs, 14 * kMs)}, hosts.now);
    EXPECT_TRUE(hosts[1].take_pairs().empty());
    // Waited for together with one from another host that was sent before: the wait was for the neighbour.
    complete(hosts[1], {send(2, 1, 2, 20 * kMs)}, hosts.now);
    complete(hosts[0], {send(0, 1, 1, 15 * kMs)}, hosts.now);
    complete(hosts[1], {receive(2, 1, 2, 17 * kMs, 21 * kMs), receive(0, 1, 1, 17 * kMs, 21 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange();
    EXPECT_TRUE(hosts[1].take_times().empty());
    const auto pairs = hosts[1].take_pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].messages, 1U);
    EXPECT_EQ(pairs[0].waits, 0U);
}

TEST(MessageMonitor, MessagesOfARankCountAsSoonAsItIsKnownWhereItRuns) {
    MessageMonitor monitor(1, 3, Hosts::settings());
    monitor.place(1, 1);
    complete(monitor, {receive(0, 1, 1, 11 * kMs, 14 * kMs)}, 100.0);
    complete(monitor, {receive(2, 1, 1, 15 * kMs, 16 * kMs)}, 100.0);
    EXPECT_TRUE(monitor.take_pairs().empty());
    monitor.place(0, 0);
    monitor.place(2, 1);
    const auto pairs = monitor.take_pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].source, 0);
    EXPECT_EQ(pairs[0].messages, 1U);
    EXPECT_EQ(pairs[0].size_B, kSmall_B);
    EXPECT_EQ(pairs[0].waits, 1U);
    EXPECT_DOUBLE_EQ(pairs[0].waited_s, 0.003);
    EXPECT_DOUBLE_EQ(pairs[0].known_s, 0.0);
}

TEST(MessageMonitor, AsksForSoManyASecondOnlyAndManyAtATime) {
    Hosts hosts;
    for (std::uint32_t number = 1; number <= 15; ++number) {
        complete(hosts[0], {send(0, 1, number, 10 * kMs)}, hosts.now);
        complete(hosts[1], {receive(0, 1, number, 11 * kMs, 14 * kMs)}, hosts.now);
    }
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 2);
    EXPECT_EQ(hosts[1].take_times().size(), 10U);
    EXPECT_EQ(hosts[1].take_pairs().at(0).waits, 15U);
    hosts.now += 0.5;
    for (std::uint32_t number = 16; number <= 30; ++number) {
        complete(hosts[0], {send(0, 1, number, 10 * kMs)}, hosts.now);
        complete(hosts[1], {receive(0, 1, number, 11 * kMs, 14 * kMs)}, hosts.now);
    }
    hosts[1].tick(hosts.now);
    hosts.exchange();
    EXPECT_EQ(hosts[1].take_times().size(), 5U);
}

TEST(MessageMonitor, ShortWaitsAreAskedForTogether) {
    Hosts hosts;
    hosts[1].tick(hosts.now);
    for (std::uint32_t number = 1; number <= 3; ++number) {
        complete(hosts[1], {receive(0, 1, number, 11 * kMs, 12 * kMs)}, hosts.now);
        hosts[1].tick(hosts.now);
        hosts.now += 0.1;
    }
    EXPECT_EQ(hosts.exchange(), 1);  // the first
    hosts.now += 0.3;
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 1);  // the others
}

TEST(MessageMonitor, WithoutItsNumberAMessageIsNotAskedFor) {
    Hosts hosts;
    complete(hosts[1], {receive(0, 1, wire::kMessageNumbers, 11 * kMs, 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    EXPECT_EQ(hosts.exchange(), 0);
    EXPECT_DOUBLE_EQ(hosts[1].take_pairs().at(0).waited_s, 0.003);
}

TEST(MessageMonitor, EndsOfDifferentSizeAreNotOfOneMessage) {
    Hosts hosts;
    MessageEnd other = send(0, 1, 1, 10 * kMs);
    other.size_B = kSmall_B + 1;
    complete(hosts[0], {other}, hosts.now);
    complete(hosts[1], {receive(0, 1, 1, 11 * kMs, 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    hosts.exchange();
    EXPECT_TRUE(hosts[1].take_times().empty());
    EXPECT_EQ(hosts[1].mismatches(), 1U);
}

TEST(MessageMonitor, OnlyTheSendersHostCanAnswer) {
    Hosts hosts;
    complete(hosts[1], {receive(0, 1, 1, 11 * kMs, 14 * kMs)}, hosts.now);
    hosts[1].tick(hosts.now);
    const auto asked = std::get<wire::SendQuery>(hosts[1].take_outgoing().at(0).message);
    const wire::SendReport report{{{asked.entries[0].token, kSmall_B, 10 * kMs, 10 * kMs, 11 * kMs, false}}};
    hosts[1].told(2, report, ClockEstimate{}, 0);
    EXPECT_TRUE(hosts[1].take_times().empty());
    hosts[1].told(0, report, ClockEstimate{}, 0);
    EXPECT_EQ(hosts[1].take_times().size(), 1U);
}

}  // namespace
}  // namespace fairlead::core
