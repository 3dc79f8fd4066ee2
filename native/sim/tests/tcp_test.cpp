// SPDX-License-Identifier: Apache-2.0
// Times that were worked out by hand, with segments of 9000 B.
#include "fairlead/sim/tcp.hpp"

#include <gtest/gtest.h>

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

TEST(Tcp, AWindowGrowsByOneSegmentForEachAcknowledgedAtFirst) {
    // 72 Mbit/s: a segment takes s = 1 ms. The delay d of 50 ms is long against that.
    Net net(wire(72e6, 0.050));
    net.send(12 * 9000);
    net.events.run_until(1.0);
    ASSERT_EQ(net.received_at.size(), 12U);
    // The window holds 4 segments: the k-th arrives after k s + d.
    EXPECT_NEAR(net.received_at[3].first, 4e-3 + 0.050, 1e-9);
    // Each acknowledgement, a round trip later, lets two follow. The eighth of them leaves 8 s after the first
    // acknowledgement, which came after s + 2 d and the time through a kernel.
    EXPECT_NEAR(net.received_at[4].first, 1e-3 + 0.100 + kStack_s + 1e-3 + 0.050, 1e-9);
    EXPECT_NEAR(net.received_at[11].first, 1e-3 + 0.100 + kStack_s + 8e-3 + 0.050, 1e-9);
    EXPECT_DOUBLE_EQ(net.received_at[11].second, 12 * 9000.0);
}

TEST(Tcp, ALongTransferTakesTheTimeOfTheLink) {
    Net net(wire(72e6, 0.5e-3));  // a window of 4 segments is more than the round trip of 1 ms holds
    net.send(9e6);
    net.events.run_until(2.0);
    EXPECT_NEAR(net.received_at.back().first, 9e6 * 8 / 72e6 + 0.5e-3, 1e-9);
}

TEST(Tcp, TheLastSegmentIsSentAgainAfterItsSenderAskedOnceMore) {
    // The queue holds 3 segments: of 4 at once the last is dropped, and nothing follows that would tell.
    Net net(wire(72e6, 0.050, 27000));
    const Connection& c = net.send(4 * 9000);
    net.events.run_until(1.0);
    EXPECT_EQ(c.retransmits, 1U);
    // A round trip as a handshake would have shown it then: 3 ms of queue and twice the delay. By then the first two
    // are acknowledged, which is nothing behind the fourth. After two smoothed round trips and 2 ms it is sent again.
    const double first_s = 1e-3 + 0.100 + kStack_s;
    const double second_s = 2e-3 + 0.100 + kStack_s;
    const double again_at = 0.103 + 2 * (0.875 * first_s + 0.125 * second_s) + 2e-3;
    EXPECT_NEAR(net.received_at.back().first, again_at + 1e-3 + 0.050, 1e-9);
    EXPECT_DOUBLE_EQ(c.received_B, 4 * 9000.0);
}

TEST(Tcp, WhatIsBehindAGapIsNotReceivedYet) {
    Net net(wire(72e6, 0.0, 27000), {.segment_B = 9000, .initial_window_B = 45000});
    Connection& c = net.send(9000);
    net.events.run_until(0.1);  // the round trip is known: 1 ms and a kernel's time
    ASSERT_EQ(c.window_B, 54000);
    c.wanted_B = 4 * 9000;
    net.tcp.push(c);  // the fourth does not fit
    net.events.run_until(0.1015);
    c.wanted_B = 9000;  // arrives before the fourth
    net.tcp.push(c);
    net.events.run_until(1.0);
    ASSERT_EQ(net.received_at.size(), 5U) << "the last two at once";
    EXPECT_DOUBLE_EQ(net.received_at[3].second, 4 * 9000.0);
    EXPECT_DOUBLE_EQ(net.received_at[4].second, 6 * 9000.0);
}

TEST(Tcp, AllArrivesInOrderOverALinkThatLoses) {
    Net net(wire(72e6, 1e-3, kNoLimit_B, 0.05));
    const Connection& c = net.send(9e6);
    net.events.run_until(60.0);
    EXPECT_DOUBLE_EQ(c.received_B, 9e6);
    EXPECT_TRUE(c.early_B.empty());
    EXPECT_TRUE(c.idle());
    EXPECT_EQ(c.retransmits, net.network.link(0).lost);
    EXPECT_NEAR(static_cast<double>(c.retransmits), 1000 * 0.05 / 0.95, 4 * 7.4);
}

TEST(Tcp, AWindowShrinksWhileNothingIsSent) {
    Net net(wire(720e6, 10e-3), {.segment_B = 9000, .initial_window_B = 9000});
    Connection& c = net.send(15 * 9000);  // 1, 2, 4 and 8 segments
    net.events.run_until(0.5);
    ASSERT_DOUBLE_EQ(c.window_B, 16 * 9000.0);
    const double last = c.last_sent;
    net.events.run_until(last + 0.45);  // twice 0.2 s, not three times
    c.wanted_B = 9000;
    net.tcp.push(c);
    EXPECT_DOUBLE_EQ(c.window_B, 4 * 9000.0);
    EXPECT_DOUBLE_EQ(c.threshold_B, 1e9) << "no loss was seen yet";
}

TEST(Tcp, StreamsShareALink) {
    for (const int count : {2, 4, 8}) {
        Net net(wire(100e6, 1e-3, 250e3));
        Congestion congestion(net.events, net.network, net.tcp, 1);
        congestion.streams(0, 1, count, 0.0, 60.0);
        net.events.run_until(60.0);
        std::vector<double> bps;
        for (const Connection& c : net.tcp.connections()) bps.push_back(8.0 * c.delivered_B / 60.0);
        EXPECT_NEAR(std::accumulate(bps.begin(), bps.end(), 0.0), 100e6, 1e6) << count << " streams fill it";
        for (const double each : bps) EXPECT_NEAR(each, 100e6 / count, 0.25 * 100e6 / count) << count << " streams";
    }
}

TEST(Congestion, PacedStreamsKeepTheirRate) {
    Net net(wire(100e6, 1e-3, 250e3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.paced(0, 1, 3, 20e6, 100e3, 0.0, 10.0);
    net.events.run_until(11.0);
    EXPECT_NEAR(8.0 * net.network.link(0).carried_B / 10.0, 60e6, 60e6 * 0.02);
}

TEST(Congestion, ADelayEnds) {
    Net net(wire(72e6, 1e-3));
    Congestion congestion(net.events, net.network, net.tcp, 1);
    congestion.delay(0, 5e-3, 0.1, 0.2);
    for (const double when : {0.05, 0.15, 0.25}) net.events.at(when, [&net] { net.send(9000); });
    net.events.run_until(1.0);
    ASSERT_EQ(net.received_at.size(), 3U);
    EXPECT_NEAR(net.received_at[0].first, 0.05 + 2e-3, 1e-9);
    EXPECT_NEAR(net.received_at[1].first, 0.15 + 7e-3, 1e-9);
    EXPECT_NEAR(net.received_at[2].first, 0.25 + 2e-3, 1e-9);
}

}  // namespace
}  // namespace fairlead::sim
