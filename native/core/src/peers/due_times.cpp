// SPDX-License-Identifier: Apache-2.0
#include "peers/due_times.hpp"

#include <algorithm>

namespace fairlead::core {

DueTimes::DueTimes(HostId hosts, HostId self) : DueTimes(hosts) {
    for (HostId host = 0; host < hosts; ++host) {
        if (host != self) set(host, 0.0);
    }
}

void DueTimes::set(HostId host, Time when) {
    Time& present = times_[host];
    if (present == when) return;
    if (present < HUGE_VAL) order_.erase({present, host});
    if (when < HUGE_VAL) order_.emplace(when, host);
    present = when;
}

std::vector<HostId> DueTimes::due(Time now) const {
    std::vector<HostId> hosts;
    for (const auto& [when, host] : order_) {
        if (when > now) break;
        hosts.push_back(host);
    }
    std::ranges::sort(hosts);
    return hosts;
}

}  // namespace fairlead::core
