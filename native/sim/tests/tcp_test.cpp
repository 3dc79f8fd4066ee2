// SPDX-License-Identifier: Apache-2.0
// Times that were worked out by hand, and what is known of CUBIC.
#include "fairlead/sim/tcp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "fairlead/sim/congestion.hpp"
#include "small_networks.hpp"

namespace fairlead::sim {
namespace {

struct Net {
    explicit Net(Topology topology, TcpSettings settings = {})
        : network(events, std::move(topology), 1, 7), tcp(events, network, settings) {}

    Connection& send(double size_B) {
        Connection& c = tcp.open(0, 1, 0);
        c.wanted_B = size_B;
        c.on_received = [this, &c] { received_at.emplace_back(events.now(), c.received_B); };
        tcp.push(c);
        return c;
    }

    EventQueue events;
    Network network;
    Tcp tcp;
    std::vector<std::pair<double, double>> received_at;  ///< when, how much by then
};

// A packet takes 1 ms.
constexpr double kPacketRate_bps = 8e3 * (kPacket_B + kHeader_B);
constexpr TcpSettings kPacketByPacket{.segment_B = kPacket_B};

TEST(Tcp, AWindowGrowsByOnePacketForEachAcknowledgedAtFirst) {
    // The delay d of 50 ms is long against the time of a packet.
    Net net(wire(kPacketRate_bps, 0.050), kPacketByPacket);
    net.send(30 * kPacket_B);
    net.events.run_until(1.0);
    ASSERT_EQ(net.received_at.size(), 30U);
    // The window holds 10: the k-th arrives after k ms + d.
    EXPECT_NEAR(net.received_at[9].first, 10e-3 + 0.050, 1e-9);
    // Each acknowledgement, a round trip later, lets two follow. The 20th of them leaves 20 ms after the first
    // acknowledgement, which came after 1 ms + 2 d and the time through a kernel.
    EXPECT_NEAR(net.received_at[10].first, 1e-3 + 0.100 + kStack_s + 1e-3 + 0.050, 1e-9);
    EXPECT_NEAR(net.received_at[29].first, 1e-3 + 0.100 + kStack_s + 20e-3 + 0.050, 1e-9);
    EXPECT_DOUBLE_EQ(net.received_at[29].second, 30 * kPacket_B);
}

TEST(Tcp, ALongTransferTakesTheTimeOfTheLink) {
    Net net(wire(kPacketRate_bps, 0.5e-3));  // a window of 10 packets is more than the round trip holds
    net.send(1000 * kPacket_B);
    net.events.run_until(2.0);
    EXPECT_NEAR(net.received_at.back().first, 1.0 + 0.5e-3, 1e-9);
}

TEST(Tcp, ALostTailIsFoundByAProbe) {
    // The queue holds 9 packets: of 10 at once the last is dropped, and nothing follows that would tell.
    Net net(wire(kPacketRate_bps, 0.050, 9.5 * wire_B(kPacket_B)), kPacketByPacket);
    const Connection& c = net.send(10 * kPacket_B);
    net.events.run_until(0.155);
    ASSERT_EQ(c.retransmits, 0U);
    const double srtt_s = c.srtt_s;  // 0.1 s and up to 9 ms
    net.events.run_until(1.0);
    EXPECT_EQ(c.retransmits, 1U);
    // Since the ninth acknowledgement it is known that something is missing: a single packet that may be acknowledged
    // late. Two round trips and 0.2 s are longer than the time-out, a round trip and 0.2 s.
    const double ninth_at = 9e-3 + 0.100 + kStack_s;
    EXPECT_NEAR(net.received_at.back().first, ninth_at + srtt_s + 0.2 + 1e-3 + 0.050, 1e-6);
    EXPECT_DOUBLE_EQ(c.received_B, 10 * kPacket_B);
}

TEST(Tcp, ALostTailOfSeveralPacketsTakesTwoRoundTrips) {
    // 8 of 10 fit.
    Net net(wire(kPacketRate_bps, 0.010, 8.5 * wire_B(kPacket_B)), kPacketByPacket);
    const Connection& c = net.send(10 * kPacket_B);
    net.events.run_until(8e-3 + 0.020 + kStack_s + 1e-6);  // the eighth is acknowledged
    ASSERT_EQ(c.flights.size(), 2U);
    const double srtt_s = c.srtt_s;
    net.events.run_until(1.0);
    // The probe is the last packet. Its acknowledgement shows that the one before is missing.
    EXPECT_EQ(c.retransmits, 2U);
    const double probe_at = 8e-3 + 0.020 + kStack_s + 2 * srtt_s + 4e-3;
    EXPECT_NEAR(net.received_at.back().first, probe_at + 1e-3 + 0.020 + kStack_s + 1e-3 + 0.010, 1e-6);
}

TEST(Tcp, TimeoutsDouble) {
    Net net(wire(kPacketRate_bps, 0.010, 0.5 * kPacket_B), kPacketByPacket);  // no packet fits
    const Connection& c = net.send(kPacket_B);
    // The handshake's round trip and 0.2 s.
    const double timeout_s = 0.020 + kStack_s + 0.2;
    for (const auto& [doublings, after] : {std::pair{0, 1.0}, {1, 3.0}, {2, 7.0}, {3, 15.0}}) {
        net.events.run_until(after * timeout_s - 1e-6);
        EXPECT_EQ(c.retransmits, static_cast<std::uint64_t>(doublings));
        net.events.run_until(after * timeout_s + 1e-6);
        EXPECT_EQ(c.retransmits, static_cast<std::uint64_t>(doublings) + 1) << after;
    }
    EXPECT_DOUBLE_EQ(c.cubic.window_B(), kPacket_B);
}

TEST(Tcp, WhatIsBehindAGapIsNotReceivedYet) {
    Net net(wire(kPacketRate_bps, 0.010, 5.5 * wire_B(kPacket_B)), kPacketByPacket);
    Connection& c = net.send(6 * kPacket_B);  // the sixth does not fit
    net.events.run_until(2.5e-3);
    c.wanted_B = 2 * kPacket_B;
    net.tcp.push(c);  // these do
    net.events.run_until(1.0);
    ASSERT_EQ(net.received_at.size(), 6U) << "the last three at once";
    EXPECT_DOUBLE_EQ(net.received_at[4].second, 5 * kPacket_B);
    EXPECT_DOUBLE_EQ(net.received_at[5].second, 8 * kPacket_B);
    EXPECT_EQ(c.retransmits, 1U);
    // The sixth is known to be lost when the seventh is acknowledged, 6 ms and a round trip after the start.
    EXPECT_NEAR(net.received_at[5].first, 6e-3 + 0.020 + kStack_s + 1e-3 + 0.010, 1.1e-3);
}

/// Segments of eight packets would never fit into it.
TEST(Tcp, SegmentsFitIntoASmallQueue) {
    Net net(wire(72e6, 1e-3, 8 * wire_B(kPacket_B) - 1));
    const Connection& c = net.send(1e6);
    EXPECT_EQ(c.segment_B, kPacket_B);
    net.events.run_until(5.0);
    EXPECT_DOUBLE_EQ(c.received_B, 1e6);
    EXPECT_EQ(Net(wire(72e6, 1e-3, 32 * wire_B(kPacket_B))).send(1e6).segment_B, 8 * kPacket_B);
}

/// Lost as one, eight packets would be one loss: windows would be nearly three times as large as RFC 9438 has them.
TEST(Tcp, PacketsAreLostOneByOne) {
    Net net(wire(10e9, 5e-3, kNoLimit_B, 3e-3), {.max_window_B = 1e9});
    Connection& c = net.tcp.open(0, 1, kForeign);
    c.unlimited = true;
    net.tcp.push(c);
    net.events.run_until(200.0);
    EXPECT_NEAR(c.delivered_B / kPacket_B * 10e-3 / 200.0, std::sqrt(1.5 / 3e-3), 0.2 * std::sqrt(1.5 / 3e-3));
}

TEST(Tcp, AllArrivesInOrderOverALinkThatLoses) {
    Net net(wire(72e6, 1e-3, kNoLimit_B, 0.05), kPacketByPacket);
    const Connection& c = net.send(1000 * kPacket_B);
    net.events.run_until(60.0);
    EXPECT_DOUBLE_EQ(c.received_B, 1000 * kPacket_B);
    EXPECT_TRUE(c.early_B.empty());
    EXPECT_TRUE(c.idle());
    EXPECT_NEAR(c.in_flight_B, 0.0, 1e-6);
    EXPECT_GE(c.retransmits, net.network.link(0).lost) << "a time-out may send again what was not lost";
    EXPECT_LE(c.retransmits, net.network.link(0).lost + 20);
}

TEST(Tcp, AWindowShrinksWhileNothingIsSent) {
    Net net(wire(720e6, 10e-3), kPacketByPacket);
    Connection& c = net.send(150 * kPacket_B);  // 10, 20, 40 and 80 packets
    net.events.run_until(0.5);
    const double before_B = c.cubic.window_B();
    ASSERT_NEAR(before_B, 160 * kPacket_B, 3 * kPacket_B) << "the last did not need it";
    net.events.run_until(c.last_sent + 2.5 * c.timeout_s);
    c.wanted_B = kPacket_B;
    net.tcp.push(c);
    EXPECT_DOUBLE_EQ(c.cubic.window_B(), before_B / 4);
    EXPECT_GE(c.cubic.threshold_B(), 0.75 * before_B);
}

/// Packets on their way at once, in the mean over `seconds`.
double mean_window(double rtt_s, double loss, double seconds) {
    Net net(wire(10e9, rtt_s / 2, kNoLimit_B, loss), {.segment_B = kPacket_B, .max_window_B = 1e9});
    Connection& c = net.tcp.open(0, 1, kForeign);
    c.unlimited = true;
    net.tcp.push(c);
    net.events.run_until(10.0);
    const double before_B = c.delivered_B;
    net.events.run_until(10.0 + seconds);
    return (c.delivered_B - before_B) / kPacket_B * rtt_s / seconds;
}

TEST(Tcp, ThroughputOverLossIsThatOfCubic) {
    // RFC 9438, 5.1: 1.054 (RTT / p)^0.75 packets where losses are seldom and round trips long ...
    for (const auto& [rtt_s, loss] : {std::pair{0.1, 1e-4}, {0.1, 3e-4}}) {
        const double expected = 1.054 * std::pow(rtt_s / loss, 0.75);
        EXPECT_NEAR(mean_window(rtt_s, loss, 1000.0), expected, 0.2 * expected) << rtt_s << " s, " << loss;
    }
    // ... and Reno's sqrt(1.5 / p) where it is more.
    for (const auto& [rtt_s, loss] : {std::pair{0.01, 1e-3}, {0.01, 3e-3}}) {
        const double expected = std::sqrt(1.5 / loss);
        EXPECT_NEAR(mean_window(rtt_s, loss, 200.0), expected, 0.2 * expected) << rtt_s << " s, " << loss;
    }
}

/// Times at which a window was cut, of a stream over a link with a queue.
std::vector<double> cuts(double rate_bps, double delay_s, double queue_s, double until) {
    Net net(wire(rate_bps, delay_s, queue_s * rate_bps / 8), {.segment_B = kPacket_B, .max_window_B = 1e9});
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.streams(0, 1, 1, 0.0, 1e9);
    std::vector<double> found;
    bool open = true;
    for (double t = 0.0; t < until; t += 1e-3) {
        net.events.run_until(t);
        const bool now_open = net.tcp.connections().front().phase == Connection::Phase::open;
        if (open && !now_open) found.push_back(t);
        open = now_open;
    }
    return found;
}

TEST(Tcp, ASawtoothHasThePeriodOfTheCurve) {
    // A round trip of 0.1 s without the queue, and a window W of 350 packets with it: the curve comes back to W after
    // K = (0.3 W / 0.4)^(1/3) s, and needs about as long until it leaves the plateau by a few packets.
    const double rate_bps = 8 * 3000 * wire_B(kPacket_B);
    const std::vector<double> at = cuts(rate_bps, 0.05, 0.017, 120.0);
    ASSERT_GE(at.size(), 6U);
    const double period_s = (at.back() - at[at.size() - 5]) / 4;
    const double curve_s = std::cbrt(0.3 * 350 / 0.4);
    EXPECT_GT(period_s, 0.9 * curve_s);
    EXPECT_LT(period_s, 1.6 * curve_s);
}

TEST(Tcp, ASawtoothOfAShortPathIsThatOfReno) {
    // The queue is most of the round trip, 20 ms of 66 packets: as with Reno the window grows by 0.53 packets a round
    // trip, from 46 to 66 packets in 38 round trips of 14 to 20 ms.
    const std::vector<double> at = cuts(8 * 3300 * wire_B(kPacket_B), 50e-6, 0.020, 60.0);
    ASSERT_GE(at.size(), 20U);
    const double period_s = (at.back() - at[at.size() - 11]) / 10;
    EXPECT_NEAR(period_s, 20 / 0.53 * 0.017, 0.15 * 20 / 0.53 * 0.017);
}

/// Acknowledgements of each wait behind the data of the other, and the queue of the smaller window is empty. In a lab
/// (Linux 6.18, 50 Mbit/s, a queue of 20 ms) each window grew from 58 to 82 packets in 0.83 s, with smoothed round
/// trips of 13.4 to 20.5 ms, and the queue was empty for 7 % of the time.
TEST(Tcp, StreamsAgainstEachOtherHaveTheWindowsOfALab) {
    Net net(wire(50e6, 50e-6, 125e3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.streams(0, 1, 1, 0.0, 1e9);
    congestion.streams(1, 0, 1, 0.0, 1e9);
    const Connection& c = net.tcp.connections().front();
    std::vector<double> cut_at;
    std::vector<double> packets;
    int empty = 0;
    double before = 0.0;
    double least_s = 1.0;
    for (double t = 10.0; t < 70.0; t += 1e-3) {
        net.events.run_until(t);
        empty += net.network.link(0).backlog_s(t) < 0.2e-3;
        least_s = std::min(least_s, c.srtt_s);
        const double now = c.cubic.window_B() / kPacket_B;
        if (c.phase == Connection::Phase::recovery && (cut_at.empty() || t - cut_at.back() > 0.2)) {
            cut_at.push_back(t);
            packets.push_back(before);
        }
        before = now;
    }
    ASSERT_GT(cut_at.size(), 20U);
    const auto count = static_cast<double>(cut_at.size());
    const double period_s = (cut_at.back() - cut_at.front()) / (count - 1);
    const double largest = std::accumulate(packets.begin(), packets.end(), 0.0) / count;
    EXPECT_NEAR(period_s, 0.83, 0.1);
    EXPECT_NEAR(largest, 82, 4);
    EXPECT_NEAR(least_s, 13.4e-3, 1.5e-3);
    EXPECT_GT(empty, 0.02 * 6e4);
}

TEST(Tcp, WhatWasOnlyOvertakenCostsNoWindow) {
    Net net(wire(kPacketRate_bps * 10, 1e-3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.delay(0, 50e-3, 0.0, 0.5);  // when it ends, later packets arrive before those under way
    congestion.streams(0, 1, 1, 0.0, 1.0);
    net.events.run_until(0.499);
    const Connection& c = net.tcp.connections().front();
    const double before_B = c.cubic.window_B();
    ASSERT_EQ(c.retransmits, 0U);
    net.events.run_until(0.7);
    EXPECT_GT(c.retransmits, 0U) << "they were taken for lost";
    EXPECT_EQ(c.phase, Connection::Phase::open);
    EXPECT_GE(c.cubic.window_B(), before_B);
}

TEST(Tcp, StreamsShareALink) {
    for (const int count : {2, 4, 8}) {
        Net net(wire(100e6, 1e-3, 250e3));
        Congestion congestion(net.events, net.network, net.tcp, 1);
        congestion.streams(0, 1, count, 0.0, 60.0);
        net.events.run_until(60.0);
        std::vector<double> bps;
        for (const Connection& c : net.tcp.connections()) bps.push_back(8.0 * c.delivered_B / 60.0);
        EXPECT_NEAR(std::accumulate(bps.begin(), bps.end(), 0.0), 100e6 * kPacket_B / wire_B(kPacket_B), 1e6)
            << count << " streams fill it";
        for (const double each : bps) EXPECT_NEAR(each, 100e6 / count, 0.25 * 100e6 / count) << count << " streams";
    }
}

TEST(Congestion, PacedStreamsKeepTheirRate) {
    Net net(wire(100e6, 1e-3, 250e3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.paced(0, 1, 3, 20e6, 100e3, 0.0, 10.0);
    net.events.run_until(11.0);
    EXPECT_NEAR(8.0 * net.network.link(0).carried_B / 10.0 * 100e3 / wire_B(100e3), 60e6, 60e6 * 0.02);
}

/// Streams begin at some moment of the first millisecond: a shorter period may be over by then.
TEST(Congestion, AShortPeriodEnds) {
    Net net(wire(100e6, 1e-3, 250e3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.streams(0, 1, 4, 0.1, 0.1 + 1e-6);
    net.events.run_until(1.0);
    for (const Connection& c : net.tcp.connections()) EXPECT_TRUE(c.idle());
    EXPECT_EQ(net.network.link(0).carried_B, 0.0);
}

TEST(Congestion, APeriodWithoutEndTakesNoMemory) {
    Net net(wire(100e6, 1e-3, 250e3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.paced(0, 1, 1, 80e6, 1e3, 0.0, 1e9);  // 10^13 blocks
    net.events.run_until(1.0);
    EXPECT_NEAR(net.tcp.connections().front().delivered_B, 10e6, 0.5e6);
}

TEST(Congestion, ProgramsWithMessagesOfTwoSizesDoNotMeet) {
    Net net(wire(100e6, 1e-3, 250e3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.messages(0, 1, 1e3, 0.0, 0.5);
    congestion.messages(1, 0, 30e3, 0.3, 0.6);
    EXPECT_NO_THROW(net.events.run_until(1.0));
    EXPECT_EQ(net.tcp.connections().size(), 4U) << "one each way for either";
    for (const Connection& c : net.tcp.connections()) EXPECT_TRUE(c.idle());
}

TEST(Congestion, ADelayEnds) {
    Net net(wire(72e6, 1e-3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.delay(0, 5e-3, 0.1, 0.2);
    for (const double when : {0.05, 0.15, 0.25}) net.events.at(when, [&net] { net.send(9000); });
    net.events.run_until(1.0);
    ASSERT_EQ(net.received_at.size(), 3U);
    const double packet_s = 8 * wire_B(9000) / 72e6;
    EXPECT_NEAR(net.received_at[0].first, 0.05 + packet_s + 1e-3, 1e-9);
    EXPECT_NEAR(net.received_at[1].first, 0.15 + packet_s + 6e-3, 1e-9);
    EXPECT_NEAR(net.received_at[2].first, 0.25 + packet_s + 1e-3, 1e-9);
}

}  // namespace
}  // namespace fairlead::sim
