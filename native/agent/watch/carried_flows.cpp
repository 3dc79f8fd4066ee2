// SPDX-License-Identifier: Apache-2.0
#include "watch/carried_flows.hpp"

#include <algorithm>

namespace fairlead::agent {

void CarriedFlows::add_to(std::vector<core::SocketSample>& samples, std::span<const Carried> carried, double now) {
    const double elapsed_s = now - last_look_s_;
    last_look_s_ = now;
    for (const Carried& each : carried) {
        const bool moved = each.delivered_B > flows_[each.destination].delivered_B;
        if (moved || each.under_way_B > 0) last_active_s_ = now;
    }
    for (auto& [destination, flow] : flows_) {
        Carried told{destination, flow.delivered_B, 0, false};
        const auto found = std::ranges::find(carried, destination, &Carried::destination);
        if (found != carried.end()) told = *found;
        auto sample = std::ranges::find(samples, destination, &core::SocketSample::peer);
        if (sample == samples.end()) {
            samples.push_back({.peer = destination});
            sample = std::prev(samples.end());
        }
        add(*sample, flow, told, elapsed_s);
    }
}

void CarriedFlows::add(core::SocketSample& sample, Flow& flow, const Carried& carried, double elapsed_s) {
    const std::uint64_t moved_B = carried.delivered_B - std::min(flow.delivered_B, carried.delivered_B);
    const std::uint64_t by_sockets_B = sample.delivered_B - std::min(flow.by_sockets_B, sample.delivered_B);
    flow.delivered_B += moved_B;
    flow.by_sockets_B += by_sockets_B;
    if (moved_B > by_sockets_B) {
        // What the sockets say is of another path.
        sample.srtt_s = 0.0;
        sample.network_limited = flow.waits && carried.waits;
    }
    const bool under_way = carried.under_way_B > 0;
    if (flow.under_way && under_way) flow.busy_s += elapsed_s;
    flow.under_way = under_way;
    flow.waits = carried.waits;
    sample.delivered_B = flow.by_sockets_B + flow.delivered_B;
    sample.in_flight_B += carried.under_way_B;
    sample.busy_s += flow.busy_s;
}

}  // namespace fairlead::agent
