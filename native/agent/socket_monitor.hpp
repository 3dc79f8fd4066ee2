// SPDX-License-Identifier: Apache-2.0
// Watches the job's connections: how often to look, and whether to look for new ones or at the known ones only.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "config.hpp"
#include "flow_table.hpp"
#include "sock_diag.hpp"

namespace fairlead::agent {

class SocketMonitor {
  public:
    /// Throws std::system_error if the kernel does not have the interface.
    explicit SocketMonitor(const Config& config) : flows_(config) {}

    /// See FlowTable::update. Throws std::system_error; the next call asks the kernel anew, and totals go on.
    /// `complete`: connections made a moment ago must be among them.
    std::vector<core::SocketSample> sample(double now, bool complete);

    /// Time until the next look.
    double period_s(double now) const;
    double srtt_s(core::HostId peer) const { return flows_.srtt_s(peer); }

  private:
    void look(double now, bool complete);

    std::optional<SockDiag> diag_{std::in_place};  ///< none after a failure
    FlowTable flows_;
    std::vector<TcpSocket> sockets_;  ///< the job's, at the last look
    double last_search_s_ = -1e9;
    double search_s_ = 0.0;  ///< until the next search for new connections
};

}  // namespace fairlead::agent
