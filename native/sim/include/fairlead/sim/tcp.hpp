// SPDX-License-Identifier: Apache-2.0
// TCP as congestion windows: slow start, linear growth above the threshold, one cut a round trip for what is lost, and
// what is lost is sent again. Bytes are received in order. A segment is larger than a packet of Ethernet, so that there
// are fewer events. Connections are open from the beginning.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>

#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/network.hpp"

namespace fairlead::sim {

struct TcpSettings {
    double segment_B = 9000;
    double initial_window_B = 36000;
    double max_window_B = 2e6;
    double cut = 0.7;     ///< of the window remains when something was lost, as with CUBIC (RFC 9438, 4.6)
    double idle_s = 0.2;  ///< a window halves for every such time without anything to send, down to the initial one
                          ///< (RFC 2861; Linux's least time-out)
};

/// A piece of the stream of bytes that a connection carries.
struct Segment {
    double begin_B = 0.0;
    double size_B = 0.0;
};

/// One direction of a connection: the bytes of a sender on their way, and what its kernel knows of them.
struct Connection {
    EndId source = 0;
    EndId destination = 0;
    int job = kForeign;
    double segment_B = 0.0;
    double window_B = 0.0;
    double threshold_B = 1e9;  ///< below it the window doubles each round trip
    bool unlimited = false;    ///< always has data
    double wanted_B = 0.0;     ///< still to be sent for the first time
    double sent_B = 0.0;       ///< sent at least once: where the next segment begins
    double in_flight_B = 0.0;
    double delivered_B = 0.0;          ///< acknowledged
    double received_B = 0.0;           ///< without a gap: what the receiver can read
    std::deque<Segment> again;         ///< lost, to be sent before anything else
    std::map<double, double> early_B;  ///< behind a gap: end of a segment by its begin
    double acknowledged_to_B = 0.0;    ///< end of the last segment that was acknowledged, gaps before it or not
    std::uint64_t retransmits = 0;
    double srtt_s = 0.0;        ///< smoothed round trip; 0: none yet
    double min_rtt_s = 0.0;     ///< smallest round trip; 0: none yet
    double delivery_bps = 0.0;  ///< over the last round trip, or the highest while there was nothing more to send
    double last_cut = -1.0;
    double last_sent = 0.0;
    std::function<void()> on_drained;   ///< everything wanted was acknowledged
    std::function<void()> on_received;  ///< received_B has grown

    bool has_data() const { return unlimited || wanted_B > 0.0 || !again.empty(); }
    bool idle() const { return !has_data() && in_flight_B < 1.0; }
};

/// When a segment was sent, and how much had been delivered by then.
struct Sending {
    double at = 0.0;
    double delivered_B = 0.0;
};

class Tcp {
  public:
    Tcp(EventQueue& events, Network& network, TcpSettings settings = {});
    Tcp(const Tcp&) = delete;
    Tcp& operator=(const Tcp&) = delete;

    /// Lives as long as this object.
    Connection& open(EndId source, EndId destination, int job);
    /// Sends what is wanted, as far as the window permits; to be called after a change of what is wanted.
    void push(Connection& connection);

    const std::deque<Connection>& connections() const { return connections_; }

  private:
    Segment next_segment(Connection& connection) const;
    void restart_if_idle(Connection& connection) const;
    void arrived(Connection& connection, Segment segment, Sending sending);
    void acknowledged(Connection& connection, Segment segment, Sending sending);
    void dropped(Connection& connection, Segment segment);
    double known_round_trip_s(const Connection& connection) const;
    void lost(Connection& connection, Segment segment);

    EventQueue& events_;
    Network& network_;
    TcpSettings settings_;
    std::deque<Connection> connections_;
};

}  // namespace fairlead::sim
