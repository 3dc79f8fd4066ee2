// SPDX-License-Identifier: Apache-2.0
// What agents carry of the program's traffic does not pass its own connections. It is added to the samples of these, so
// that a rerouted pair is judged by what it gets, whichever plane carries it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fairlead/core/events.hpp"

namespace fairlead::agent {

/// Of this host's ranks' bytes for one destination, whatever their path.
struct Carried {
    core::HostId destination = core::kNoHost;
    std::uint64_t delivered_B = 0;  ///< ever, to the next agent on the path
    std::uint64_t under_way_B = 0;  ///< more was sent, and is not there
    bool waits = false;             ///< some of it waits here: the kernel has as much as the path takes

    bool operator==(const Carried&) const = default;
};

class CarriedFlows {
  public:
    /// Adds what is carried to the samples of its destinations, and a sample for one that has none. Totals never fall:
    /// what is no longer told stays counted. `now`: CLOCK_MONOTONIC.
    void add_to(std::vector<core::SocketSample>& samples, std::span<const Carried> carried, double now);

    /// When something last moved, or was under way.
    double last_active_s() const { return last_active_s_; }

  private:
    struct Flow {
        std::uint64_t delivered_B = 0;
        std::uint64_t by_sockets_B = 0;
        bool under_way = false;
        bool waits = false;
        double busy_s = 0.0;
    };
    static void add(core::SocketSample& sample, Flow& flow, const Carried& carried, double elapsed_s);

    std::map<core::HostId, Flow> flows_;
    double last_look_s_ = -1e9;
    double last_active_s_ = -1e9;
};

}  // namespace fairlead::agent
