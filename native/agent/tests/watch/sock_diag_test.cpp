// SPDX-License-Identifier: Apache-2.0
#include "watch/sock_diag.hpp"

#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <system_error>

#include "tests/connection.hpp"

namespace fairlead::agent {
namespace {

in_addr number_of_loopback(std::uint32_t number) {
    return {htonl(INADDR_LOOPBACK + number)};
}

Address loopback(std::uint32_t number) {
    return Address(number_of_loopback(number));
}

TEST(SockDiag, SeesWhatAConnectionDid) {
    Connection connection;
    const std::vector<char> data(10'000);
    ASSERT_EQ(write(connection.client.get(), data.data(), data.size()), 10'000);
    SockDiag diag;
    const auto sockets = diag.established();
    const auto port = connection.port();
    const auto found = std::find_if(sockets.begin(), sockets.end(),
                                    [port](const TcpSocket& socket) { return socket.remote_port == port; });
    ASSERT_NE(found, sockets.end());
    EXPECT_EQ(found->remote, loopback(0));
    EXPECT_EQ(found->uid, getuid());
    EXPECT_EQ(found->acked_B + found->in_flight_B, 10'001U) << "the first acknowledgement counts the SYN";
    EXPECT_GT(found->srtt_s, 0.0);
    EXPECT_GE(found->rto_s, 0.2);
    EXPECT_NE(found->cookie, 0U);
}

TEST(SockDiag, RefreshesTheLivingAndForgetsTheGone) {
    Connection connection;
    SockDiag diag;
    const auto port = connection.port();
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

/// It would be taken for a new one later, which moved all that it ever did just now.
TEST(SockDiag, OneThatTheKernelDoesNotTellOfIsNotGone) {
    const Connection connection;
    SockDiag diag;
    std::vector<TcpSocket> mine;
    for (const TcpSocket& socket : diag.established()) {
        if (socket.remote_port == connection.port()) mine.push_back(socket);
    }
    ASSERT_EQ(mine.size(), 1U);
    const std::vector<TcpSocket> known = mine;
    mine[0].family = 255;  // the kernel knows no such family
    EXPECT_THROW(diag.refresh(mine), std::system_error);
    EXPECT_EQ(diag.refresh(known).size(), 1U) << "the next one is another";
}

/// Which of these connections are listed: by the port that they lead to or come from.
std::vector<std::uint16_t> listed(SockDiag& diag, std::initializer_list<const Connection*> connections) {
    std::vector<std::uint16_t> ports;
    for (const TcpSocket& socket : diag.established()) {
        for (const Connection* each : connections) {
            if (socket.remote_port == each->port() || socket.local_port == each->port()) ports.push_back(each->port());
        }
    }
    return ports;
}

TEST(SockDiag, ListsOnlyWhatLeadsToTheAddresses) {
    const Connection near;                               // 127.0.0.1 to 127.0.0.1
    const Connection far(number_of_loopback(8).s_addr);  // 127.0.0.9 to 127.0.0.1
    const std::vector<Address> eighth{loopback(8)};
    SockDiag one(eighth);
    EXPECT_EQ(listed(one, {&near, &far}), std::vector{far.port()}) << "the server's end of it";
    std::vector<Address> many;
    for (std::uint32_t i = 1; i <= 1000; ++i) many.push_back(loopback(i));
    SockDiag of_many(many);
    EXPECT_EQ(listed(of_many, {&near, &far}), std::vector{far.port()});
    many.push_back(loopback(0));
    SockDiag all(many);
    EXPECT_EQ(listed(all, {&near, &far}).size(), 4U);
    SockDiag unfiltered;
    EXPECT_EQ(listed(unfiltered, {&near, &far}).size(), 4U);
}

/// One walk lists both families, and the filter knows mapped addresses.
TEST(SockDiag, ListsSocketsOfIPv6ThatLeadToIPv4) {
    const LoopbackListener listener;
    const UniqueFd client(socket(AF_INET6, SOCK_STREAM, 0));
    sockaddr_in6 mapped{};
    mapped.sin6_family = AF_INET6;
    mapped.sin6_port = listener.address.sin_port;
    ASSERT_EQ(inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr), 1);
    if (client.get() < 0 || connect(client.get(), reinterpret_cast<sockaddr*>(&mapped), sizeof mapped) < 0) {
        GTEST_SKIP() << "no IPv6 here";
    }
    for (const bool filtered : {false, true}) {
        const std::vector<Address> remotes(filtered ? 1 : 0, loopback(0));
        SockDiag diag(remotes);
        const auto sockets = diag.established();
        const auto found = std::ranges::find(sockets, ntohs(listener.address.sin_port), &TcpSocket::remote_port);
        ASSERT_NE(found, sockets.end()) << filtered;
        EXPECT_EQ(found->family, AF_INET6);
        EXPECT_EQ(found->remote, loopback(0));
        EXPECT_EQ(diag.refresh(std::span(&*found, 1)).size(), 1U);
    }
}

TEST(SockDiag, ListsWhatLeadsToAnAddressOfIPv6) {
    const UniqueFd listener(socket(AF_INET6, SOCK_STREAM, 0));
    const UniqueFd client(socket(AF_INET6, SOCK_STREAM, 0));
    SocketAddress place(Address(in6addr_loopback), 0);
    socklen_t length = SocketAddress::kRoom_B;
    if (listener.get() < 0 || bind(listener.get(), place.get(), place.size_B()) < 0) GTEST_SKIP() << "no IPv6 here";
    ASSERT_EQ(listen(listener.get(), 1), 0);
    ASSERT_EQ(getsockname(listener.get(), place.get(), &length), 0);
    ASSERT_EQ(connect(client.get(), place.get(), place.size_B()), 0);
    const Connection of_four;
    for (const bool there : {true, false}) {
        const std::vector<Address> remotes{there ? Address(in6addr_loopback) : Address::parse("fd00:64::9").value(),
                                           loopback(0)};
        SockDiag diag(remotes);
        const auto sockets = diag.established();
        const auto found = std::ranges::find(sockets, place.port(), &TcpSocket::remote_port);
        EXPECT_EQ(found != sockets.end(), there);
        EXPECT_EQ(listed(diag, {&of_four}).size(), 2U) << "a filter may hold both families";
        if (!there) continue;
        EXPECT_EQ(found->remote, place.address());
        EXPECT_EQ(diag.refresh(std::span(&*found, 1)).size(), 1U);
    }
}

TEST(SockDiag, RefreshesMoreThanOneBatch) {
    std::vector<std::unique_ptr<Connection>> connections;
    std::vector<std::uint16_t> ports;
    for (int i = 0; i < 50; ++i) {
        connections.push_back(std::make_unique<Connection>());
        ports.push_back(connections.back()->port());
    }
    SockDiag diag;
    std::vector<TcpSocket> mine;
    for (const TcpSocket& socket : diag.established()) {
        if (std::ranges::find(ports, socket.remote_port) != ports.end()) mine.push_back(socket);
    }
    ASSERT_EQ(mine.size(), 50U);
    connections.resize(49);
    const auto refreshed = diag.refresh(mine);
    ASSERT_EQ(refreshed.size(), 49U);
    for (std::size_t i = 0; i < refreshed.size(); ++i) EXPECT_NE(refreshed[i].remote_port, ports[49]);
}

constexpr std::uint32_t kSequence = 5;

template <typename T>
void append(std::vector<std::uint8_t>& bytes, const T& value) {
    bytes.resize(bytes.size() + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
}

/// 127.0.0.9:80, as the kernel tells it.
inet_diag_msg message_to_peer() {
    inet_diag_msg message{};
    message.idiag_family = AF_INET;
    message.idiag_state = 1;  // established
    message.id.idiag_sport = htons(4000);
    message.id.idiag_dport = htons(80);
    message.id.idiag_dst[0] = htonl(0x7f000009);
    message.id.idiag_cookie[0] = 2;
    message.id.idiag_cookie[1] = 1;
    message.idiag_uid = 1000;
    return message;
}

tcp_info some_info() {
    tcp_info info{};
    info.tcpi_rtt = 1500;
    info.tcpi_min_rtt = 1000;
    info.tcpi_unacked = 10;
    info.tcpi_sacked = 3;
    info.tcpi_lost = 2;
    info.tcpi_retrans = 1;
    info.tcpi_snd_mss = 1000;
    info.tcpi_total_retrans = 7;
    info.tcpi_bytes_acked = 12345;
    info.tcpi_bytes_received = 678;
    info.tcpi_busy_time = 3'000'000;
    info.tcpi_rwnd_limited = 250'000;
    info.tcpi_sndbuf_limited = 500'000;
    info.tcpi_delivery_rate_app_limited = 1;
    info.tcpi_delivery_rate = 25'000'000;
    return info;
}

constexpr std::size_t kInfo_B = sizeof(rtattr) + sizeof(tcp_info);
constexpr std::size_t kWhole_B = sizeof(nlmsghdr) + sizeof(inet_diag_msg) + kInfo_B;

/// message_B and attribute_B are what the lengths in it say; the bytes are always the same.
std::vector<std::uint8_t> answer(const inet_diag_msg& message, const tcp_info& info, std::size_t message_B = kWhole_B,
                                 std::size_t attribute_B = kInfo_B) {
    std::vector<std::uint8_t> bytes;
    append(bytes, nlmsghdr{.nlmsg_len = static_cast<std::uint32_t>(message_B),
                           .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                           .nlmsg_flags = 0,
                           .nlmsg_seq = kSequence,
                           .nlmsg_pid = 0});
    append(bytes, message);
    append(bytes, rtattr{.rta_len = static_cast<std::uint16_t>(attribute_B), .rta_type = INET_DIAG_INFO});
    append(bytes, info);
    return bytes;
}

TEST(ParseAnswers, EveryFieldHasItsValue) {
    const auto bytes = answer(message_to_peer(), some_info());
    ASSERT_EQ(bytes.size(), kWhole_B);
    const DiagAnswers answers = parse_answers(bytes, kSequence);
    EXPECT_EQ(answers.count, 1U);
    EXPECT_EQ(answers.error, 0);
    EXPECT_FALSE(answers.end);
    ASSERT_EQ(answers.sockets.size(), 1U);
    const TcpSocket& socket = answers.sockets[0];
    EXPECT_EQ(socket.family, AF_INET);
    EXPECT_EQ(socket.cookie, 0x100000002U);
    EXPECT_EQ(socket.remote, loopback(8));
    EXPECT_EQ(socket.local_port, 4000);
    EXPECT_EQ(socket.remote_port, 80);
    EXPECT_EQ(socket.uid, 1000U);
    EXPECT_DOUBLE_EQ(socket.srtt_s, 1.5e-3);
    EXPECT_DOUBLE_EQ(socket.min_rtt_s, 1e-3);
    EXPECT_EQ(socket.in_flight_B, 6000U) << "10 - 3 - 2 + 1 segments";
    EXPECT_EQ(socket.acked_B, 12345U);
    EXPECT_EQ(socket.received_B, 678U);
    EXPECT_EQ(socket.retransmits, 7U);
    EXPECT_DOUBLE_EQ(socket.busy_s, 3.0);
    EXPECT_DOUBLE_EQ(socket.held_up_s, 0.75);
    EXPECT_TRUE(socket.app_limited);
    EXPECT_DOUBLE_EQ(socket.delivery_bps, 200e6);
    EXPECT_EQ(parse_answers(bytes, kSequence + 1).count, 0U) << "of another request";
}

TEST(ParseAnswers, OnlyWhatIsConnectedByAddressesOfIp) {
    const auto sockets = [](const inet_diag_msg& message) {
        return parse_answers(answer(message, some_info()), kSequence).sockets;
    };
    inet_diag_msg message = message_to_peer();
    message.idiag_state = 2;
    EXPECT_TRUE(sockets(message).empty()) << "not established";
    message = message_to_peer();
    message.idiag_family = AF_UNIX;
    EXPECT_TRUE(sockets(message).empty()) << "another family";
    message.idiag_family = AF_INET6;
    message.id.idiag_dst[0] = htonl(0xfd000064);
    message.id.idiag_dst[3] = htonl(9);
    ASSERT_EQ(sockets(message).size(), 1U);
    EXPECT_EQ(sockets(message)[0].remote, Address::parse("fd00:64::9"));
    message.id.idiag_dst[0] = 0;
    message.id.idiag_dst[2] = htonl(0xffff);
    message.id.idiag_dst[3] = htonl(0x7f000009);
    ASSERT_EQ(sockets(message).size(), 1U) << "a mapped one";
    EXPECT_EQ(sockets(message)[0].remote, loopback(8));
}

TEST(ParseAnswers, LengthsAreNotTrusted) {
    const auto whole = answer(message_to_peer(), some_info());
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_EQ(parse_answers(cut, kSequence).count, 0U) << "cut at " << length;
    }
    for (std::size_t message_B = 0; message_B < 2 * kWhole_B; ++message_B) {
        const DiagAnswers answers = parse_answers(answer(message_to_peer(), some_info(), message_B), kSequence);
        const bool possible = message_B >= sizeof(nlmsghdr) && message_B <= kWhole_B;
        EXPECT_EQ(answers.count, possible ? 1U : 0U) << message_B;
        EXPECT_EQ(answers.sockets.size(), message_B == kWhole_B ? 1U : 0U) << message_B;
    }
    for (std::size_t attribute_B = 0; attribute_B < 2 * kInfo_B; ++attribute_B) {
        const auto sockets =
            parse_answers(answer(message_to_peer(), some_info(), kWhole_B, attribute_B), kSequence).sockets;
        ASSERT_EQ(sockets.size(), attribute_B >= sizeof(rtattr) && attribute_B <= kInfo_B ? 1U : 0U) << attribute_B;
        if (sockets.empty()) continue;
        // An older kernel's TCP_INFO is shorter: what it does not have is 0.
        tcp_info expected{};
        const tcp_info info = some_info();
        std::memcpy(&expected, &info, attribute_B - sizeof(rtattr));
        EXPECT_DOUBLE_EQ(sockets[0].srtt_s, expected.tcpi_rtt * 1e-6) << attribute_B;
        EXPECT_EQ(sockets[0].acked_B, expected.tcpi_bytes_acked) << attribute_B;
    }
}

TEST(ParseAnswers, NothingOfItIsTrusted) {
    std::vector<std::uint8_t> two;
    for (int i = 0; i < 2; ++i) {
        for (const std::uint8_t byte : answer(message_to_peer(), some_info())) two.push_back(byte);
    }
    EXPECT_EQ(parse_answers(two, kSequence).sockets.size(), 2U);
    std::mt19937 random(1);
    std::size_t found = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::vector<std::uint8_t> changed = two;
        for (int j = 0; j < 4; ++j) changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
        // Copied, so that a sanitizer sees what is read behind the end.
        const auto length = static_cast<std::ptrdiff_t>(random() % (changed.size() + 1));
        const std::vector<std::uint8_t> cut(changed.begin(), changed.begin() + length);
        const DiagAnswers answers = parse_answers(cut, kSequence);
        EXPECT_LE(answers.sockets.size(), answers.count);
        EXPECT_LE(answers.count * sizeof(nlmsghdr), cut.size());
        found += answers.sockets.size();
    }
    EXPECT_GT(found, 5'000U) << "most changes leave an answer that can be read";
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

/// It ends with DONE, as a complete one does.
TEST(ParseAnswers, ADumpThatBrokeOffIsAnError) {
    for (const std::int32_t code : {0, -ENOMEM}) {
        std::vector<std::uint8_t> bytes = answer(message_to_peer(), some_info());
        append(bytes, nlmsghdr{.nlmsg_len = sizeof(nlmsghdr) + sizeof code,
                               .nlmsg_type = NLMSG_DONE,
                               .nlmsg_flags = NLM_F_MULTI,
                               .nlmsg_seq = kSequence,
                               .nlmsg_pid = 0});
        append(bytes, code);
        const DiagAnswers answers = parse_answers(bytes, kSequence);
        EXPECT_TRUE(answers.end);
        EXPECT_EQ(answers.error, -code);
        EXPECT_EQ(answers.sockets.size(), 1U);
    }
}

}  // namespace
}  // namespace fairlead::agent
