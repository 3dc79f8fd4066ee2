// SPDX-License-Identifier: Apache-2.0
#include "watch/tcp_counters.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/connection.hpp"

namespace fairlead::agent {
namespace {

constexpr std::string_view kTable =
    "Ip: Forwarding DefaultTTL\n"
    "Ip: 1 64\n"
    "Tcp: RtoAlgorithm MaxConn ActiveOpens PassiveOpens CurrEstab InSegs OutSegs InErrs\n"
    "Tcp: 1 -1 20 3 7 1000 18446744073709550000 0\n"
    "Udp: InDatagrams\n"
    "Udp: 5\n";

TEST(TcpCounters, AreReadByTheirNames) {
    const auto counters = parse_tcp_counters(kTable);
    ASSERT_TRUE(counters);
    EXPECT_EQ(counters->opened, 23U);
    EXPECT_EQ(counters->established, 7U);
    EXPECT_EQ(counters->segments, 18446744073709551000U);
}

TEST(TcpCounters, ATableThatLacksSomethingSaysNothing) {
    EXPECT_FALSE(parse_tcp_counters(""));
    EXPECT_FALSE(parse_tcp_counters("Tcp: ActiveOpens PassiveOpens CurrEstab InSegs OutSegs\n"));
    EXPECT_FALSE(parse_tcp_counters("Tcp: ActiveOpens PassiveOpens CurrEstab InSegs\nTcp: 1 2 3 4\n"));
    EXPECT_FALSE(parse_tcp_counters("Tcp: ActiveOpens PassiveOpens CurrEstab InSegs OutSegs\nTcp: 1 2 3 4\n"));
    EXPECT_FALSE(parse_tcp_counters("Tcp: ActiveOpens PassiveOpens CurrEstab InSegs OutSegs\nTcp: 1 2 3 4 x\n"));
    EXPECT_FALSE(parse_tcp_counters(kTable.substr(0, kTable.find("Tcp: 1"))));
}

TEST(TcpCounters, TellOfConnectionsAndSegments) {
    const TcpCounterFile file;
    const auto before = file.read();
    ASSERT_TRUE(before);
    Connection connection;
    const auto made = file.read();
    ASSERT_TRUE(made);
    EXPECT_GE(made->opened, before->opened + 2) << "both ends are here";
    EXPECT_FALSE(made->same_connections(*before));
    ASSERT_EQ(write(connection.client.get(), "hello", 5), 5);
    EXPECT_GT(file.read()->segments, made->segments);
}

}  // namespace
}  // namespace fairlead::agent
