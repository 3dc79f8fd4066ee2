// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/message_level.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(MessageLevel, SeveralMessagesInARowThatTookLongAreASuspicion) {
    const Settings settings;
    MessageLevel congestion_level;
    constexpr double kBase_s = 2e-3;  // medium from 1 ms above it on, high from 4 ms
    const auto add = [&](double latency_s, Time now) {
        return congestion_level.add(8192, latency_s, 10e-6, kBase_s, settings, now);
    };
    EXPECT_EQ(add(9e-3, 1.00).congestion_level, CongestionLevel::low);
    EXPECT_EQ(add(9e-3, 1.01).congestion_level, CongestionLevel::low);
    const MessageLevel::Judgement third = add(8e-3, 1.02);
    EXPECT_EQ(third.congestion_level, CongestionLevel::high);
    EXPECT_DOUBLE_EQ(third.excess_s, 8e-3 - 10e-6 - kBase_s);
    EXPECT_EQ(add(2e-3, 1.03).congestion_level, CongestionLevel::low);
    EXPECT_EQ(add(4e-3, 1.04).congestion_level, CongestionLevel::low);
    EXPECT_EQ(add(4e-3, 1.05).congestion_level, CongestionLevel::low);
    EXPECT_EQ(add(4e-3, 1.06).congestion_level, CongestionLevel::medium);
    EXPECT_EQ(add(9e-3, 2.00).congestion_level, CongestionLevel::low) << "those before it are old";
}

TEST(MessageLevel, WhatMessagesOfASizeAlwaysTakeIsNoSuspicion) {
    const Settings settings;
    MessageLevel congestion_level;
    for (int i = 0; i < 6; ++i) congestion_level.add(8192, 20e-3, 0.0, 1e-3, settings, 1.0 + 0.01 * i);
    EXPECT_EQ(congestion_level.add(8192, 20e-3, 0.0, 1e-3, settings, 1.07).congestion_level, CongestionLevel::high);
    EXPECT_EQ(congestion_level.add(8192, 20.5e-3, 0.0, 1e-3, settings, 1.08).congestion_level, CongestionLevel::low);
    congestion_level.add(64, 20e-3, 0.0, 1e-3, settings, 1.09);
    congestion_level.add(64, 20e-3, 0.0, 1e-3, settings, 1.10);
    EXPECT_EQ(congestion_level.add(64, 20e-3, 0.0, 1e-3, settings, 1.11).congestion_level, CongestionLevel::high)
        << "another size";
}

/// Messages of 8 KiB that take 1 ms on the free path: medium from 1 ms above that on.
class LevelOfMessages : public testing::Test {
  protected:
    MessageLevel::Judgement add(double latency_s, Time now, double error_s = 0.0, std::uint64_t size_B = 8192) {
        return level.add(size_B, latency_s, error_s, 1e-3, settings, now);
    }
    Settings settings;
    MessageLevel level;
};

TEST_F(LevelOfMessages, TakesAsManyAsTheSettingSays) {
    settings.messages.judged = 1;
    EXPECT_EQ(add(9e-3, 1.0).congestion_level, CongestionLevel::high);
    settings.messages.judged = 16;
    for (int i = 1; i < 15; ++i) EXPECT_EQ(add(9e-3, 1.0 + 0.01 * i, 0.0, 64U << i).excess_s, 0.0) << i;
    EXPECT_EQ(add(9e-3, 1.2, 0.0, 1).congestion_level, CongestionLevel::high);
}

TEST_F(LevelOfMessages, TheFastestOfThemIsWhatCounts) {
    add(9e-3, 1.00);
    add(2.5e-3, 1.01);
    const MessageLevel::Judgement judgement = add(9e-3, 1.02);
    EXPECT_EQ(judgement.congestion_level, CongestionLevel::medium);
    EXPECT_DOUBLE_EQ(judgement.excess_s, 1.5e-3);
    EXPECT_EQ(add(1e-3, 1.03).congestion_level, CongestionLevel::low);
    EXPECT_DOUBLE_EQ(add(0.5e-3, 1.04).excess_s, -0.5e-3);
}

TEST_F(LevelOfMessages, TheClocksErrorIsTakenOff) {
    for (const double at : {1.00, 1.01}) add(3e-3, at, 1.5e-3);
    const MessageLevel::Judgement judgement = add(3e-3, 1.02, 1.5e-3);
    EXPECT_DOUBLE_EQ(judgement.excess_s, 0.5e-3);
    EXPECT_EQ(judgement.congestion_level, CongestionLevel::low);
}

TEST_F(LevelOfMessages, AllOfThemMustBeYoung) {
    add(9e-3, 1.0);
    add(9e-3, 1.2);
    EXPECT_EQ(add(9e-3, 1.5).congestion_level, CongestionLevel::high) << "within half a second";
    const MessageLevel::Judgement old = add(9e-3, 1.8);
    EXPECT_EQ(old.congestion_level, CongestionLevel::low);
    EXPECT_DOUBLE_EQ(old.excess_s, 0.0) << "of which nothing is said";
}

TEST_F(LevelOfMessages, ASizeTakesWhatItsFastestMessageEverTook) {
    add(3e-3, 1.0);
    for (int i = 1; i < 8; ++i) add(20e-3, 1.0 + 0.01 * i);
    EXPECT_DOUBLE_EQ(add(20e-3, 1.08).excess_s, 17e-3);
}

TEST_F(LevelOfMessages, SizesUpToAPowerOfTwoAreOne) {
    for (int i = 0; i < 8; ++i) add(20e-3, 1.0 + 0.01 * i, 0.0, 4096);
    EXPECT_EQ(add(20e-3, 1.08, 0.0, 8191).congestion_level, CongestionLevel::low) << "these always take so long";
    for (const double at : {1.09, 1.10}) add(20e-3, at, 0.0, 8192);
    EXPECT_EQ(add(20e-3, 1.11, 0.0, 8192).congestion_level, CongestionLevel::high);
    EXPECT_EQ(add(20e-3, 1.12, 0.0, 2048).congestion_level, CongestionLevel::high);
    EXPECT_EQ(add(20e-3, 1.13, 0.0, 0).congestion_level, CongestionLevel::high) << "of no bytes";
}

}  // namespace
}  // namespace fairlead::core
