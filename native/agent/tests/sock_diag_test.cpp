// SPDX-License-Identifier: Apache-2.0
#include "sock_diag.hpp"

#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "loopback.hpp"

namespace fairlead::agent {
namespace {

/// A connected pair of TCP sockets on the loopback device.
struct Connection {
    LoopbackListener listener;
    UniqueFd client{socket(AF_INET, SOCK_STREAM, 0)};
    UniqueFd server;

    Connection() {
        connect(client.get(), reinterpret_cast<sockaddr*>(&listener.address), sizeof listener.address);
        server.reset(accept(listener.fd.get(), nullptr, nullptr));
    }
};

TEST(SockDiag, SeesWhatAConnectionDid) {
    Connection connection;
    const std::vector<char> data(10'000);
    ASSERT_EQ(write(connection.client.get(), data.data(), data.size()), 10'000);
    SockDiag diag;
    const auto sockets = diag.established();
    const auto port = ntohs(connection.listener.address.sin_port);
    const auto found = std::find_if(sockets.begin(), sockets.end(),
                                    [port](const TcpSocket& socket) { return socket.remote_port == port; });
    ASSERT_NE(found, sockets.end());
    EXPECT_EQ(found->remote.s_addr, htonl(INADDR_LOOPBACK));
    EXPECT_EQ(found->uid, getuid());
    EXPECT_EQ(found->acked_B + found->in_flight_B, 10'001U) << "the first acknowledgement counts the SYN";
    EXPECT_GT(found->srtt_s, 0.0);
    EXPECT_NE(found->cookie, 0U);
}

TEST(SockDiag, RefreshesTheLivingAndForgetsTheGone) {
    Connection connection;
    SockDiag diag;
    const auto port = ntohs(connection.listener.address.sin_port);
    std::vector<TcpSocket> mine;
    for (const TcpSocket& socket : diag.established()) {
        if (socket.remote_port == port || socket.local_port == port) mine.push_back(socket);
    }
    ASSERT_EQ(mine.size(), 2U);
    ASSERT_EQ(write(connection.client.get(), "hello", 5), 5);
    const auto refreshed = diag.refresh(mine);
    ASSERT_EQ(refreshed.size(), 2U);
    std::uint64_t acked_B = 0;
    for (const TcpSocket& socket : refreshed) {
        EXPECT_TRUE(socket.cookie == mine[0].cookie || socket.cookie == mine[1].cookie);
        if (socket.remote_port == port) acked_B = socket.acked_B + socket.in_flight_B;
    }
    EXPECT_EQ(acked_B, 6U);
    connection.server.reset();
    connection.client.reset();
    EXPECT_TRUE(diag.refresh(mine).empty());
    EXPECT_TRUE(diag.refresh({}).empty());
}

TEST(ParseAnswers, NothingOfItIsTrusted) {
    std::vector<std::uint8_t> datagram(sizeof(nlmsghdr) + sizeof(inet_diag_msg) + 8);
    nlmsghdr header{};
    header.nlmsg_len = static_cast<std::uint32_t>(datagram.size());
    header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    header.nlmsg_seq = 5;
    std::memcpy(datagram.data(), &header, sizeof header);
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::uint8_t> changed = datagram;
        for (int j = 0; j < 4; ++j) changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
        changed.resize(random() % (changed.size() + 1));
        EXPECT_TRUE(parse_answers(changed, 5).sockets.empty()) << "there is no TCP_INFO in it";
    }
}

TEST(ParseAnswers, KernelsErrorIsTold) {
    struct {
        nlmsghdr header;
        nlmsgerr error;
    } message{};
    message.header = {
        .nlmsg_len = sizeof message, .nlmsg_type = NLMSG_ERROR, .nlmsg_flags = 0, .nlmsg_seq = 9, .nlmsg_pid = 0};
    message.error.error = -ENOENT;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(&message), sizeof message);
    EXPECT_EQ(parse_answers(bytes, 9).error, ENOENT);
    EXPECT_EQ(parse_answers(bytes, 9).count, 1U);
    EXPECT_EQ(parse_answers(bytes, 8).count, 0U) << "of another request";
}

}  // namespace
}  // namespace fairlead::agent
