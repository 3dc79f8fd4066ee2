// SPDX-License-Identifier: Apache-2.0
// From the connections of a host to one sample per peer: what the job's sockets to it do together.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "control/config.hpp"
#include "fairlead/core/events.hpp"
#include "watch/sock_diag.hpp"

namespace fairlead::agent {

class FlowTable {
  public:
    explicit FlowTable(const Config& config);

    /// One sample for every peer that has a socket of the job, and a last one, with nothing in flight, for a peer whose
    /// last socket is gone. Totals never fall: closed sockets stay counted. `now`: CLOCK_MONOTONIC.
    std::vector<core::SocketSample> update(std::span<const TcpSocket> sockets, double now);

    /// The peer that a socket of the job leads to; kNoHost for all other sockets, the agents' own among them.
    core::HostId peer_of(const TcpSocket& socket) const;

    /// When bytes last moved on a socket of the job, or were under way.
    double last_active_s() const { return last_active_s_; }
    /// Round trip of the last socket that moved bytes; 0 before any did.
    double srtt_s(core::HostId peer) const { return peers_.at(peer).srtt_s; }

  private:
    struct Known {
        core::HostId peer = core::kNoHost;
        std::uint64_t acked_B = 0;
        std::uint64_t received_B = 0;
        std::uint64_t retransmits = 0;
        double busy_s = 0.0;
        double held_up_s = 0.0;
        std::uint64_t update = 0;
        double since_s = 0.0;  ///< nothing has been acknowledged, and the retransmits of then
        std::uint64_t retransmits_then = 0;
    };
    struct Peer {
        std::uint64_t delivered_B = 0;
        std::uint64_t received_B = 0;
        std::uint64_t retransmits = 0;
        double srtt_s = 0.0;
        double busy_s = 0.0;
    };
    /// Of one peer, during an update.
    struct Sum {
        core::SocketSample sample;
        std::uint64_t most_moved_B = 0;
        double longest_busy_s = 0.0;
        bool any = false;
    };
    static Known known_of(core::HostId host, const TcpSocket& socket, std::uint64_t update);
    void add(const TcpSocket& socket, core::HostId host, double elapsed_s, Sum& sum);

    const Config& config_;
    std::unordered_map<Address, core::HostId, Address::Hash> by_address_;
    std::unordered_map<std::uint64_t, Known> known_;
    std::vector<Peer> peers_;
    std::vector<core::HostId> connected_;  ///< peers that had sockets at the last update
    std::uint64_t updates_ = 0;
    double last_update_s_ = 0.0;
    double last_active_s_ = 0.0;
};

}  // namespace fairlead::agent
