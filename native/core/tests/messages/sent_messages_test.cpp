// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/sent_messages.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace fairlead::core {
namespace {

wire::MessageKey key(std::uint32_t number) {
    return {7, 0, 1, 5, number};
}
wire::ToldSend sent(std::uint64_t size_B) {
    return {99, size_B, 10, 20, 30, true};
}

TEST(SentMessages, WhatIsKnownIsAnsweredAtOnce) {
    SentMessages messages;
    messages.add(key(1), sent(100));
    messages.add(key(2), sent(200));
    messages.ask(3, {41, key(2)}, 1.0);
    const auto answers = messages.take_answers();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].to, 3);
    EXPECT_EQ(answers[0].told, (wire::ToldSend{41, 200, 10, 20, 30, true})) << "with the question's token";
    EXPECT_TRUE(messages.take_answers().empty()) << "once";
    messages.ask(4, {42, key(2)}, 1.0);
    EXPECT_EQ(messages.take_answers().size(), 1U) << "it can be asked for again";
}

TEST(SentMessages, AQuestionWaitsForItsSend) {
    SentMessages messages;
    messages.ask(3, {41, key(1)}, 1.0);
    messages.add(key(2), sent(200));
    EXPECT_TRUE(messages.take_answers().empty());
    messages.add(key(1), sent(100));
    const auto answers = messages.take_answers();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].to, 3);
    EXPECT_EQ(answers[0].told.token, 41U);
    EXPECT_EQ(answers[0].told.size_B, 100U);
    messages.add(key(1), sent(100));
    EXPECT_TRUE(messages.take_answers().empty()) << "it was answered";
}

TEST(SentMessages, UntilItsDeadline) {
    SentMessages messages;
    messages.ask(3, {41, key(1)}, 1.0);
    messages.ask(3, {42, key(2)}, 2.0);
    messages.expire(1.0);
    messages.add(key(1), sent(100));
    messages.add(key(2), sent(200));
    const auto answers = messages.take_answers();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].told.token, 42U);
}

TEST(SentMessages, EachPartOfAKeyTellsMessagesApart) {
    SentMessages messages;
    messages.add(key(1), sent(100));
    const std::vector<wire::MessageKey> others = {{8, 0, 1, 5, 1},  {7, 2, 1, 5, 1}, {7, 0, 2, 5, 1}, {7, 0, 1, 6, 1},
                                                  {7, 0, 1, -5, 1}, {7, 0, 1, 5, 2}, {7, 1, 0, 5, 1}};
    for (const wire::MessageKey& other : others) messages.ask(3, {1, other}, 1.0);
    EXPECT_TRUE(messages.take_answers().empty());
}

TEST(SentMessages, TheSameMessageOnceMoreIsTheYoungerOne) {
    SentMessages messages;
    messages.add(key(1), sent(100));
    messages.add(key(1), sent(200));
    messages.ask(3, {41, key(1)}, 1.0);
    EXPECT_EQ(messages.take_answers().at(0).told.size_B, 200U);
}

/// There is room for 16384; which of the older ones are gone depends on where they are kept.
TEST(SentMessages, TheOldestAreForgotten) {
    SentMessages messages;
    const auto known = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t number = from; number < to; ++number) messages.ask(3, {number, key(number)}, 1.0);
        messages.expire(1.0);
        return messages.take_answers().size();
    };
    constexpr std::uint32_t kMany = 40000;
    for (std::uint32_t number = 0; number < kMany; ++number) messages.add(key(number), sent(number));
    EXPECT_EQ(known(kMany - 100, kMany), 100U);
    EXPECT_GE(known(kMany - 4000, kMany), 3900U) << "of the youngest quarter nearly all";
    EXPECT_LE(known(0, 100), 10U);
    EXPECT_LE(known(0, kMany), 16384U);
}

TEST(SentMessages, ManyQuestionsMayWaitAndNoMore) {
    SentMessages messages;
    for (std::uint32_t number = 0; number < 5000; ++number) messages.ask(3, {number, key(number)}, 1.0);
    for (std::uint32_t number = 0; number < 5000; ++number) messages.add(key(number), sent(number));
    EXPECT_EQ(messages.take_answers().size(), 4096U);
    messages.ask(3, {1, key(6000)}, 1.0);
    messages.add(key(6000), sent(1));
    EXPECT_EQ(messages.take_answers().size(), 1U) << "there is room again";
}

}  // namespace
}  // namespace fairlead::core
