// SPDX-License-Identifier: Apache-2.0
// When the turn of each host comes. Who is next is known without looking at all hosts, of which a job may have many.
#pragma once

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

class DueTimes {
  public:
    /// Nobody's turn comes.
    explicit DueTimes(HostId hosts) : times_(hosts, HUGE_VAL) {}
    /// That of each host but this comes at 0.
    DueTimes(HostId hosts, HostId self);

    Time at(HostId host) const { return times_[host]; }
    /// Infinite: it does not come.
    void set(HostId host, Time when);
    /// The earliest; infinite: none comes.
    Time next() const { return order_.empty() ? HUGE_VAL : order_.begin()->first; }
    /// Hosts whose turn has come, by number.
    std::vector<HostId> due(Time now) const;

  private:
    std::vector<Time> times_;
    std::set<std::pair<Time, HostId>> order_;  ///< of those whose turn comes
};

}  // namespace fairlead::core
