// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/tcp.hpp"

#include <algorithm>

namespace fairlead::sim {

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
    while ((c.unlimited || c.wanted_B > 0.0) && c.in_flight_B + c.segment_B <= c.window_B + 1.0) {
        const double size_B = c.unlimited ? c.segment_B : std::min(c.segment_B, c.wanted_B);
        if (!c.unlimited) c.wanted_B -= size_B;
        c.in_flight_B += size_B;
        const double sent_at = events_.now();
        network_.send(
            network_.route(c.job, c.source, c.destination), size_B,
            [this, &c, size_B, sent_at] {
                // Its acknowledgement queues like data, but is too small to count.
                const double back_s = kStack_s + network_.transit_s(network_.route(c.job, c.destination, c.source));
                events_.at(events_.now() + back_s, [this, &c, size_B, sent_at] { acknowledged(c, size_B, sent_at); });
            },
            [this, &c, size_B] {
                // Noticed when later segments are acknowledged.
                events_.at(events_.now() + std::max(c.srtt_s, 1e-3), [this, &c, size_B] { lost(c, size_B); });
            });
    }
}

void Tcp::acknowledged(Connection& c, double size_B, double sent_at) {
    const double rtt_s = events_.now() - sent_at;
    c.srtt_s = c.srtt_s > 0.0 ? 0.875 * c.srtt_s + 0.125 * rtt_s : rtt_s;
    c.min_rtt_s = c.min_rtt_s > 0.0 ? std::min(c.min_rtt_s, rtt_s) : rtt_s;
    c.in_flight_B = std::max(0.0, c.in_flight_B - size_B);
    c.delivered_B += size_B;
    c.window_B += c.window_B < c.threshold_B ? size_B : c.segment_B * size_B / c.window_B;
    c.window_B = std::min(c.window_B, settings_.max_window_B);
    push(c);
    if (!c.unlimited && c.wanted_B <= 0.0 && c.in_flight_B < 1.0 && c.on_drained) c.on_drained();
}

void Tcp::lost(Connection& c, double size_B) {
    c.in_flight_B = std::max(0.0, c.in_flight_B - size_B);
    ++c.retransmits;
    if (!c.unlimited) c.wanted_B += size_B;
    if (events_.now() - c.last_cut > c.srtt_s) {
        c.window_B = c.threshold_B = std::max(2.0 * c.segment_B, settings_.cut * c.window_B);
        c.last_cut = events_.now();
    }
    push(c);
}

}  // namespace fairlead::sim
