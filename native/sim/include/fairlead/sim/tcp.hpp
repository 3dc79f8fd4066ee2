// SPDX-License-Identifier: Apache-2.0
// TCP as Linux has it: CUBIC windows (cubic.hpp), losses noticed by what was sent later and arrived (RACK, RFC 8985),
// by a tail loss probe or a time-out, proportional rate reduction (RFC 6937), and cuts taken back where what seemed
// lost was only late. Several packets travel as one segment, as with segmentation offload, so that there are fewer
// events. Bytes are received in order. Connections are open from the beginning.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "fairlead/sim/cubic.hpp"
#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/network.hpp"

namespace fairlead::sim {

struct TcpSettings {
    double segment_B = 8 * kPacket_B;          ///< sent at once at most, if Network::most_at_once_B permits
    double initial_window_B = 10 * kPacket_B;  ///< RFC 6928
    double max_window_B = 2e6;
    double least_timeout_s = 0.2;  ///< Linux's TCP_RTO_MIN, on top of the smoothed round trip
};

/// A piece of the stream of bytes that a connection carries.
struct Segment {
    double begin_B = 0.0;
    double size_B = 0.0;
};

/// A segment that was sent and is not acknowledged.
struct Flight {
    double size_B = 0.0;
    std::uint64_t number = 0;  ///< of its latest transmission; numbers count the connection's transmissions
    double sent_at = 0.0;      ///< the latest
    int transmissions = 1;
    bool lost = false;  ///< and not yet sent again
};

/// One direction of a connection: the bytes of a sender on their way, and what its kernel knows of them.
struct Connection {
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    Connection(EndId from, EndId to, int of_job, const TcpSettings& settings)
        : source(from),
          destination(to),
          job(of_job),
          segment_B(settings.segment_B),
          cubic(kPacket_B, settings.initial_window_B) {}

    EndId source;
    EndId destination;
    int job;
    FlowLabel label = 0;      ///< of what is sent
    FlowLabel ack_label = 0;  ///< of acknowledgements
    double segment_B;
    Cubic cubic;

    bool unlimited = false;            ///< always has data
    double wanted_B = 0.0;             ///< still to be sent for the first time
    double sent_B = 0.0;               ///< sent at least once: where the next segment begins
    double in_flight_B = 0.0;          ///< sent, neither acknowledged nor taken for lost
    double delivered_B = 0.0;          ///< acknowledged
    double received_B = 0.0;           ///< without a gap: what the receiver can read
    std::map<double, double> early_B;  ///< behind a gap: end of a segment by its begin
    std::uint64_t retransmits = 0;     ///< packets
    double last_sent = 0.0;

    std::map<double, Flight> flights;  ///< by their begin
    std::set<double> lost_B;           ///< begins of those to be sent again
    /// All transmissions in their order, without those at the front that were overtaken.
    struct Transmission {
        std::uint64_t number = 0;
        double begin_B = 0.0;
    };
    std::deque<Transmission> transmissions;
    std::uint64_t next_number = 1;
    std::uint64_t newest_acknowledged = 0;  ///< number of a transmission

    double srtt_s = 0.0;  ///< smoothed round trip; 0: nothing was sent yet
    double rtt_variation_s = 0.0;
    double min_rtt_s = 0.0;     ///< smallest round trip; 0: none yet
    double delivery_bps = 0.0;  ///< over the last round trip, or the highest while there was nothing more to send
    double timeout_s = 0.0;     ///< without its doublings
    int doublings = 0;

    double timeout_at = kNever;      ///< if nothing is acknowledged without a gap until then
    double timer_at = kNever;        ///< of that, or of a probe before it
    double timer_event_at = kNever;  ///< the event that looks whether it is time, at timer_at or before
    bool timer_probes = false;       ///< at timer_at the tail is probed
    bool probed = false;             ///< since the last acknowledgement without a gap

    enum class Phase : std::uint8_t { open, recovery, after_timeout };
    Phase phase = Phase::open;
    double recover_to_B = 0.0;     ///< the phase ends when all before is acknowledged
    bool resent = false;           ///< anything, in this phase
    double window_before_B = 0.0;  ///< the phase, to go back to
    double threshold_before_B = 0.0;
    double reduction_delivered_B = 0.0;  ///< of the proportional rate reduction: acknowledged and sent in this phase
    double reduction_sent_B = 0.0;

    bool limited = false;       ///< by its window, in the present round trip
    double most_out_B = 0.0;    ///< under way in it
    double limited_to_B = 0.0;  ///< end of that round trip: when all before is acknowledged

    double busy_before_s = 0.0;  ///< with something to send or under way, until it was idle the last time
    double busy_since = kNever;  ///< kNever: it is idle

    std::function<void()> on_drained;   ///< everything wanted was acknowledged
    std::function<void()> on_received;  ///< received_B has grown

    double acknowledged_to_B() const { return flights.empty() ? sent_B : flights.begin()->first; }
    bool has_data() const { return unlimited || wanted_B > 0.0 || !lost_B.empty(); }
    double busy_s(double now) const { return busy_before_s + (busy_since == kNever ? 0.0 : now - busy_since); }
    bool idle() const { return !has_data() && flights.empty(); }
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

    /// Lives as long as this object. The network's load balancing gives it a path.
    Connection& open(EndId source, EndId destination, int job);
    /// Sends what is wanted, as far as the window permits; to be called after a change of what is wanted.
    void push(Connection& connection);

    const std::deque<Connection>& connections() const { return connections_; }

  private:
    // tcp.cpp: segments on their way
    void wake(Connection& connection);
    std::optional<Segment> next_segment(Connection& connection) const;
    bool defers(const Connection& connection, double room_B) const;
    Segment lost_segment(Connection& connection, double room_B) const;
    void transmit(Connection& connection, Segment segment);
    void choose_label(Connection& connection) const;
    void arrived(Connection& connection, Segment segment, std::uint64_t number, Sending sending);
    void acknowledged(Connection& connection, Segment segment, std::uint64_t number, Sending sending);
    void conclude(Connection& connection, bool without_gap);
    void measure(Connection& connection, double round_trip_s) const;
    void note_use(Connection& connection, bool limited) const;
    void note_busy(Connection& connection) const;

    // tcp_recovery.cpp: what is lost, and when that is noticed
    struct Acknowledged {
        double size_B = 0.0;
        bool late = false;      ///< of a transmission that was taken for lost
        bool repaired = false;  ///< of one that was sent again
    };
    Acknowledged take(Connection& connection, Segment segment, std::uint64_t number) const;
    void find_losses(Connection& connection) const;
    bool may_be_late(const Connection& connection, const Flight& flight) const;
    void begin(Connection& connection, Connection::Phase phase) const;
    void reduce(Connection& connection, double acknowledged_B, bool without_gap) const;
    void undo(Connection& connection) const;
    void end_phase(Connection& connection) const;
    void split(Connection& connection, double begin_B, double size_B) const;
    void set_timer(Connection& connection);
    void await_timer(Connection& connection);
    void look_at_timer(Connection& connection, double scheduled_at);
    void probe_tail(Connection& connection);
    void time_out(Connection& connection);

    EventQueue& events_;
    Network& network_;
    TcpSettings settings_;
    std::deque<Connection> connections_;
    std::map<std::tuple<int, EndId, EndId>, std::uint64_t> opened_;  ///< number, by job and ends
};

}  // namespace fairlead::sim
