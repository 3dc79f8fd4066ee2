// SPDX-License-Identifier: Apache-2.0
// What the agent tells the controller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/core/path_table.hpp"
#include "fairlead/core/sharing.hpp"
#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"

namespace fairlead::core {

/// The ranks' TCP sockets to one peer taken together, from sock_diag, for each peer that has a socket: every ~40 ms
/// while bytes move, more rarely while none do (look_period_s), and at once on the action SampleSockets. When the last
/// socket of a peer is gone: one sample with nothing in flight. What agents carry of the ranks' messages (relay plane)
/// is in the bytes in flight and delivered, and in the time busy.
struct SocketSample {
    HostId peer = kNoHost;
    double srtt_s = 0.0;            ///< tcpi_rtt of the socket that moved most bytes since the last sample; 0: unknown,
                                    ///< as agents carried more than the sockets
    double min_rtt_s = 0.0;         ///< smallest tcpi_min_rtt of the sockets; 0: unknown
    std::uint64_t in_flight_B = 0;  ///< sum of (tcpi_unacked - tcpi_sacked - tcpi_lost + tcpi_retrans) * snd_mss
    std::uint64_t delivered_B = 0;  ///< sum of tcpi_bytes_acked, never falling: the agent carries closed sockets on
    std::uint64_t received_B = 0;  ///< sum of tcpi_bytes_received, never falling: their acknowledgements go to the peer
    std::uint64_t retransmits = 0;  ///< sum of tcpi_total_retrans, never falling
    bool network_limited = false;   ///< busy, and neither app-limited nor limited by the receiver's or send buffer
    double rto_s = 0.0;  ///< largest retransmission time-out of those with bytes in flight, without its doublings; 0:
                         ///< unknown
    double delivery_bps = 0.0;  ///< largest tcpi_delivery_rate of those that moved bytes: a burst passes the narrowest
                                ///< link at about its rate; 0: unknown
    double busy_s = 0.0;        ///< tcpi_busy_time of the socket that was busy longest since the last sample, added up
    /// Of the sockets that have bytes in flight and sent some again, the one of which nothing has been acknowledged for
    /// longest: for how long, and the segments that it sent again meanwhile.
    double stuck_s = 0.0;
    std::uint64_t stuck_retransmits = 0;
};

/// One probe of a burst or of the background, answered or lost. A lost one is told after at most 250 ms.
struct ProbeResult {
    HostId peer = kNoHost;
    std::uint32_t burst = 0;  ///< as in SendProbes
    Time sent_at = 0.0;
    bool lost = false;
    double round_trip_s = 0.0;
    double forward_queue_s = 0.0;  ///< ClockSync::add(...)
    double backward_queue_s = 0.0;
    double peer_run_delay_s = 0.0;  ///< ProbeReply::run_delay_s
};

/// A message that an authenticated peer sent. Probe and ProbeReply stay in the agent, those about single messages of
/// the program in the message monitor.
struct Received {
    HostId from = kNoHost;
    wire::Message message;
    std::uint64_t boot_id = 0;  ///< of the envelope: differs from start to start of the peer's agent
    /// Of an EchoReply: when the echo would have left here, had it met no queue on its way to where it arrived when it
    /// did; nothing: not known.
    std::optional<Time> free_departure = {};
};

/// The guardian's answers; kernel acknowledged.
struct RerouteDone {
    HostId destination = kNoHost;
    HostId relay = kNoHost;
};
struct RerouteFailed {
    HostId destination = kNoHost;
    HostId relay = kNoHost;
    std::string reason;
};
struct RestoreDone {
    HostId destination = kNoHost;
};
struct RestoreFailed {
    HostId destination = kNoHost;
    std::string reason;
};

/// A peer's clock or the own one was set: what is known of the peer's is of the past.
struct ClockStepped {
    HostId peer = kNoHost;
};

/// Time passed: after the samples of every socket poll (also one that SampleSockets asked for), and when
/// Controller::next_wakeup() is reached.
struct Tick {
    double run_delay_s = 0.0;  ///< own wait in the run queue since the last Tick (/proc/self/schedstat)
    bool spare = true;         ///< the agent has processor time for searches
};

/// A trial's echo has left this host, once its route was there: until then its time does not count.
struct EchoLeft {
    HostId destination = kNoHost;
    HostId relay = kNoHost;  ///< or a way
    std::uint32_t token = 0;
};

/// By hand, from the supervisor: such a detour stays until it is restored by hand, or its relay dies. Answer: Rerouted
/// or Restored, or ManualEnded.
struct ManualReroute {
    HostId destination = kNoHost;
    HostId relay = kNoHost;  ///< or a way
};
struct ManualRestore {
    HostId destination = kNoHost;
};

/// Every pair is restored, unless it was rerouted by hand, and none is rerouted for so long; 0: the last one ends, and
/// the detours that it interrupted are taken again.
struct Pause {
    double for_s = 0.0;
};

/// The sizes that the program exchanges with a peer (profile or message monitor); weights need not sum to 1.
struct PairMix {
    HostId peer = kNoHost;
    std::vector<SizeShare> sizes;
};

/// What replaces the configuration's relation: machines have moved. One of another number of hosts is ignored.
struct SharingChanged {
    SharingRelation sharing;
};

/// A rank of this host waited for a message from a rank of `source`, and it took so long from its send on.
struct MessageTime {
    HostId source = kNoHost;
    std::uint64_t size_B = 0;
    double latency_s = 0.0;
    double error_s = 0.0;  ///< of the two hosts' clocks
};

/// What passed this host's interface of late, of all programs and jobs: the busier direction.
struct InterfaceBusy {
    double rate_bps = 0.0;
};

/// This host's data plane is gone for good (its guardian died): every pair is restored, and none is rerouted or leads
/// here.
struct PlaneLost {};

/// The run ends: every detour is restored, relays are released, peers are told.
struct Stop {};

using Event = std::variant<SocketSample, ProbeResult, Received, RerouteDone, RerouteFailed, RestoreDone, RestoreFailed,
                           ClockStepped, Tick, EchoLeft, ManualReroute, ManualRestore, Pause, PairMix, SharingChanged,
                           MessageTime, InterfaceBusy, PlaneLost, Stop>;

}  // namespace fairlead::core
