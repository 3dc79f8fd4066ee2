// SPDX-License-Identifier: Apache-2.0
// TCP as congestion windows: slow start, linear growth above the threshold, one cut a round trip for what is lost. A
// segment is larger than a packet of Ethernet, so that there are fewer events.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/network.hpp"

namespace fairlead::sim {

struct TcpSettings {
    double segment_B = 9000;
    double initial_window_B = 36000;
    double max_window_B = 2e6;
    double cut = 0.7;  ///< of the window remains when something was lost, as with CUBIC (RFC 9438, 4.6)
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
    double wanted_B = 0.0;     ///< still to be sent
    double in_flight_B = 0.0;
    double delivered_B = 0.0;  ///< acknowledged
    std::uint64_t retransmits = 0;
    double srtt_s = 0.0;     ///< smoothed round trip; 0: none yet
    double min_rtt_s = 0.0;  ///< smallest round trip; 0: none yet
    double last_cut = -1.0;
    std::function<void()> on_drained;  ///< everything wanted was acknowledged
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
    void acknowledged(Connection& connection, double size_B, double sent_at);
    void lost(Connection& connection, double size_B);

    EventQueue& events_;
    Network& network_;
    TcpSettings settings_;
    std::deque<Connection> connections_;
};

}  // namespace fairlead::sim
