// SPDX-License-Identifier: Apache-2.0
#include "watch/interface_load.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

namespace fairlead::agent {
namespace {

constexpr std::string_view kTable =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier compressed\n"
    "    lo:    1200      10    0    0    0     0          0         0     1200      10    0    0    0     0       0  "
    "        0\n"
    "  eth0: 18446744073709551615 11 0 1 0 0 0 0 77 5 0 0 0 0 0 0\n"
    " eth01: 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2\n"
    "broken: 1 2 three\n";

TEST(InterfaceLoad, ReadsTheLineOfTheInterface) {
    const auto eth0 = parse_interface(kTable, "eth0");
    ASSERT_TRUE(eth0);
    EXPECT_EQ(eth0->received, 18446744073709551615ULL);
    EXPECT_EQ(eth0->sent, 77U);
    EXPECT_EQ(parse_interface(kTable, "eth01")->sent, 2U);
    EXPECT_EQ(parse_interface(kTable, "lo")->received, 1200U);
}

TEST(InterfaceLoad, WhatIsNotThereOrBrokenIsNoLoad) {
    EXPECT_FALSE(parse_interface(kTable, "eth"));
    EXPECT_FALSE(parse_interface(kTable, "eth1"));
    EXPECT_FALSE(parse_interface(kTable, "broken"));
    EXPECT_FALSE(parse_interface("", "eth0"));
    EXPECT_FALSE(parse_interface("eth0:", "eth0"));
}

TEST(InterfaceLoad, CountsWhatPassesTheInterface) {
    InterfaceLoad load("lo");
    EXPECT_FALSE(load.take_bps(10.0)) << "one reading is no rate";
    const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    ASSERT_GE(socket, 0);
    sockaddr_in nobody{
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    const std::vector<char> block(1000);
    constexpr int kBlocks = 100;
    for (int i = 0; i < kBlocks; ++i) {
        // Refused by the port, which the next call is told: the packet passed all the same.
        static_cast<void>(
            sendto(socket, block.data(), block.size(), 0, reinterpret_cast<sockaddr*>(&nobody), sizeof nobody));
    }
    close(socket);
    const auto bps = load.take_bps(10.5);
    ASSERT_TRUE(bps);
    EXPECT_GE(*bps, 8.0 * kBlocks / 2 * 1000 / 0.5) << "every second one is sent at least";
    EXPECT_FALSE(InterfaceLoad("no-such-one").take_bps(1.0));
}

}  // namespace
}  // namespace fairlead::agent
