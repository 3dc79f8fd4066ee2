// SPDX-License-Identifier: Apache-2.0
#include "delay_line.hpp"

#include <gtest/gtest.h>

namespace {

using fairlead::lab::DelayLine;
using fairlead::lab::Packet;

Packet packet(unsigned char value, std::size_t size_B = 1) {
    return Packet(size_B, std::byte{value});
}

TEST(DelayLine, HoldsEachPacketForExactlyTheDelay) {
    DelayLine line(5000, 1000);
    EXPECT_TRUE(line.push(packet(1), 100));
    EXPECT_TRUE(line.push(packet(2), 250));
    EXPECT_EQ(line.next_due_ns(), 5100);
    EXPECT_FALSE(line.pop(5099));
    EXPECT_EQ(line.pop(5100), packet(1));
    EXPECT_FALSE(line.pop(5249));
    EXPECT_EQ(line.pop(5250), packet(2));
    EXPECT_FALSE(line.next_due_ns());
}

TEST(DelayLine, KeepsTheOrderOfPacketsOfOneInstant) {
    DelayLine line(10, 1000);
    for (unsigned char k = 0; k < 100; ++k) {
        line.push(packet(k), 7);
    }
    for (unsigned char k = 0; k < 100; ++k) {
        EXPECT_EQ(line.pop(17), packet(k));
    }
}

TEST(DelayLine, DropsWhatDoesNotFitAndCountsIt) {
    DelayLine line(10, 100);
    EXPECT_TRUE(line.push(packet(1, 60), 0));
    EXPECT_FALSE(line.push(packet(2, 41), 0));
    EXPECT_TRUE(line.push(packet(3, 40), 0));
    EXPECT_EQ(line.dropped(), 1U);
    EXPECT_EQ(line.held_B(), 100U);
    EXPECT_EQ(line.pop(10), packet(1, 60));
    EXPECT_EQ(line.held_B(), 40U);
}

}  // namespace
