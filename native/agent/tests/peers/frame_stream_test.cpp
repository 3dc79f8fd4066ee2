// SPDX-License-Identifier: Apache-2.0
// What a stream of frames knows of where its bytes are.
#include "peers/frame_stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/connection.hpp"
#include "tests/keys.hpp"

namespace fairlead::agent {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// By TCP, since sockets of other kinds do not tell what was acknowledged.
struct FrameStream : testing::Test {
    static constexpr std::uint64_t kMessage_B = 5000;

    Connection connection;
    FrameOutput output{{std::move(connection.client), key_of(1)}};
    Bytes part = Bytes(kMaxPart_B, 7);

    /// A part of a frame of which `message_B` are the message's own.
    void put(core::HostId destination, std::uint64_t message_B = kMessage_B, std::uint64_t passing_B = 0) {
        output.put({{destination, 0}, true, true, part}, passing_B, message_B);
    }
    /// The loopback device acknowledges at once, but a sender may wait for a little.
    std::map<core::HostId, std::uint64_t> arrived_until(core::HostId destination, std::uint64_t size_B) {
        std::map<core::HostId, std::uint64_t> sum;
        for (int tries = 0; tries < 2000 && sum[destination] < size_B; ++tries) {
            for (const auto& [host, bytes] : output.take_arrived()) sum[host] += bytes;
            usleep(1000);
        }
        return sum;
    }
};

TEST_F(FrameStream, CountsMessagesThatArrivedByDestination) {
    put(2);
    put(2);
    put(3);
    put(4, 0, kMaxPart_B);  // of others
    put(2, 0);              // without a message
    put(2);
    EXPECT_TRUE(output.take_arrived().empty());
    EXPECT_TRUE(output.owed().empty()) << "nothing is in flight";
    output.flush();
    ASSERT_TRUE(output.idle());
    const auto arrived = arrived_until(2, 3 * kMessage_B);
    EXPECT_EQ(arrived, (std::map<core::HostId, std::uint64_t>{{2, 3 * kMessage_B}, {3, kMessage_B}}));
    EXPECT_TRUE(output.owed().empty());
    EXPECT_TRUE(output.take_arrived().empty()) << "each byte once";
}

/// As with the program's own connections: where the reader takes nothing, nothing is in flight, and no network is slow.
TEST_F(FrameStream, WhatTheOtherEndDoesNotTakeIsNotInFlight) {
    std::uint64_t put_B = 0;
    while (output.idle() || put_B == 0) {
        put(2);
        put_B += kMessage_B;
        output.flush();
        ASSERT_LT(put_B, 64U << 20);
    }
    std::uint64_t arrived_B = 0;
    for (int quiet = 0; quiet < 50; ++quiet) {  // until its window is closed
        for (const auto& [host, bytes] : output.take_arrived()) {
            arrived_B += bytes;
            quiet = 0;
        }
        usleep(2000);
    }
    EXPECT_GT(arrived_B, 0U) << "into its kernel";
    EXPECT_LT(arrived_B, put_B);
    EXPECT_TRUE(output.owed().empty()) << "it has closed its window";

    Bytes taken(1 << 20);
    while (!output.idle()) {
        ASSERT_GT(recv(connection.server.get(), taken.data(), taken.size(), 0), 0);
        output.flush();
    }
    while (arrived_B < put_B) {
        for (const auto& [host, bytes] : output.take_arrived()) arrived_B += bytes;
        recv(connection.server.get(), taken.data(), taken.size(), MSG_DONTWAIT);
    }
    EXPECT_EQ(arrived_B, put_B) << "parts of stretches add up";
}

}  // namespace
}  // namespace fairlead::agent
