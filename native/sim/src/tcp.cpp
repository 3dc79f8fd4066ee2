// SPDX-License-Identifier: Apache-2.0
// Segments on their way, and acknowledgements of them.
#include "fairlead/sim/tcp.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::sim {

namespace {

constexpr double kDeferShare = 1.0 / 3.0;  // of the window: less room waits for more (Linux's tcp_tso_win_divisor)
constexpr double kByte = 1.0;              // less is a rounding

/// Adds a segment to what was received, and with it those that waited for it.
void receive(Connection& c, Segment segment) {
    const double end_B = segment.begin_B + segment.size_B;
    if (c.early_B.empty() && segment.begin_B <= c.received_B) {
        c.received_B = std::max(c.received_B, end_B);
        return;
    }
    double& known_B = c.early_B[segment.begin_B];
    known_B = std::max(known_B, end_B);
    for (auto next = c.early_B.begin(); next != c.early_B.end() && next->first <= c.received_B;) {
        c.received_B = std::max(c.received_B, next->second);
        next = c.early_B.erase(next);
    }
}

}  // namespace

Tcp::Tcp(EventQueue& events, Network& network, TcpSettings settings)
    : events_(events), network_(network), settings_(settings) {
    settings_.segment_B = std::min(settings_.segment_B, network.most_at_once_B());
}

Connection& Tcp::open(EndId source, EndId destination, int job) {
    Connection& opened = connections_.emplace_back(source, destination, job, settings_);
    opened.label = network_.label(job, source, destination, opened_[{job, source, destination}]++);
    opened.ack_label = relabelled(opened.label);
    return opened;
}

void Tcp::push(Connection& c) {
    note_busy(c);
    wake(c);
    const std::uint64_t before = c.next_number;
    while (const std::optional<Segment> segment = next_segment(c)) transmit(c, *segment);
    note_use(c, c.has_data());
    if (c.next_number > before) set_timer(c);
}

/// Before something is sent: the first round trip is known from the handshake, and a window that was not used for a
/// time-out halves, for each of them, down to the initial one (RFC 2861).
void Tcp::wake(Connection& c) {
    if (!c.has_data() || !c.flights.empty()) return;
    if (c.srtt_s <= 0.0) {
        const double handshake_s = network_.transit_s(network_.route(c.job, c.source, c.destination, c.label)) +
                                   network_.transit_s(network_.route(c.job, c.destination, c.source, c.ack_label)) +
                                   kStack_s;
        return measure(c, handshake_s);
    }
    const double idle_s = events_.now() - c.last_sent;
    c.cubic.paused(idle_s);
    const double halvings = std::floor(idle_s / c.timeout_s);
    if (halvings < 1.0 || c.cubic.window_B() <= settings_.initial_window_B) return;
    c.cubic.fade(std::max(settings_.initial_window_B, c.cubic.window_B() * std::exp2(-halvings)));
}

/// What the window permits to send now: lost segments first.
std::optional<Segment> Tcp::next_segment(Connection& c) const {
    const double room_B = c.cubic.window_B() - c.in_flight_B + kByte;
    if (!c.lost_B.empty()) {
        const double size_B = c.flights.at(*c.lost_B.begin()).size_B;
        if (room_B < std::min(size_B, kPacket_B)) return std::nullopt;
        return lost_segment(c, room_B);
    }
    const double ready_B = c.unlimited ? c.segment_B : std::min(c.segment_B, c.wanted_B);
    if (ready_B <= 0.0) return std::nullopt;
    if (room_B < std::min(ready_B, kPacket_B) || (room_B < ready_B && defers(c, room_B))) return std::nullopt;
    const double whole_packets_B = kPacket_B * std::floor(room_B / kPacket_B);
    const Segment segment{c.sent_B, std::min(ready_B, std::max(whole_packets_B, std::min(ready_B, kPacket_B)))};
    if (!c.unlimited) c.wanted_B -= segment.size_B;
    c.sent_B += segment.size_B;
    c.flights[segment.begin_B].size_B = segment.size_B;
    return segment;
}

/// Whether a small segment waits for more room: an acknowledgement is about to come (Linux's tcp_tso_should_defer).
bool Tcp::defers(const Connection& c, double room_B) const {
    return room_B < kDeferShare * c.cubic.window_B() && !c.flights.empty() &&
           events_.now() - c.flights.begin()->second.sent_at >= c.srtt_s / 2.0;
}

/// The first that is to be sent again, as much of it as there is room for.
Segment Tcp::lost_segment(Connection& c, double room_B) const {
    const double begin_B = *c.lost_B.begin();
    const double packets = std::max(1.0, std::floor(room_B / kPacket_B));
    split(c, begin_B, packets * kPacket_B);
    Flight& flight = c.flights.at(begin_B);
    flight.lost = false;
    ++flight.transmissions;
    c.lost_B.erase(begin_B);
    c.resent = true;
    c.retransmits += static_cast<std::uint64_t>(std::ceil(flight.size_B / kPacket_B));
    return {begin_B, flight.size_B};
}

/// Its flight is known already.
void Tcp::transmit(Connection& c, Segment segment) {
    choose_label(c);
    const std::uint64_t number = c.next_number++;
    Flight& flight = c.flights.at(segment.begin_B);
    flight.number = number;
    flight.sent_at = events_.now();
    c.transmissions.push_back({number, segment.begin_B});
    if (c.timeout_at == Connection::kNever) c.timeout_at = events_.now() + c.timeout_s;
    c.in_flight_B += segment.size_B;
    c.reduction_sent_B += segment.size_B;
    c.last_sent = events_.now();
    network_.send(network_.route(c.job, c.source, c.destination, c.label), wire_B(segment.size_B),
                  [this, &c, segment, number, sending = Sending{c.last_sent, c.delivered_B}] {
                      arrived(c, segment, number, sending);
                  },
                  {});
}

/// Where more than a connection's retransmissions make it take another path.
void Tcp::choose_label(Connection& c) const {
    const LoadBalancingSettings& balancing = network_.load_balancing();
    const bool pause = events_.now() - c.last_sent >= balancing.flowlet_gap_s;
    if (balancing.kind == LoadBalancing::packets || (balancing.kind == LoadBalancing::flowlets && pause)) {
        c.label = relabelled(c.label);
    }
}

void Tcp::arrived(Connection& c, Segment segment, std::uint64_t number, Sending sending) {
    const double before_B = c.received_B;
    receive(c, segment);
    // The acknowledgement queues like data, but is too small to count.
    const double back_s = kStack_s + network_.transit_s(network_.route(c.job, c.destination, c.source, c.ack_label));
    events_.at(events_.now() + back_s,
               [this, &c, segment, number, sending] { acknowledged(c, segment, number, sending); });
    if (c.received_B > before_B && c.on_received) c.on_received();
}

void Tcp::acknowledged(Connection& c, Segment segment, std::uint64_t number, Sending sending) {
    const double round_trip_s = events_.now() - sending.at;
    measure(c, round_trip_s);
    const double before_B = c.acknowledged_to_B();
    const Acknowledged got = take(c, segment, number);
    if (got.size_B <= 0.0) return;
    c.delivered_B += got.size_B;
    const double delivery_bps = 8.0 * (c.delivered_B - sending.delivered_B) / round_trip_s;
    if (c.has_data() || delivery_bps > c.delivery_bps) c.delivery_bps = delivery_bps;
    c.newest_acknowledged = std::max(c.newest_acknowledged, number);
    if (got.late && c.resent && c.phase != Connection::Phase::open) undo(c);
    find_losses(c);
    const bool without_gap = c.acknowledged_to_B() > before_B;
    if (c.phase == Connection::Phase::recovery) {
        reduce(c, got.size_B, without_gap);
        return conclude(c, without_gap);
    }
    c.cubic.measured(round_trip_s, c.acknowledged_to_B(), c.sent_B, events_.now());
    if (c.limited || (c.cubic.slow_start() && c.cubic.window_B() < 2.0 * c.most_out_B)) {
        c.cubic.grow(got.size_B, settings_.max_window_B, events_.now());
    }
    if (got.repaired && c.phase == Connection::Phase::open && c.probed) {
        // The tail was lost, and the probe has repaired it before anything else was missed.
        c.cubic.cut();
        c.cubic.set_window(c.cubic.threshold_B());
    }
    conclude(c, without_gap);
}

/// After an acknowledgement: the timer begins anew, and what may be sent is sent.
void Tcp::conclude(Connection& c, bool without_gap) {
    if (without_gap) {
        c.doublings = 0;
        c.probed = false;
        c.timeout_at = c.flights.empty() ? Connection::kNever : events_.now() + c.timeout_s;
        end_phase(c);
        set_timer(c);
    }
    push(c);
    note_busy(c);
    if (c.idle() && c.on_drained) c.on_drained();
}

/// RFC 6298, with Linux's least: not of the time-out, but of what is added to the smoothed round trip.
void Tcp::measure(Connection& c, double round_trip_s) const {
    if (c.srtt_s <= 0.0) {
        c.srtt_s = round_trip_s;
        c.rtt_variation_s = round_trip_s / 2.0;
        c.min_rtt_s = round_trip_s;
    } else {
        c.rtt_variation_s += (std::abs(round_trip_s - c.srtt_s) - c.rtt_variation_s) / 4.0;
        c.srtt_s += (round_trip_s - c.srtt_s) / 8.0;
        c.min_rtt_s = std::min(c.min_rtt_s, round_trip_s);
    }
    c.timeout_s = c.srtt_s + std::max(settings_.least_timeout_s, 4.0 * c.rtt_variation_s);
}

/// A window that did not limit what was sent does not grow.
void Tcp::note_use(Connection& c, bool limited) const {
    if (c.acknowledged_to_B() < c.limited_to_B && !limited && (c.limited || c.in_flight_B <= c.most_out_B)) return;
    c.limited = limited;
    c.most_out_B = c.in_flight_B;
    c.limited_to_B = c.sent_B;
}

/// As the kernel counts tcpi_busy_time.
void Tcp::note_busy(Connection& c) const {
    if (c.idle() == (c.busy_since == Connection::kNever)) return;
    c.busy_before_s = c.busy_s(events_.now());
    c.busy_since = c.idle() ? Connection::kNever : events_.now();
}

}  // namespace fairlead::sim
