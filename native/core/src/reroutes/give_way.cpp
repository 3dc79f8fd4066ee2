// SPDX-License-Identifier: Apache-2.0
#include "reroutes/give_way.hpp"

#include <algorithm>

namespace fairlead::core {

std::optional<Pair> GiveWay::to(std::span<const OwnFlow> flows, Pair path, double queue_s, double counted_s,
                                const SharingRelation& sharing, const ChoiceSettings& settings) const {
    if (!sharing.known() || counted_s <= 0.0) return std::nullopt;
    const HostId hosts = sharing.host_count();
    const auto own = std::ranges::find(flows, path, &OwnFlow::pair);
    const double own_B = own == flows.end() ? 0.0 : static_cast<double>(own->size_B);
    const double alike = settings.alike_share;
    for (const OwnFlow& flow : flows) {
        if (flow.pair == path || flow.before != kNoHost || !sharing.hurts(path, flow.pair)) continue;
        const auto size_B = static_cast<double>(flow.size_B);
        const bool earlier = pair_index(flow.pair, hosts) < pair_index(path, hosts);
        const bool first = alike * size_B > own_B || (earlier && size_B >= alike * own_B);
        const double drained_s = queue_s * counted_s / flow.occupied_s;
        if (first && drained_s <= settings.settle_s && std::ranges::find(waited_for_, flow.pair) == waited_for_.end())
            return flow.pair;
    }
    return std::nullopt;
}

void GiveWay::forget(const OwnLoadSettings& settings, Time now) {
    if (now - last_ > settings.told_s) waited_for_.clear();
}

void GiveWay::waits_for(Pair pair, Time now) {
    waited_for_.push_back(pair);
    last_ = now;
}

}  // namespace fairlead::core
