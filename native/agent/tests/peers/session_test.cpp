// SPDX-License-Identifier: Apache-2.0
#include "peers/session.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <future>

#include "measure/bulk.hpp"
#include "measure/pingpong.hpp"
#include "process/clock.hpp"
#include "tests/keys.hpp"
#include "tests/loopback.hpp"

namespace fairlead::agent {
namespace {
constexpr double kRounding_s = 2e-9;  // times are whole nanoseconds

/// Both ends of a TCP connection on the loopback device.
struct Pair {
    Cancellation cancellation;
    LoopbackListener listener;

    Stream client(double time_s = 5.0) {
        const Address own(listener.address.sin_addr);
        const SocketAddress place(own, ntohs(listener.address.sin_port));
        return Stream::connect(own, place, 1.0, cancellation, monotonic_s() + time_s);
    }
    Stream server(double time_s = 5.0) {
        return Stream(UniqueFd(accept4(listener.fd.get(), nullptr, nullptr, SOCK_NONBLOCK)), cancellation,
                      monotonic_s() + time_s);
    }
};

struct Accepted {
    Session session;
    SessionRequest request;
};

/// The server's whole part of the opening.
Accepted accept_session(Stream stream, const SecretKey& key, Ends ends) {
    const Nonce challenge = random_nonce();
    stream.write_all(challenge);
    ClientProof proof;
    stream.read_exact(proof);
    const ProvenRequest proven = verify(key, ends, challenge, proof);
    return {Session::answer(std::move(stream), key, proven), proven.request};
}

const SessionRequest kPingPong{
    .kind = SessionKind::pingpong, .timeout_ms = 5000, .exchanges = 12, .warmup = 2, .sizes_B = {1, 100'000}};

TEST(Session, PingPongBothWays) {
    Pair pair;
    const Clock clock({.offset_s = 3.0, .drift = 0.0, .origin_ns = 0});
    auto served = std::async(std::launch::async, [&] {
        auto [session, request] = accept_session(pair.server(), key_of(1), {0, 1});
        EXPECT_EQ(request, kPingPong);
        pong(session, request, clock);
    });
    const Clock own({});
    Session session = Session::open(pair.client(), key_of(1), {0, 1}, kPingPong);
    const auto samples = ping(session, kPingPong, own);
    served.get();
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_EQ(samples[1].size_B, 100'000U);
    for (const PingPongSamples& size : samples) {
        ASSERT_EQ(size.round_trip_s.size(), 10U);
        ASSERT_EQ(size.received_ns.size(), 10U);
        for (std::size_t i = 0; i < 10; ++i) {
            const double apart_s = static_cast<double>(size.received_ns[i] - size.sent_ns[i]) * 1e-9;
            EXPECT_GT(apart_s, 3.0) << "the responder's clock is 3 s ahead";
            EXPECT_LE(apart_s, 3.0 + size.round_trip_s[i] + kRounding_s);
        }
    }
}

/// What this end's program has handed over and the kernel has sent, every byte once.
std::uint64_t written_B(int fd) {
    tcp_info info{};
    socklen_t length = sizeof info;
    EXPECT_EQ(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length), 0);
    return info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
}

TEST(Session, BulkCountsEveryByte) {
    Pair pair;
    const SessionRequest request{
        .kind = SessionKind::bulk, .timeout_ms = 5000, .exchanges = 0, .warmup = 0, .sizes_B = {}};
    auto served = std::async(std::launch::async, [&] {
        auto accepted = accept_session(pair.server(), key_of(1), {0, 1});
        receive_bulk(accepted.session);
    });
    std::vector<Session> sessions;
    sessions.push_back(Session::open(pair.client(), key_of(1), {0, 1}, request));
    const int fd = sessions[0].stream().fd();
    const std::uint64_t opening_B = written_B(fd);
    const double start = monotonic_s();
    const auto arrivals = send_bulk(sessions, 0.05, pair.cancellation);
    const double took_s = monotonic_s() - start;
    served.get();
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_GT(arrivals[0].bytes_B, 128 * 1024U) << "more than one write";
    EXPECT_EQ(arrivals[0].bytes_B, written_B(fd) - opening_B);
    EXPECT_GT(arrivals[0].first_B, 0U);
    EXPECT_LT(arrivals[0].first_B, arrivals[0].bytes_B);
    const BulkResult result = combine(arrivals);
    EXPECT_EQ(result.bytes_B, arrivals[0].bytes_B);
    EXPECT_GT(result.duration_s, 0.0);
    EXPECT_LE(result.duration_s, took_s);
    EXPECT_GE(took_s, 0.05);
    EXPECT_NEAR(result.rate_bps * result.duration_s / 8.0, static_cast<double>(result.bytes_B - arrivals[0].first_B),
                1.0);
}

TEST(Bulk, StreamsAreTakenTogether) {
    const std::vector<StreamArrival> streams{
        {1000, 100, 2'000'000'000, 3'000'000'000}, {500, 50, 1'000'000'000, 2'500'000'000}, {}};
    const BulkResult result = combine(streams);
    EXPECT_EQ(result.bytes_B, 1500U);
    EXPECT_DOUBLE_EQ(result.duration_s, 2.0);
    EXPECT_DOUBLE_EQ(result.rate_bps, 8.0 * (1500 - 50) / 2.0);
    EXPECT_THROW(combine(std::vector<StreamArrival>{{}, {}}), StreamError);
}

/// What the server says to a client that opens with `open`.
template <typename Open>
void expect_refused(Open open) {
    Pair pair;
    auto served = std::async(std::launch::async, [&] { accept_session(pair.server(), key_of(1), {0, 1}); });
    open(pair);
    EXPECT_THROW(served.get(), StreamError);
}

TEST(Session, OthersAreRefused) {
    expect_refused([](Pair& pair) {
        EXPECT_THROW(Session::open(pair.client(), key_of(2), {0, 1}, kPingPong), StreamError);
    });
    expect_refused([](Pair& pair) {  // the right key, but another host than its address says
        EXPECT_THROW(Session::open(pair.client(), key_of(1), {2, 1}, kPingPong), StreamError);
    });
    expect_refused([](Pair& pair) {  // made for another server
        EXPECT_THROW(Session::open(pair.client(), key_of(1), {0, 2}, kPingPong), StreamError);
    });
    expect_refused([](Pair& pair) {
        SessionRequest huge = kPingPong;
        huge.sizes_B = {std::uint64_t{1} << 60};
        EXPECT_THROW(Session::open(pair.client(), key_of(1), {0, 1}, huge), StreamError);
    });
    expect_refused([](Pair& pair) { pair.client().finish_writing(); });
}

TEST(Session, AServerWithoutTheSecretIsFoundOut) {
    Pair pair;
    auto served = std::async(std::launch::async, [&] {
        Stream stream = pair.server();
        stream.write_all(std::vector<std::uint8_t>(32));
        std::vector<std::uint8_t> request(kRequest_B + 32);
        stream.read_exact(request);
        stream.write_all(std::vector<std::uint8_t>(32));
    });
    EXPECT_THROW(Session::open(pair.client(), key_of(1), {0, 1}, kPingPong), HandshakeError);
    served.get();
}

TEST(Session, ASilentServerCostsBoundedTime) {
    Pair pair;
    const double start = monotonic_s();
    EXPECT_THROW(Session::open(pair.client(0.2), key_of(1), {0, 1}, kPingPong), StreamError);
    EXPECT_LT(monotonic_s() - start, 2.0);
}

TEST(Session, CancellationWakesAWaiter) {
    Pair pair;
    auto waiting = std::async(std::launch::async, [&] {
        Stream stream = pair.client();
        std::vector<std::uint8_t> byte(1);
        stream.read_exact(byte);
    });
    const Stream server = pair.server();
    pair.cancellation.raise();
    EXPECT_THROW(waiting.get(), StreamError);
}

TEST(Request, RoundTripAndRanges) {
    const Nonce nonce{};
    const RequestBytes bytes = encode_request({3, 4}, nonce, kPingPong);
    const auto decoded = decode_request(bytes);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->ends.client, 3);
    EXPECT_EQ(decoded->ends.server, 4);
    EXPECT_EQ(decoded->request, kPingPong);
    const std::vector<std::pair<std::size_t, std::uint8_t>> bad{{0, 2}, {1, 0},  {1, 3}, {1, 5},
                                                                {6, 0}, {6, 33}, {6, 3}};
    for (const auto& [place, value] : bad) {
        RequestBytes changed = bytes;
        changed[place] = value;
        EXPECT_FALSE(decode_request(changed)) << place << " = " << int{value};
    }
}

}  // namespace
}  // namespace fairlead::agent
