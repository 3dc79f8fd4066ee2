// SPDX-License-Identifier: Apache-2.0
// Watches the job's connections: how often to look, and whether to look for new ones, at the known ones only, or
// whether nothing can have changed.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "control/config.hpp"
#include "fairlead/core/settings.hpp"
#include "process/clock.hpp"
#include "watch/carried_flows.hpp"
#include "watch/flow_table.hpp"
#include "watch/sock_diag.hpp"
#include "watch/tcp_counters.hpp"

namespace fairlead::agent {

class SocketMonitor {
  public:
    /// `now`: CLOCK_MONOTONIC. Throws std::system_error if the kernel does not have the interface.
    SocketMonitor(const Config& config, const core::LookSettings& settings, double now);

    /// See FlowTable::update. Where no segment was sent or received since the last look, the connections are not asked
    /// for. Throws std::system_error; the next call asks the kernel anew, and totals go on.
    /// `complete`: connections made a moment ago must be among them. `carried`: what agents carry, which is added.
    std::vector<core::SocketSample> sample(double now, bool complete, std::span<const Carried> carried = {});

    /// Time until the next look.
    double period_s(double now) const;
    /// Round trip of what the program sends to a peer; 0: unknown, also while agents carry it.
    double srtt_s(core::HostId peer) const { return carried_.mostly(peer) ? 0.0 : flows_.srtt_s(peer); }

  private:
    bool quiet() const;
    bool search_due(double now, bool complete) const;
    void heed(const std::optional<TcpCounters>& counters);
    void look(double now, bool search);
    double last_active_s() const { return std::max(flows_.last_active_s(), carried_.last_active_s()); }
    std::vector<core::SocketSample> of_sockets(double now, bool complete);

    core::LookSettings settings_;
    std::vector<Address> remotes_;
    std::optional<SockDiag> diag_;  ///< none after a failure
    TcpCounterFile counter_file_;
    FlowTable flows_;
    CarriedFlows carried_;
    std::vector<TcpSocket> sockets_;  ///< the job's, at the last look
    double begun_s_;
    double last_look_s_ = kNever_s;
    double last_search_s_ = kNever_s;
    double search_s_ = 0.0;               ///< until the next search for new connections, if some were made
    int searches_wanted_ = 1;             ///< some may have been made since the last search
    double counted_s_ = kNever_s;         ///< when the counters were asked for
    std::optional<TcpCounters> counted_;  ///< what they said then
    bool moved_ = true;                   ///< since then
};

}  // namespace fairlead::agent
