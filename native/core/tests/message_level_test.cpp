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

}  // namespace
}  // namespace fairlead::core
