// SPDX-License-Identifier: Apache-2.0
// Relays over which one destination was not reached: they are left out for a while.
#pragma once

#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

class AvoidedRelays {
  public:
    /// What went over it was lost: left out for `first_s`, and each time for twice as long as the time before.
    void lost(HostId relay, double first_s, Time now);
    /// No echo came back over it before anything was rerouted. To try again costs the program nothing.
    void unproven(HostId relay, Time now);
    bool avoids(HostId relay, Time now) const;
    /// It is another one now.
    void forget(HostId relay) {
        std::erase_if(avoided_, [&](const Avoided& each) { return each.relay == relay; });
    }

    static constexpr double kSoon_s = 1.0;  ///< where an echo tells whether the way carries packets again

  private:
    struct Avoided {
        HostId relay = kNoHost;
        Time until = 0.0;
        double lost_s = 0.0;  ///< how long the last loss kept it out; 0: none of late
    };
    Avoided& of(HostId relay, Time now);
    std::vector<Avoided> avoided_;
};

}  // namespace fairlead::core
