// SPDX-License-Identifier: Apache-2.0
// The route plane of one job on one host: made once, changed by moves and returns, removed exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "netlink.hpp"
#include "overlay.hpp"
#include "presence.hpp"
#include "protocol.hpp"

namespace fairlead::guardian {

class RoutePlane {
  public:
    // Clears away what dead guardians left in this network namespace, then makes device, filter, rules and last hops.
    // Removes what it made before it throws KernelError.
    RoutePlane(Netlink& netlink, Setup setup);

    const Setup& setup() const { return setup_; }
    // These return after the kernel has acknowledged; where they throw KernelError, nothing has changed.
    void move(const Move& move);
    void give_back(const Return& back);
    // All moved destinations take the direct path again.
    void withdraw();
    // Removes everything, also if another guardian keeps the lock. Goes on past what cannot be removed, and then throws
    // the first KernelError.
    void tear_down();

  private:
    void build();

    Netlink& netlink_;
    Setup setup_;
    Presence presence_;
    Underlay underlay_;
    std::uint32_t slot_ = 0;
    std::uint32_t device_index_ = 0;
    std::vector<bool> moved_;  // per host
};

}  // namespace fairlead::guardian
