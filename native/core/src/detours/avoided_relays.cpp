// SPDX-License-Identifier: Apache-2.0
#include "detours/avoided_relays.hpp"

#include <algorithm>

namespace fairlead::core {

void AvoidedRelays::avoid(HostId relay, Time until, Time now) {
    std::erase_if(avoided_, [&](const Avoided& each) { return each.relay == relay || now >= each.until; });
    avoided_.push_back({relay, until});
}

bool AvoidedRelays::avoids(HostId relay, Time now) const {
    return std::ranges::any_of(avoided_, [&](const Avoided& each) { return each.relay == relay && now < each.until; });
}

}  // namespace fairlead::core
