// SPDX-License-Identifier: Apache-2.0
#include "detours/avoided_relays.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {
constexpr double kLongest_s = 60.0;
constexpr double kForget_s = 60.0;  // after the end
}  // namespace

void AvoidedRelays::lost(HostId relay, double first_s, Time now) {
    Avoided& avoided = of(relay, now);
    avoided.lost_s = std::clamp(2.0 * avoided.lost_s, first_s, std::max(first_s, kLongest_s));
    avoided.until = std::max(avoided.until, now + avoided.lost_s);
}

void AvoidedRelays::unproven(HostId relay, Time now) {
    Avoided& avoided = of(relay, now);
    avoided.until = std::max(avoided.until, now + kSoon_s);
}

bool AvoidedRelays::avoids(HostId relay, Time now) const {
    return std::ranges::any_of(avoided_, [&](const Avoided& each) { return each.relay == relay && now < each.until; });
}

AvoidedRelays::Avoided& AvoidedRelays::of(HostId relay, Time now) {
    std::erase_if(avoided_, [&](const Avoided& each) { return now >= each.until + kForget_s; });
    const auto found = std::ranges::find(avoided_, relay, &Avoided::relay);
    return found != avoided_.end() ? *found : avoided_.emplace_back(Avoided{relay, now, 0.0});
}

}  // namespace fairlead::core
