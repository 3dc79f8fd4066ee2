// SPDX-License-Identifier: Apache-2.0
#include "process/socket_address.hpp"

#include <gtest/gtest.h>

namespace fairlead::agent {
namespace {

Address address(const char* text) {
    return Address::parse(text).value();
}

TEST(SocketAddressTest, KeepsAddressAndPort) {
    const SocketAddress of_four(address("10.64.0.1"), 19600);
    const SocketAddress of_six(address("fd00::1"), 19601);
    EXPECT_EQ(of_four.size_B(), sizeof(sockaddr_in));
    EXPECT_EQ(of_six.size_B(), sizeof(sockaddr_in6));
    EXPECT_EQ(of_four.address(), address("10.64.0.1"));
    EXPECT_EQ(of_six.address(), address("fd00::1"));
    EXPECT_EQ(of_four.port(), 19600);
    EXPECT_EQ(of_six.port(), 19601);
    EXPECT_EQ(SocketAddress().address(), Address());
}

TEST(UdpHeadersTest, AreLongerOfIPv6) {
    EXPECT_EQ(udp_headers_B(AF_INET), 28);
    EXPECT_EQ(udp_headers_B(AF_INET6), 48);
}

}  // namespace
}  // namespace fairlead::agent
