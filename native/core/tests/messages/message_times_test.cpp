// SPDX-License-Identifier: Apache-2.0
// Each case of "The network time of a message" (docs/explanation/message-times.md).
#include "fairlead/core/message_times.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace fairlead::core {
namespace {

constexpr std::int64_t kMillisecond_ns = 1'000'000;
constexpr std::uint64_t kMessage_B = 1024;
constexpr std::uint64_t kLarge_B = 1 << 20;

MessageTimes times_of(std::uint64_t size_B, SendTimes send, ReceiveTimes receive, double error_s = 1e-6) {
    const auto times = message_times(size_B, send, receive, error_s, MessageSettings{});
    EXPECT_TRUE(times.has_value());
    return times.value_or(MessageTimes{});
}

/// Needed and waited for from one moment on, done at another.
ReceiveTimes received(std::int64_t needed_ns, std::int64_t done_ns) {
    return {needed_ns, needed_ns, done_ns, false};
}

TEST(MessageTimes, ASmallMessageIsOnItsWayFromItsSend) {
    const MessageTimes times = times_of(kMessage_B, {10 * kMillisecond_ns, 10 * kMillisecond_ns},
                                        received(12 * kMillisecond_ns, 17 * kMillisecond_ns));
    EXPECT_DOUBLE_EQ(*times.latency_s, 0.007);
    EXPECT_DOUBLE_EQ(times.network_s, 0.005);
    EXPECT_DOUBLE_EQ(times.late_sender_s, 0.0);
}

TEST(MessageTimes, ALateSenderIsNotTheNetwork) {
    const MessageTimes times = times_of(kMessage_B, {30 * kMillisecond_ns, 30 * kMillisecond_ns},
                                        received(12 * kMillisecond_ns, 33 * kMillisecond_ns));
    EXPECT_DOUBLE_EQ(*times.latency_s, 0.003);
    EXPECT_DOUBLE_EQ(times.late_sender_s, 0.018);
    EXPECT_DOUBLE_EQ(times.network_s, 0.003);
}

TEST(MessageTimes, ALargeMessageWaitsForItsReceiver) {
    const MessageTimes times = times_of(kLarge_B, {10 * kMillisecond_ns, 10 * kMillisecond_ns},
                                        received(50 * kMillisecond_ns, 58 * kMillisecond_ns));
    EXPECT_DOUBLE_EQ(*times.latency_s, 0.008);
    EXPECT_DOUBLE_EQ(times.network_s, 0.008);
    const MessageTimes late = times_of(kLarge_B, {54 * kMillisecond_ns, 54 * kMillisecond_ns},
                                       received(50 * kMillisecond_ns, 58 * kMillisecond_ns));
    EXPECT_DOUBLE_EQ(*late.latency_s, 0.004);
    EXPECT_DOUBLE_EQ(late.late_sender_s, 0.004);
}

TEST(MessageTimes, ASenderOutsideMpiHidesHowLongALargeMessageTook) {
    // It began with a non-blocking call, computed, and came back after the receiver was there.
    const MessageTimes computing = times_of(kLarge_B, {10 * kMillisecond_ns, 55 * kMillisecond_ns},
                                            received(50 * kMillisecond_ns, 58 * kMillisecond_ns));
    EXPECT_FALSE(computing.latency_s);
    EXPECT_DOUBLE_EQ(computing.network_s, 0.008);
    EXPECT_FALSE(times_of(kLarge_B, {10 * kMillisecond_ns, 20 * kMillisecond_ns, true},
                          received(50 * kMillisecond_ns, 58 * kMillisecond_ns))
                     .latency_s);
    // It came back before.
    EXPECT_TRUE(times_of(kLarge_B, {10 * kMillisecond_ns, 40 * kMillisecond_ns},
                         received(50 * kMillisecond_ns, 58 * kMillisecond_ns))
                    .latency_s);
    // A small message left by itself.
    EXPECT_TRUE(times_of(kMessage_B, {10 * kMillisecond_ns, 55 * kMillisecond_ns},
                         received(50 * kMillisecond_ns, 58 * kMillisecond_ns))
                    .latency_s);
}

TEST(MessageTimes, AReceiverThatComputesSeesAMessageLate) {
    const MessageTimes times = times_of(kMessage_B, {10 * kMillisecond_ns, 10 * kMillisecond_ns},
                                        {12 * kMillisecond_ns, 12 * kMillisecond_ns, 17 * kMillisecond_ns, true});
    EXPECT_FALSE(times.latency_s);
}

TEST(MessageTimes, WhatWasWaitedForBeforeIsNotWaitedForAgain) {
    // Needed since 12 ms, but until 15 ms another message was waited for, too.
    const MessageTimes times = times_of(kMessage_B, {10 * kMillisecond_ns, 10 * kMillisecond_ns},
                                        {12 * kMillisecond_ns, 15 * kMillisecond_ns, 17 * kMillisecond_ns, false});
    EXPECT_DOUBLE_EQ(times.network_s, 0.002);
    EXPECT_DOUBLE_EQ(*times.latency_s, 0.007);
}

TEST(MessageTimes, NothingIsThereBeforeItWasSent) {
    EXPECT_FALSE(message_times(kMessage_B, {18 * kMillisecond_ns, 18 * kMillisecond_ns, false},
                               received(12 * kMillisecond_ns, 17 * kMillisecond_ns), 0.5e-3, MessageSettings{}));
    const auto within = message_times(kMessage_B, {18 * kMillisecond_ns, 18 * kMillisecond_ns, false},
                                      received(12 * kMillisecond_ns, 17 * kMillisecond_ns), 2e-3, MessageSettings{});
    ASSERT_TRUE(within);
    EXPECT_DOUBLE_EQ(*within->latency_s, 0.0);
}

TEST(MessageTimes, UpToTheLimitOfRendezvousAMessageIsSmall) {
    const auto limit_B = static_cast<std::uint64_t>(MessageSettings{}.rendezvous_B);
    const SendTimes send{10 * kMillisecond_ns, 10 * kMillisecond_ns};
    EXPECT_DOUBLE_EQ(*times_of(limit_B, send, received(50 * kMillisecond_ns, 58 * kMillisecond_ns)).latency_s, 0.048);
    EXPECT_DOUBLE_EQ(*times_of(limit_B + 1, send, received(50 * kMillisecond_ns, 58 * kMillisecond_ns)).latency_s,
                     0.008);
}

TEST(MessageTimes, ASenderIsInsideMpiWithinTheClocksError) {
    const SendTimes send{10 * kMillisecond_ns, 51 * kMillisecond_ns};  // back 1 ms after the receiver was there
    EXPECT_FALSE(times_of(kLarge_B, send, received(50 * kMillisecond_ns, 58 * kMillisecond_ns), 0.9e-3).latency_s);
    EXPECT_DOUBLE_EQ(*times_of(kLarge_B, send, received(50 * kMillisecond_ns, 58 * kMillisecond_ns), 1.1e-3).latency_s,
                     0.008);
}

TEST(MessageTimes, WhatWasNotWaitedForExplainsNoWaiting) {
    EXPECT_DOUBLE_EQ(waited_s({12 * kMillisecond_ns, 15 * kMillisecond_ns, 17 * kMillisecond_ns, false}), 0.002)
        << "from when nothing else was waited for";
    EXPECT_DOUBLE_EQ(waited_s({12 * kMillisecond_ns, 19 * kMillisecond_ns, 17 * kMillisecond_ns, false}), 0.0);
    const MessageTimes times = times_of(kMessage_B, {10 * kMillisecond_ns, 10 * kMillisecond_ns},
                                        {12 * kMillisecond_ns, 19 * kMillisecond_ns, 17 * kMillisecond_ns, false});
    EXPECT_DOUBLE_EQ(times.network_s, 0.0);
    EXPECT_DOUBLE_EQ(times.late_sender_s, 0.0);
}

TEST(MessageTimes, ALateSenderExplainsNoMoreThanTheWaiting) {
    // By the clocks' error it was sent after it was there.
    const MessageTimes times = times_of(kMessage_B, {18 * kMillisecond_ns, 18 * kMillisecond_ns},
                                        received(12 * kMillisecond_ns, 17 * kMillisecond_ns), 2e-3);
    EXPECT_DOUBLE_EQ(times.late_sender_s, 0.005);
    EXPECT_DOUBLE_EQ(times.network_s, 0.0);
}

}  // namespace
}  // namespace fairlead::core
