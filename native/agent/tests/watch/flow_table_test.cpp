// SPDX-License-Identifier: Apache-2.0
#include "watch/flow_table.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace fairlead::agent {
namespace {

Config two_peers() {
    Config config;
    config.uid = 1000;
    for (const char* address : {"10.0.0.1", "10.0.0.2", "10.0.0.3"}) {
        Host host;
        host.name = address;
        host.address = Address::parse(address).value();
        host.port = 47011;
        config.hosts.push_back(host);
    }
    return config;
}

TcpSocket socket_to(const char* address, std::uint64_t cookie, std::uint64_t acked_B) {
    TcpSocket socket;
    socket.cookie = cookie;
    socket.remote = Address::parse(address).value();
    socket.local_port = 1024;
    socket.remote_port = 40000;
    socket.uid = 1000;
    socket.srtt_s = 0.001 * static_cast<double>(cookie);
    socket.min_rtt_s = 0.0001 * static_cast<double>(cookie);
    socket.in_flight_B = 100 * cookie;
    socket.acked_B = acked_B;
    return socket;
}

class Flows : public testing::Test {
  protected:
    Config config = two_peers();
    FlowTable table{config};

    std::vector<core::SocketSample> update(std::vector<TcpSocket> sockets, double now) {
        return table.update(sockets, now);
    }
};

TEST_F(Flows, SumsASocketsPeer) {
    update({socket_to("10.0.0.2", 1, 1000), socket_to("10.0.0.2", 2, 5000)}, 1.0);
    const auto samples = update({socket_to("10.0.0.2", 1, 9000), socket_to("10.0.0.2", 2, 5100)}, 1.02);
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_EQ(samples[0].peer, 1);
    EXPECT_EQ(samples[0].delivered_B, 8100U) << "what was acknowledged before the agent ran does not count";
    EXPECT_EQ(samples[0].in_flight_B, 300U);
    EXPECT_DOUBLE_EQ(samples[0].srtt_s, 0.001) << "of the socket that moved most";
    EXPECT_DOUBLE_EQ(samples[0].min_rtt_s, 0.0001);
}

TEST_F(Flows, AnIdleSocketSaysNothingOfThePath) {
    update({socket_to("10.0.0.2", 9, 1000), socket_to("10.0.0.2", 2, 5000)}, 1.0);
    EXPECT_DOUBLE_EQ(table.srtt_s(1), 0.0) << "what was acknowledged before the agent ran is of another time";
    update({socket_to("10.0.0.2", 9, 1000), socket_to("10.0.0.2", 2, 5100)}, 1.02);
    EXPECT_DOUBLE_EQ(table.srtt_s(1), 0.002);
    update({socket_to("10.0.0.2", 9, 1000), socket_to("10.0.0.2", 2, 5100)}, 1.04);
    EXPECT_DOUBLE_EQ(table.srtt_s(1), 0.002) << "of the one that moved bytes last, not of the first one listed";
}

TEST_F(Flows, OneOfWhichNothingIsAcknowledgedIsFoundAmongOthers) {
    TcpSocket moves = socket_to("10.0.0.2", 1, 1000);
    TcpSocket waits = socket_to("10.0.0.2", 2, 1000);
    moves.retransmits = waits.retransmits = 5;
    update({moves, waits}, 1.0);
    moves.acked_B = 2000;
    moves.retransmits = 9;
    EXPECT_EQ(update({moves, waits}, 1.1)[0].stuck_s, 0.0) << "it has sent nothing again";
    moves.acked_B = 3000;
    waits.retransmits = 7;
    auto found = update({moves, waits}, 1.3)[0];
    EXPECT_NEAR(found.stuck_s, 0.3, 1e-9);
    EXPECT_EQ(found.stuck_retransmits, 2U);
    waits.acked_B = 1001;
    waits.retransmits = 8;
    EXPECT_EQ(update({moves, waits}, 1.4)[0].stuck_s, 0.0);
    waits.in_flight_B = 0;
    waits.retransmits = 9;
    EXPECT_EQ(update({moves, waits}, 1.9)[0].stuck_s, 0.0) << "nothing is under way";
}

TEST_F(Flows, TotalsNeverFallAndTheEndIsTold) {
    update({}, 1.0);
    EXPECT_EQ(update({socket_to("10.0.0.3", 1, 700)}, 1.1).at(0).delivered_B, 700U) << "a new socket counts from 0";
    const auto gone = update({}, 1.2);
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(gone[0].peer, 2);
    EXPECT_EQ(gone[0].delivered_B, 700U);
    EXPECT_EQ(gone[0].in_flight_B, 0U);
    EXPECT_TRUE(update({}, 1.3).empty());
    EXPECT_EQ(update({socket_to("10.0.0.3", 2, 50)}, 1.4).at(0).delivered_B, 750U);
    EXPECT_DOUBLE_EQ(table.last_active_s(), 1.4);
}

TEST_F(Flows, CountsWhatThePeerSends) {
    const auto receiver = [](std::uint64_t cookie, std::uint64_t received_B) {
        TcpSocket socket = socket_to("10.0.0.2", cookie, 0);
        socket.received_B = received_B;
        return socket;
    };
    EXPECT_EQ(update({receiver(1, 5000)}, 1.0).at(0).received_B, 0U) << "what came before the agent ran";
    EXPECT_EQ(update({receiver(1, 5600), receiver(2, 30)}, 1.1).at(0).received_B, 630U);
    EXPECT_EQ(update({receiver(2, 40)}, 1.2).at(0).received_B, 640U) << "of closed sockets too";
}

TEST_F(Flows, OthersSocketsDoNotCount) {
    TcpSocket other_user = socket_to("10.0.0.2", 1, 10);
    other_user.uid = 0;
    TcpSocket agents = socket_to("10.0.0.2", 2, 10);
    agents.remote_port = 47011;
    TcpSocket served = socket_to("10.0.0.2", 3, 10);
    served.local_port = 47011;
    EXPECT_TRUE(
        update({other_user, agents, served, socket_to("10.9.9.9", 4, 10), socket_to("10.0.0.1", 5, 10)}, 1.0).empty());
}

TEST_F(Flows, LimitedByTheNetworkOnly) {
    const auto limited = [this](double busy_s, double held_up_s, bool app_limited) {
        FlowTable fresh(config);
        TcpSocket socket = socket_to("10.0.0.2", 1, 0);
        fresh.update(std::vector{socket}, 1.0);
        socket.acked_B = 1000;
        socket.busy_s = busy_s;
        socket.held_up_s = held_up_s;
        socket.app_limited = app_limited;
        return fresh.update(std::vector{socket}, 1.1).at(0).network_limited;
    };
    EXPECT_TRUE(limited(0.1, 0.0, false));
    EXPECT_FALSE(limited(0.05, 0.0, false));
    EXPECT_FALSE(limited(0.1, 0.05, false));
    EXPECT_FALSE(limited(0.1, 0.0, true));
}

/// Sockets that are busy at the same time share what the pair gets.
TEST_F(Flows, AddsUpTheTimeOfTheBusiest) {
    FlowTable fresh(config);
    std::vector<TcpSocket> sockets{socket_to("10.0.0.2", 1, 0), socket_to("10.0.0.2", 2, 0)};
    sockets[0].busy_s = 3.0;
    EXPECT_DOUBLE_EQ(fresh.update(sockets, 1.0).at(0).busy_s, 0.0) << "before the agent ran";
    sockets[0].busy_s = 3.02;
    sockets[1].busy_s = 0.03;
    EXPECT_DOUBLE_EQ(fresh.update(sockets, 1.04).at(0).busy_s, 0.03);
    sockets[0].busy_s = 3.04;
    EXPECT_DOUBLE_EQ(fresh.update(sockets, 1.08).at(0).busy_s, 0.05);
    sockets[0].busy_s = 4.0;
    EXPECT_DOUBLE_EQ(fresh.update(sockets, 1.12).at(0).busy_s, 0.09) << "not longer than the time that passed";
}

TEST_F(Flows, TheFastestDeliveryOfThoseThatMovedBytes) {
    FlowTable fresh(config);
    std::vector<TcpSocket> sockets{socket_to("10.0.0.2", 1, 0), socket_to("10.0.0.2", 2, 0),
                                   socket_to("10.0.0.2", 3, 0)};
    sockets[0].delivery_bps = 5e6;
    sockets[1].delivery_bps = 7e6;
    sockets[2].delivery_bps = 9e6;
    EXPECT_DOUBLE_EQ(fresh.update(sockets, 1.0).at(0).delivery_bps, 0.0);
    sockets[0].acked_B = sockets[1].acked_B = 1000;
    EXPECT_DOUBLE_EQ(fresh.update(sockets, 1.1).at(0).delivery_bps, 7e6) << "what is left of an idle one is old";
}

}  // namespace
}  // namespace fairlead::agent
