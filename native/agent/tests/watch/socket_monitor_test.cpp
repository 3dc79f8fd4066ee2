// SPDX-License-Identifier: Apache-2.0
#include "watch/socket_monitor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <system_error>

#include "tests/connection.hpp"

namespace fairlead::agent {
namespace {

/// This host is the first of two on the loopback device; connections from there lead to the second.
class Monitor : public testing::Test {
  protected:
    static Config two_hosts() {
        Config config;
        for (const std::uint32_t number : {0U, 1U}) {
            Host host;
            host.address = Address(loopback_of_this_process(number));
            host.port = 1;
            config.hosts.push_back(host);
        }
        config.uid = getuid();
        return config;
    }
    static Connection connected() {
        return Connection(loopback_of_this_process(0).s_addr, loopback_of_this_process(1));
    }
    std::uint64_t delivered_B(double now, bool complete = false) {
        const auto samples = monitor.sample(now, complete);
        return samples.empty() ? 0 : samples.at(0).delivered_B;
    }
    void send(const Connection& connection, std::size_t size_B) {
        const std::vector<char> data(size_B);
        ASSERT_EQ(write(connection.client.get(), data.data(), size_B), static_cast<ssize_t>(size_B));
        std::vector<char> received(size_B);
        ASSERT_EQ(recv(connection.server.get(), received.data(), size_B, MSG_WAITALL), static_cast<ssize_t>(size_B));
    }
    Config config = two_hosts();
    core::LookSettings settings;
    SocketMonitor monitor{config, settings, 100.0};
};

TEST_F(Monitor, LooksMoreRarelyTheLongerNothingMoves) {
    EXPECT_DOUBLE_EQ(monitor.period_s(100.0), 0.040);
    EXPECT_TRUE(monitor.sample(100.0, false).empty());
    EXPECT_DOUBLE_EQ(monitor.period_s(102.0), 0.2) << "no connection was seen yet";
    EXPECT_DOUBLE_EQ(monitor.period_s(160.0), 0.5);
    const Connection connection = connected();
    EXPECT_GT(delivered_B(160.0), 0U) << "found at the next look, however long there was none";
    EXPECT_DOUBLE_EQ(monitor.period_s(160.0), 0.040);
    EXPECT_DOUBLE_EQ(monitor.period_s(161.0), 0.1);
}

TEST_F(Monitor, WhatMovesAfterARestIsSeenAtTheNextLook) {
    const Connection connection = connected();
    monitor.sample(100.0, false);
    send(connection, 1000);
    const std::uint64_t before_B = delivered_B(100.04);
    for (double now = 100.1; now < 110.0; now += 0.5) EXPECT_EQ(delivered_B(now), before_B);
    EXPECT_DOUBLE_EQ(monitor.period_s(110.0), 0.5);
    send(connection, 5000);
    EXPECT_EQ(delivered_B(110.0), before_B + 5000);
    EXPECT_DOUBLE_EQ(monitor.period_s(110.0), 0.040);
}

TEST_F(Monitor, AConnectionMadeAMomentAgoCountsWhereAllMust) {
    const Connection first = connected();
    monitor.sample(100.0, false);
    send(first, 100);
    monitor.sample(100.02, false);
    const Connection second = connected();
    const std::uint64_t before_B = delivered_B(100.03);
    send(second, 7000);
    EXPECT_EQ(delivered_B(100.04, true), before_B + 7001) << "with the SYN, which counts as one";
}

TEST_F(Monitor, WhatAgentsCarryCountsAsWhatConnectionsDo) {
    const Connection connection = connected();
    monitor.sample(100.0, false);
    send(connection, 1000);
    const std::uint64_t before_B = delivered_B(100.04);
    EXPECT_GT(monitor.srtt_s(1), 0.0);
    const auto carry = [&](double now, std::uint64_t size_B) {
        return monitor.sample(now, false, std::vector<Carried>{{1, size_B, 0, false}}).at(0);
    };
    EXPECT_EQ(carry(110.0, 5000).delivered_B, before_B + 5000);
    EXPECT_DOUBLE_EQ(monitor.period_s(110.0), 0.040) << "the pair is not at rest";
    EXPECT_DOUBLE_EQ(monitor.srtt_s(1), 0.0) << "its round trip is not that of its idle connection";
    EXPECT_EQ(carry(120.0, 5000).delivered_B, before_B + 5000);
    EXPECT_GT(monitor.period_s(120.0), 0.1);
}

TEST_F(Monitor, TheEndOfTheLastConnectionIsTold) {
    auto connection = std::make_unique<Connection>(connected());
    monitor.sample(100.0, false);
    send(*connection, 1000);
    const std::uint64_t before_B = delivered_B(100.04);
    monitor.sample(105.0, false);
    connection.reset();
    const auto last = monitor.sample(105.5, false);
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].delivered_B, before_B);
    EXPECT_EQ(last[0].in_flight_B, 0U);
    EXPECT_TRUE(monitor.sample(106.0, false).empty());
}

TEST_F(Monitor, WhatALookThatFailedShouldHaveFoundIsFoundByTheNext) {
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const int diag = UniqueFd(dup(nothing.get())).get();  // the number that the monitor's first descriptor gets
    SocketMonitor failing{config, settings, 100.0};
    EXPECT_TRUE(failing.sample(100.0, false).empty());
    failing.sample(101.0, false);
    failing.sample(102.0, false);
    const Connection connection = connected();
    ASSERT_EQ(dup2(nothing.get(), diag), diag);
    EXPECT_THROW(failing.sample(110.0, false), std::system_error);
    EXPECT_EQ(failing.sample(110.5, false).size(), 1U);
}

}  // namespace
}  // namespace fairlead::agent
