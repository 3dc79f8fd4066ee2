// SPDX-License-Identifier: Apache-2.0
// What a stream of frames knows of where its bytes are.
#include "peers/frame_stream.hpp"

#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include "tests/connection.hpp"
#include "tests/keys.hpp"

namespace fairlead::agent {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// By TCP, since sockets of other kinds do not tell what was acknowledged.
struct FrameStream : testing::Test {
    static constexpr std::uint64_t kSealed_B = kMaxPart_B + kRecordOverhead_B;

    Connection connection;
    FrameOutput output{{std::move(connection.client), key_of(1)}};
    Bytes part = Bytes(kMaxPart_B, 7);

    void put(core::HostId destination, std::uint64_t passing_B = 0) {
        output.put({{destination, 0}, true, true, part}, passing_B);
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

TEST_F(FrameStream, CountsWhatArrivedByDestination) {
    put(2);
    put(2);
    put(3);
    put(4, kMaxPart_B);  // of others: not counted
    put(2);
    auto owed = output.owed();
    EXPECT_EQ(owed.size(), 2U);
    EXPECT_EQ(owed[2].size_B, 3 * kSealed_B);
    EXPECT_TRUE(owed[2].waits) << "nothing is written";
    EXPECT_TRUE(output.take_arrived().empty());
    output.flush();
    ASSERT_TRUE(output.idle());
    const auto arrived = arrived_until(2, 3 * kSealed_B);
    EXPECT_EQ(arrived, (std::map<core::HostId, std::uint64_t>{{2, 3 * kSealed_B}, {3, kSealed_B}}));
    EXPECT_TRUE(output.owed().empty());
    EXPECT_TRUE(output.take_arrived().empty()) << "each byte once";
}

TEST_F(FrameStream, WhatTheOtherEndDoesNotTakeIsOwed) {
    std::uint64_t put_B = 0;
    while (output.idle() || put_B == 0) {
        put(2);
        put_B += kSealed_B;
        output.flush();
        ASSERT_LT(put_B, 64U << 20);
    }
    std::uint64_t arrived_B = 0;
    for (const auto& [host, bytes] : output.take_arrived()) arrived_B += bytes;
    auto owed = output.owed();
    EXPECT_GT(arrived_B, 0U) << "into its kernel";
    EXPECT_GT(owed[2].size_B, 0U);
    EXPECT_TRUE(owed[2].waits);
    EXPECT_EQ(arrived_B + owed[2].size_B, put_B);

    Bytes taken(1 << 20);
    while (!output.idle()) {
        ASSERT_GT(recv(connection.server.get(), taken.data(), taken.size(), 0), 0);
        output.flush();
    }
    EXPECT_FALSE(output.owed()[2].waits) << "the kernel has it all";
}

}  // namespace
}  // namespace fairlead::agent
