// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/link.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/sim/network.hpp"

namespace fairlead::sim {
namespace {

TEST(Link, APacketArrivesAfterItsOwnTimeAndThatOfThoseBeforeIt) {
    core::Random random(1);
    Link link{{8e6, 0.010, 1e6}};  // 1 MB/s: a packet of 1000 B takes 1 ms
    EXPECT_DOUBLE_EQ(*link.enter(2.0, 1000, random), 2.011);
    EXPECT_DOUBLE_EQ(*link.enter(2.0, 500, random), 2.0115) << "behind the first";
    EXPECT_NEAR(link.backlog_B(2.001), 500, 1e-6);
    EXPECT_DOUBLE_EQ(*link.enter(3.0, 1000, random), 3.011) << "the queue has drained";
    EXPECT_DOUBLE_EQ(link.carried_B, 2500);
}

TEST(Link, WhatDoesNotFitIsDropped) {
    core::Random random(1);
    Link link{{8e6, 0.0, 5000}};
    int accepted = 0;
    for (int i = 0; i < 8; ++i) accepted += link.enter(0.0, 1000, random).has_value();
    EXPECT_EQ(accepted, 5);
    EXPECT_EQ(link.dropped, 3U);
    EXPECT_FALSE(link.enter(0.0009, 1000, random)) << "4100 B are left";
    EXPECT_TRUE(link.enter(0.0010, 1000, random)) << "4000 B are left";
}

TEST(Link, CountsThePacketsOfASegment) {
    core::Random random(1);
    Link full{{8e6, 0.0, 1e3}};
    EXPECT_FALSE(full.enter(0.0, wire_B(8 * kPacket_B), random));
    EXPECT_FALSE(full.enter(0.0, wire_B(kPacket_B + 1), random));
    EXPECT_EQ(full.dropped, 8U + 2U);
    Link losing{{8e6, 0.0, 1e9, 0.999999}};
    EXPECT_FALSE(losing.enter(0.0, wire_B(3 * kPacket_B), random));
    EXPECT_EQ(losing.lost, 3U);
}

TEST(Link, ABurstPassesAtOnceAfterAPause) {
    core::Random random(1);
    Link link{{.rate_bps = 8e6, .delay_s = 0.0, .limit_B = 5001, .burst_B = 2000}};
    EXPECT_DOUBLE_EQ(*link.enter(1.0, 1500, random), 1.0);
    EXPECT_DOUBLE_EQ(*link.enter(1.0, 1500, random), 1.001) << "500 B are left of the bucket";
    EXPECT_NEAR(link.backlog_B(1.0), 1000, 1e-6);
    EXPECT_TRUE(link.enter(1.0, 4000, random));
    EXPECT_FALSE(link.enter(1.0, 500, random)) << "5000 B wait";
    EXPECT_DOUBLE_EQ(*link.enter(2.0, 2000, random), 2.0) << "the bucket is full again";
}

TEST(Link, AnAddedDelayHoldsForWhatEntersMeanwhile) {
    core::Random random(1);
    Link link{{8e6, 0.010, 1e6}};
    link.added_delay_s = 0.005;
    EXPECT_DOUBLE_EQ(*link.enter(1.0, 1000, random), 1.016);
    link.added_delay_s = 0.0;
    EXPECT_DOUBLE_EQ(*link.enter(2.0, 1000, random), 2.011);
}

TEST(Link, LosesTheShareThatItIsGiven) {
    core::Random random(1);
    Link link{{8e6, 0.0, 1e9, 0.1}};
    constexpr int kPackets = 100000;
    int arrived = 0;
    for (int i = 0; i < kPackets; ++i) arrived += link.enter(i, 1000, random).has_value();
    const double deviation = std::sqrt(kPackets * 0.1 * 0.9);
    EXPECT_NEAR(static_cast<double>(link.lost), 0.1 * kPackets, 4 * deviation);
    EXPECT_EQ(arrived + static_cast<int>(link.lost), kPackets);
    EXPECT_DOUBLE_EQ(link.carried_B, 1000.0 * kPackets) << "what is lost on the wire has occupied it";
}

}  // namespace
}  // namespace fairlead::sim
