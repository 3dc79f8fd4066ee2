// SPDX-License-Identifier: Apache-2.0
// Relays over which one destination was not reached: they are left out for a while.
#pragma once

#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

class AvoidedRelays {
  public:
    void avoid(HostId relay, Time until, Time now);
    bool avoids(HostId relay, Time now) const;

  private:
    struct Avoided {
        HostId relay = kNoHost;
        Time until = 0.0;
    };
    std::vector<Avoided> avoided_;
};

}  // namespace fairlead::core
