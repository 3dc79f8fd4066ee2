// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/tcp.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::sim {

namespace {

constexpr double kLeast_s = 1e-3;  // to notice a loss
constexpr double kTail_s = 2e-3;   // with two round trips: the tail loss probe of Linux (RFC 8985, 7.2)

/// Adds a segment to what was received, and with it those that waited for it.
void receive(Connection& c, Segment segment) {
    if (c.early_B.empty() && segment.begin_B <= c.received_B) {
        c.received_B = std::max(c.received_B, segment.begin_B + segment.size_B);
        return;
    }
    c.early_B.emplace(segment.begin_B, segment.begin_B + segment.size_B);
    for (auto next = c.early_B.begin(); next != c.early_B.end() && next->first <= c.received_B;) {
        c.received_B = std::max(c.received_B, next->second);
        next = c.early_B.erase(next);
    }
}

}  // namespace

Tcp::Tcp(EventQueue& events, Network& network, TcpSettings settings)
    : events_(events), network_(network), settings_(settings) {}

Connection& Tcp::open(EndId source, EndId destination, int job) {
    Connection& connection = connections_.emplace_back();
    connection.source = source;
    connection.destination = destination;
    connection.job = job;
    connection.segment_B = settings_.segment_B;
    connection.window_B = settings_.initial_window_B;
    return connection;
}

void Tcp::push(Connection& c) {
    restart_if_idle(c);
    while (c.has_data() && c.in_flight_B + c.segment_B <= c.window_B + 1.0) {
        const Segment segment = next_segment(c);
        c.in_flight_B += segment.size_B;
        c.last_sent = events_.now();
        network_.send(
            network_.route(c.job, c.source, c.destination), segment.size_B,
            [this, &c, segment, sending = Sending{c.last_sent, c.delivered_B}] { arrived(c, segment, sending); },
            [this, &c, segment] { dropped(c, segment); });
    }
}

Segment Tcp::next_segment(Connection& c) const {
    if (!c.again.empty()) {
        const Segment segment = c.again.front();
        c.again.pop_front();
        return segment;
    }
    const Segment segment{c.sent_B, c.unlimited ? c.segment_B : std::min(c.segment_B, c.wanted_B)};
    if (!c.unlimited) c.wanted_B -= segment.size_B;
    c.sent_B += segment.size_B;
    return segment;
}

void Tcp::restart_if_idle(Connection& c) const {
    if (!c.has_data() || c.in_flight_B >= 1.0 || c.window_B <= settings_.initial_window_B) return;
    const double halvings = std::floor((events_.now() - c.last_sent) / std::max(settings_.idle_s, 2.0 * c.srtt_s));
    if (halvings < 1.0) return;
    c.threshold_B = std::max(c.threshold_B, 0.75 * c.window_B);
    c.window_B = std::max(settings_.initial_window_B, c.window_B * std::exp2(-halvings));
}

void Tcp::arrived(Connection& c, Segment segment, Sending sending) {
    const double before_B = c.received_B;
    receive(c, segment);
    // The acknowledgement queues like data, but is too small to count.
    const double back_s = kStack_s + network_.transit_s(network_.route(c.job, c.destination, c.source));
    events_.at(events_.now() + back_s, [this, &c, segment, sending] { acknowledged(c, segment, sending); });
    if (c.received_B > before_B && c.on_received) c.on_received();
}

void Tcp::acknowledged(Connection& c, Segment segment, Sending sending) {
    const double rtt_s = events_.now() - sending.at;
    c.srtt_s = c.srtt_s > 0.0 ? 0.875 * c.srtt_s + 0.125 * rtt_s : rtt_s;
    c.min_rtt_s = c.min_rtt_s > 0.0 ? std::min(c.min_rtt_s, rtt_s) : rtt_s;
    c.in_flight_B = std::max(0.0, c.in_flight_B - segment.size_B);
    c.delivered_B += segment.size_B;
    const double delivery_bps = 8.0 * (c.delivered_B - sending.delivered_B) / rtt_s;
    if (c.has_data() || delivery_bps > c.delivery_bps) c.delivery_bps = delivery_bps;
    c.acknowledged_to_B = std::max(c.acknowledged_to_B, segment.begin_B + segment.size_B);
    c.window_B += c.window_B < c.threshold_B ? segment.size_B : c.segment_B * segment.size_B / c.window_B;
    c.window_B = std::min(c.window_B, settings_.max_window_B);
    push(c);
    if (c.idle() && c.on_drained) c.on_drained();
}

/// Noticed a round trip later, by acknowledgements of what was sent after it. If there are none, it was the last: then
/// the sender asks once more.
void Tcp::dropped(Connection& c, Segment segment) {
    const double round_trip_s = known_round_trip_s(c);
    events_.at(events_.now() + std::max(round_trip_s, kLeast_s), [this, &c, segment, round_trip_s] {
        if (c.acknowledged_to_B > segment.begin_B) return lost(c, segment);
        const double wait_s = 2.0 * (c.srtt_s > 0.0 ? c.srtt_s : round_trip_s) + kTail_s;
        events_.at(events_.now() + wait_s, [this, &c, segment] { lost(c, segment); });
    });
}

/// Smoothed, or before the first acknowledgement what the handshake has shown.
double Tcp::known_round_trip_s(const Connection& c) const {
    if (c.srtt_s > 0.0) return c.srtt_s;
    return network_.transit_s(network_.route(c.job, c.source, c.destination)) +
           network_.transit_s(network_.route(c.job, c.destination, c.source));
}

void Tcp::lost(Connection& c, Segment segment) {
    c.in_flight_B = std::max(0.0, c.in_flight_B - segment.size_B);
    ++c.retransmits;
    c.again.push_back(segment);
    if (events_.now() - c.last_cut > c.srtt_s) {
        c.window_B = c.threshold_B = std::max(2.0 * c.segment_B, settings_.cut * c.window_B);
        c.last_cut = events_.now();
    }
    push(c);
}

}  // namespace fairlead::sim
