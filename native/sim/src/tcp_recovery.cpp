// SPDX-License-Identifier: Apache-2.0
// What is lost: noticed by what was sent later and arrived, by a probe at the tail, or by a time-out; what the window
// becomes meanwhile; and what to do when it was not lost after all.
#include <algorithm>
#include <cmath>

#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

namespace {

constexpr double kProbe_s = 4e-3;  // on top of two round trips: 2 ms, and a tick of the kernel's timer (250 Hz)
constexpr double kLongestTimeout_s = 120.0;

}  // namespace

/// What an acknowledgement says has arrived is no longer under way, nor lost.
Tcp::Acknowledged Tcp::take(Connection& c, Segment segment, std::uint64_t number) const {
    Acknowledged got;
    const double end_B = segment.begin_B + segment.size_B;
    auto flight = c.flights.lower_bound(segment.begin_B);
    while (flight != c.flights.end() && flight->first < end_B) {
        got.size_B += flight->second.size_B;
        got.late = got.late || flight->second.lost || flight->second.number > number;
        got.repaired = got.repaired || (flight->second.transmissions > 1 && flight->second.number == number);
        if (flight->second.lost) {
            c.lost_B.erase(flight->first);
        } else {
            c.in_flight_B -= flight->second.size_B;
        }
        flight = c.flights.erase(flight);
    }
    return got;
}

/// Whatever was sent before something that has arrived is lost: the reordering window of RACK is a quarter of the
/// smallest round trip at first, and nothing as soon as three packets have overtaken others.
void Tcp::find_losses(Connection& c) const {
    bool any = false;
    while (!c.transmissions.empty() && c.transmissions.front().number < c.newest_acknowledged) {
        const auto [number, begin_B] = c.transmissions.front();
        const auto found = c.flights.find(begin_B);
        const bool missing = found != c.flights.end() && found->second.number == number && !found->second.lost;
        if (missing && may_be_late(c, found->second)) break;
        c.transmissions.pop_front();
        if (!missing) continue;
        found->second.lost = true;
        c.in_flight_B -= found->second.size_B;
        c.lost_B.insert(begin_B);
        any = true;
    }
    if (any && c.phase == Connection::Phase::open) begin(c, Connection::Phase::recovery);
}

/// Segments that take different paths overtake each other without a loss. RACK waits for a round trip at most.
bool Tcp::may_be_late(const Connection& c, const Flight& flight) const {
    return network_.load_balancing().kind == LoadBalancing::packets && events_.now() < flight.sent_at + 2.0 * c.srtt_s;
}

void Tcp::begin(Connection& c, Connection::Phase phase) const {
    if (network_.load_balancing().kind == LoadBalancing::rehash) c.label = relabelled(c.label);
    c.window_before_B = c.cubic.window_B();
    c.threshold_before_B = c.cubic.threshold_B();
    c.cubic.cut();
    c.phase = phase;
    c.recover_to_B = c.sent_B;
    c.resent = false;
    c.reduction_delivered_B = c.reduction_sent_B = 0.0;
}

/// The window falls to its new size while acknowledgements come in. Where more was lost than that, it grows again by
/// what is acknowledged.
void Tcp::reduce(Connection& c, double acknowledged_B, bool without_gap) const {
    c.reduction_delivered_B += acknowledged_B;
    const double target_B = c.cubic.threshold_B();
    double sends_B = 0.0;
    if (c.in_flight_B > target_B) {
        sends_B = target_B * c.reduction_delivered_B / c.window_before_B - c.reduction_sent_B;
    } else {
        sends_B = std::max(c.reduction_delivered_B - c.reduction_sent_B, acknowledged_B);
        if (without_gap) sends_B += kPacket_B;
        sends_B = std::min(sends_B, target_B - c.in_flight_B);
    }
    const double least_B = c.reduction_sent_B > 0.0 ? 0.0 : kPacket_B;
    c.cubic.set_window(c.in_flight_B + std::max(sends_B, least_B));
}

/// What was sent again had not been lost, but was late: it was overtaken, as on a route that became shorter.
void Tcp::undo(Connection& c) const {
    for (const double begin_B : c.lost_B) {
        Flight& flight = c.flights.at(begin_B);
        flight.lost = false;
        c.in_flight_B += flight.size_B;
        // It is under way still, and may be lost yet: what is sent from now on will show.
        flight.number = c.next_number++;
        c.transmissions.push_back({flight.number, begin_B});
    }
    c.lost_B.clear();
    c.cubic.undo(c.window_before_B, c.threshold_before_B);
    c.phase = Connection::Phase::open;
}

void Tcp::end_phase(Connection& c) const {
    if (c.phase == Connection::Phase::open || c.acknowledged_to_B() < c.recover_to_B) return;
    if (c.phase == Connection::Phase::recovery) c.cubic.set_window(c.cubic.threshold_B());
    c.phase = Connection::Phase::open;
}

/// Leaves at most `size_B` of a flight, and makes one of the rest.
void Tcp::split(Connection& c, double begin_B, double size_B) const {
    Flight& flight = c.flights.at(begin_B);
    if (flight.size_B <= size_B) return;
    Flight rest = flight;
    rest.size_B -= size_B;
    flight.size_B = size_B;
    c.flights.emplace(begin_B + size_B, rest);
    if (rest.lost) {
        c.lost_B.insert(begin_B + size_B);
    } else {
        // It goes on where its first part was.
        const auto at = std::ranges::find(c.transmissions, rest.number, &Connection::Transmission::number);
        if (at != c.transmissions.end()) c.transmissions.insert(at, {rest.number, begin_B + size_B});
    }
}

/// A probe first, and a time-out where nothing answers it.
void Tcp::set_timer(Connection& c) {
    c.timer_at = c.timeout_at;
    c.timer_probes = c.phase == Connection::Phase::open && !c.probed && !c.flights.empty();
    if (c.timer_probes) {
        // A single packet's acknowledgement may be delayed by its receiver.
        const bool single = c.in_flight_B <= kPacket_B;
        const double wait_s = 2.0 * c.srtt_s + (single ? settings_.least_timeout_s : kProbe_s);
        c.timer_probes = events_.now() + wait_s < c.timeout_at;
        c.timer_at = std::min(c.timeout_at, events_.now() + wait_s);
    }
    await_timer(c);
}

/// An event that is due before the timer stays, and waits on: there would be one for every acknowledgement.
void Tcp::await_timer(Connection& c) {
    if (c.timer_at >= c.timer_event_at) return;
    c.timer_event_at = c.timer_at;
    events_.at(c.timer_at, [this, &c, at = c.timer_at] { look_at_timer(c, at); });
}

void Tcp::look_at_timer(Connection& c, double scheduled_at) {
    if (scheduled_at != c.timer_event_at) return;
    c.timer_event_at = Connection::kNever;
    if (events_.now() < c.timer_at) return await_timer(c);
    if (c.timer_probes) {
        probe_tail(c);
    } else {
        time_out(c);
    }
}

/// Sends what comes next, or the last packet once more: its acknowledgement shows what is missing before it.
void Tcp::probe_tail(Connection& c) {
    c.probed = true;
    if (c.unlimited || c.wanted_B > 0.0) {
        const Segment next{c.sent_B, c.unlimited ? kPacket_B : std::min(kPacket_B, c.wanted_B)};
        if (!c.unlimited) c.wanted_B -= next.size_B;
        c.sent_B += next.size_B;
        c.flights[next.begin_B].size_B = next.size_B;
        transmit(c, next);
    } else {
        const auto last = std::prev(c.flights.end());
        split(c, last->first, std::max(last->second.size_B - kPacket_B, kPacket_B));
        const auto tail = std::prev(c.flights.end());
        ++tail->second.transmissions;
        ++c.retransmits;
        c.in_flight_B -= tail->second.size_B;  // it counts once
        transmit(c, {tail->first, tail->second.size_B});
    }
    c.timeout_at = events_.now() + c.timeout_s;
    set_timer(c);
}

/// Everything that is not acknowledged is taken for lost, and sent again from one packet on.
void Tcp::time_out(Connection& c) {
    const bool anew = c.phase == Connection::Phase::open || c.acknowledged_to_B() >= c.recover_to_B ||
                      (c.phase == Connection::Phase::after_timeout && c.doublings == 0);
    if (anew) begin(c, Connection::Phase::after_timeout);
    c.phase = Connection::Phase::after_timeout;
    c.recover_to_B = c.sent_B;
    for (auto& [begin_B, flight] : c.flights) {
        flight.lost = true;
        c.lost_B.insert(begin_B);
    }
    c.transmissions.clear();
    c.in_flight_B = 0.0;
    c.cubic.start_again(kPacket_B);
    ++c.doublings;
    c.timeout_at = events_.now() + std::min(c.timeout_s * std::exp2(c.doublings), kLongestTimeout_s);
    push(c);
}

}  // namespace fairlead::sim
