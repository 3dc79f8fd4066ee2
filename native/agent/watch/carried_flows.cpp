// SPDX-License-Identifier: Apache-2.0
#include "watch/carried_flows.hpp"

#include <algorithm>

namespace fairlead::agent {

void CarriedFlows::add_to(std::vector<core::SocketSample>& samples, std::span<const Carried> carried, double now) {
    const double elapsed_s = now - last_look_s_;
    last_look_s_ = now;
    for (const Carried& each : carried) flows_.try_emplace(each.destination);
    for (auto& [destination, flow] : flows_) {
        Carried told{destination, flow.delivered_B, 0, false};
        const auto found = std::ranges::find(carried, destination, &Carried::destination);
        if (found != carried.end()) told = *found;
        const bool active = told.delivered_B > flow.delivered_B || told.in_flight_B > 0;
        if (active) last_active_s_ = now;
        auto sample = std::ranges::find(samples, destination, &core::SocketSample::peer);
        if (sample == samples.end()) {
            if (!active && !flow.in_flight) continue;
            samples.push_back({.peer = destination,
                               .delivered_B = flow.total.delivered_B,
                               .received_B = flow.total.received_B,
                               .retransmits = flow.total.retransmits,
                               .busy_s = flow.sockets_busy_s});
            sample = std::prev(samples.end());
        }
        add(*sample, flow, told, elapsed_s);
    }
}

void CarriedFlows::add(core::SocketSample& sample, Flow& flow, const Carried& carried, double elapsed_s) {
    const std::uint64_t by_agents_B = carried.delivered_B - std::min(flow.delivered_B, carried.delivered_B);
    const std::uint64_t by_sockets_B = sample.delivered_B - std::min(flow.total.delivered_B, sample.delivered_B);
    const bool in_flight = carried.in_flight_B > 0;
    flow.mostly = by_agents_B > by_sockets_B || (in_flight && by_sockets_B == 0);
    const double by_agents_s = flow.in_flight && in_flight ? elapsed_s : 0.0;
    const double by_sockets_s = std::max(0.0, sample.busy_s - flow.sockets_busy_s);
    const double busy_s = flow.total.busy_s + std::max(by_agents_s, by_sockets_s);
    flow.sockets_busy_s = std::max(flow.sockets_busy_s, sample.busy_s);
    flow.total = sample;
    flow.total.busy_s = busy_s;
    flow.delivered_B += by_agents_B;

    if (flow.mostly) {
        sample.srtt_s = 0.0;
        sample.network_limited = flow.waits && carried.waits;
    }
    sample.delivered_B += flow.delivered_B;
    sample.in_flight_B += carried.in_flight_B;
    sample.busy_s = busy_s;
    flow.in_flight = in_flight;
    flow.waits = carried.waits;
}

bool CarriedFlows::mostly(core::HostId destination) const {
    const auto found = flows_.find(destination);
    return found != flows_.end() && found->second.mostly;
}

}  // namespace fairlead::agent
