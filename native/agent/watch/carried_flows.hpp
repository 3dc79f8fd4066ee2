// SPDX-License-Identifier: Apache-2.0
// What agents carry of the program's messages does not pass its own connections. It is added to the samples of these,
// so that a rerouted pair is judged by what it gets, whichever plane carries it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fairlead/core/events.hpp"
#include "planes/carried.hpp"
#include "process/clock.hpp"

namespace fairlead::agent {

class CarriedFlows {
  public:
    /// Adds what is carried to the samples of its destinations, and a sample for one that has none while something
    /// moves or is in flight, and once more after that. Totals never fall: what is no longer told stays counted. `now`:
    /// CLOCK_MONOTONIC.
    void add_to(std::vector<core::SocketSample>& samples, std::span<const Carried> carried, double now);

    /// When something last moved, or was in flight.
    double last_active_s() const { return last_active_s_; }
    /// Whether more of what a destination got of late came by agents than by its sockets, whose round trips then are
    /// of another path.
    bool mostly(core::HostId destination) const;

  private:
    struct Flow {
        core::SocketSample total;  ///< of the sockets, as told last, but for busy_s: of both
        double sockets_busy_s = 0.0;
        std::uint64_t delivered_B = 0;  ///< by agents
        bool in_flight = false;
        bool waits = false;
        bool mostly = false;
    };
    static void add(core::SocketSample& sample, Flow& flow, const Carried& carried, double elapsed_s);

    std::map<core::HostId, Flow> flows_;
    double last_look_s_ = kNever_s;
    double last_active_s_ = kNever_s;
};

}  // namespace fairlead::agent
