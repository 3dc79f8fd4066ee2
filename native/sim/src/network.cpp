// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairlead::sim {

namespace {

constexpr double kSegmentsInQueue = 4.0;  // at least, in the smallest one

double most_at_once(const std::vector<Link>& links) {
    double packets = HUGE_VAL;
    for (const Link& link : links) {
        const double fitting = std::floor(link.limit_B / kSegmentsInQueue / wire_B(kPacket_B));
        packets = std::min(packets, link.loss > 0.0 ? 1.0 : fitting);
    }
    return kPacket_B * std::max(1.0, packets);
}

}  // namespace

Network::Network(EventQueue& events, Topology topology, int jobs, std::uint64_t seed,
                 const LoadBalancingSettings& load_balancing)
    : events_(events),
      topology_(std::move(topology)),
      seed_(seed),
      load_balancing_(load_balancing),
      equal_cost_paths_(topology_),
      random_(seed) {
    for (const Topology::Edge& edge : topology_.links()) links_.push_back(Link{edge.kind});
    most_at_once_B_ = most_at_once(links_);
    relays_.assign(index(jobs, 0, 0), core::kNoHost);
}

FlowLabel Network::label(int job, EndId source, EndId destination, std::uint64_t number) const {
    const FlowLabel pair = relabelled(seed_, static_cast<std::uint64_t>(source) << 32U | destination);
    return relabelled(relabelled(pair, static_cast<std::uint64_t>(job - kForeign)), number);
}

const Path& Network::path(EndId source, EndId destination, FlowLabel label) {
    return load_balancing_.kind == LoadBalancing::none ? topology_.path(source, destination)
                                                       : equal_cost_paths_.path(source, destination, label);
}

Route Network::route(int job, EndId source, EndId destination, FlowLabel label) {
    const core::HostId via = job == kForeign ? core::kNoHost : relay(job, source, destination);
    if (core::is_way(via)) return by_way(job, source, destination, via);
    return via == core::kNoHost ? direct(source, destination, label) : over(source, via, destination, label);
}

Path Network::certain_links(EndId source, EndId destination) {
    return load_balancing_.kind == LoadBalancing::none ? topology_.path(source, destination)
                                                       : equal_cost_paths_.common(source, destination);
}

void Network::send(Route route, double size_B, std::function<void()> arrived, std::function<void()> dropped) {
    std::uint32_t packet = 0;
    if (free_.empty()) {
        packet = static_cast<std::uint32_t>(packets_.size());
        packets_.emplace_back();
    } else {
        packet = free_.back();
        free_.pop_back();
    }
    packets_[packet] = Packet{route, 0, size_B, std::move(arrived), std::move(dropped)};
    forward(packet);
}

void Network::forward(std::uint32_t packet) {
    Packet& sent = packets_[packet];
    if (sent.hop == sent.route.hops()) return end(packet, true)();
    Link& link = links_[sent.route.hop(sent.hop++)];
    const std::optional<double> arrival = link.enter(events_.now(), sent.size_B, random_);
    if (!arrival) return end(packet, false)();
    const double relayed_s = sent.hop == sent.route.first->size() && sent.route.second != nullptr ? kStack_s : 0.0;
    events_.at(*arrival + relayed_s, [this, packet] { forward(packet); });
}

/// The packet is no more; what its sender wanted to be told.
std::function<void()> Network::end(std::uint32_t packet, bool arrived) {
    Packet& sent = packets_[packet];
    std::function<void()> told = std::move(arrived ? sent.arrived : sent.dropped);
    sent = Packet{};
    free_.push_back(packet);
    return told ? told : [] {};
}

double Network::transit_s(Route route) const {
    double total_s = route.second != nullptr ? kStack_s : 0.0;
    for (std::size_t hop = 0; hop < route.hops(); ++hop) {
        const Link& link = links_[route.hop(hop)];
        total_s += link.latency_s() + link.backlog_s(events_.now());
    }
    return total_s;
}

}  // namespace fairlead::sim
