// SPDX-License-Identifier: Apache-2.0
// What the controller asks of the agent.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/core/choice.hpp"
#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"

namespace fairlead::core {

/// Seal and send on the underlay.
struct Send {
    HostId to = kNoHost;
    wire::Message message;
};

/// `count` probes to a peer on the underlay (the direct path, also while its traffic is rerouted), the first at once.
/// Each gives one ProbeResult that repeats `burst`.
struct SendProbes {
    HostId peer = kNoHost;
    std::uint32_t burst = 0;
    int count = 0;
    double spacing_s = 0.0;
};

/// An echo on the path of rerouted packets, as large as those. `trial`: over echo.relay, a host or a way, where nothing
/// is rerouted yet; gives an EchoLeft, where it does not leave at once.
struct SendEcho {
    wire::Echo echo;
    bool trial = false;
};

/// Poll the sockets now, not only at the next period: the samples, then a Tick.
struct SampleSockets {};

/// Ask the guardian for the route; replaces an existing detour of that destination in one step. `relay`: a host, or a
/// way. Answer: RerouteDone or RerouteFailed.
struct Reroute {
    HostId destination = kNoHost;
    HostId relay = kNoHost;
};
/// Back to the direct path. Answer: RestoreDone or RestoreFailed.
struct Restore {
    HostId destination = kNoHost;
};

/// Reports, for the supervisor's event lines.
struct LevelChanged {
    Pair path;
    CongestionLevel from = CongestionLevel::low;
    CongestionLevel to = CongestionLevel::low;
    double queue_delay_s = 0.0;
};
/// A pair of the job whose packets pass a link where those of a slow path may queue.
struct FlowRate {
    Pair pair;
    HostId relay = kNoHost;  ///< that it is led over, kNoHost: direct
    double rate_bps = 0.0;   ///< while it was counted
};
struct Rerouted {
    HostId destination = kNoHost;
    HostId relay = kNoHost;
    HostId before = kNoHost;  ///< relay that it replaced, kNoHost: the direct path
    bool manual = false;
    bool ahead = false;          ///< of the pair's next use, which the program's pattern tells
    bool unseen = false;         ///< where probes see no queue, but the connections do
    bool again = false;          ///< a pause is over: what spoke for this detour before it was not measured anew
    double queue_delay_s = 0.0;  ///< of the path that was left
    double foreign_share = 0.0;
    double present_latency_s = 0.0;  ///< of the pair's mix, on the path that was left
    double detour_latency_s = 0.0;
    Time suspected_at = 0.0;
    Time confirmed_at = 0.0;
    Time decided_at = 0.0;        ///< Reroute asked; the event's own time is the kernel's acknowledgement
    std::vector<FlowRate> flows;  ///< of the job, on the bottleneck of the path that was left; largest first
};
struct Restored {
    HostId destination = kNoHost;
    HostId relay = kNoHost;  ///< that it left
    RestoreReason reason = RestoreReason::direct_good;
    double queue_delay_s = 0.0;  ///< of the direct path
    double away_s = 0.0;
};
struct Kept {
    HostId destination = kNoHost;
    HostId relay = kNoHost;  ///< present one, kNoHost: direct
    KeepReason reason = KeepReason::not_better;
    double queue_delay_s = 0.0;
    double foreign_share = 0.0;
    double present_latency_s = 0.0;
    HostId best = kNoHost;  ///< fastest candidate measured, kNoHost: none
    double best_latency_s = 0.0;
    std::vector<FlowRate> flows;  ///< as in Rerouted, where they were counted
    std::string detail;  ///< the guardian's words after a failed reroute, how many ways were measured; else empty
};
/// A notice came in about a path of this host.
struct Noticed {
    HostId from = kNoHost;
    Pair path;
    CongestionLevel congestion_level = CongestionLevel::low;
    double queue_delay_s = 0.0;
};
struct BaseShifted {
    Pair path;
    double from_s = 0.0;
    double to_s = 0.0;
};
/// The baseline of a path of this host, learnt while the program runs: known, or lower than it was told before.
struct BaseLearnt {
    Pair path;
    double latency_s = 0.0;
    double hidden_s = 0.0;  ///< what even the fastest probe took longer
    double link_bps = 0.0;  ///< the highest rate that was seen to leave this host; 0: none yet
};
/// A manual reroute or restoration ends without Rerouted or Restored.
struct ManualEnded {
    HostId destination = kNoHost;
    HostId relay = kNoHost;  ///< kNoHost: a restoration
    std::string error;       ///< empty: there was nothing to restore
};

using Action = std::variant<Send, SendProbes, SendEcho, SampleSockets, Reroute, Restore, LevelChanged, Rerouted,
                            Restored, Kept, Noticed, BaseShifted, BaseLearnt, ManualEnded>;

}  // namespace fairlead::core
