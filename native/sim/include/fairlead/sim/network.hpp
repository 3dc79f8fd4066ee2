// SPDX-License-Identifier: Apache-2.0
// Packets on their way over a topology's links, and the detours that are in force.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/load_balancing.hpp"
#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

/// Time through one host's kernel, a relay's among them.
inline constexpr double kStack_s = 30e-6;

/// What TCP carries in a packet of Ethernet, and the headers on top.
inline constexpr double kPacket_B = 1448.0;
inline constexpr double kHeader_B = 66.0;

/// Packets that a link carries, of so many bytes with their headers.
inline std::uint64_t packets_in(double carried_B) {
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(carried_B / (kPacket_B + kHeader_B))));
}

/// What a link carries of so many bytes.
inline double wire_B(double size_B) {
    return size_B + kHeader_B * std::ceil(size_B / kPacket_B);
}

/// Number of a job on the hosts, from 0; foreign traffic belongs to none.
inline constexpr int kForeign = -1;

/// A path, or two that meet at a relay.
struct Route {
    const Path* first = nullptr;
    const Path* second = nullptr;

    std::size_t hops() const { return first->size() + (second != nullptr ? second->size() : 0); }
    LinkId hop(std::size_t i) const { return i < first->size() ? (*first)[i] : (*second)[i - first->size()]; }
};

class Network {
  public:
    /// `jobs` of them have detours of their own. Every pair of ends must have a path.
    Network(EventQueue& events, Topology topology, int jobs, std::uint64_t seed,
            const LoadBalancingSettings& load_balancing = {});
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    const Topology& topology() const { return topology_; }
    Link& link(LinkId id) { return links_[id]; }
    const Link& link(LinkId id) const { return links_[id]; }

    /// The relay, or the way (core::is_way), of a job's packets from one host to another; core::kNoHost: they take the
    /// direct path.
    core::HostId relay(int job, EndId source, EndId destination) const {
        return relays_[index(job, source, destination)];
    }
    void set_relay(int job, EndId source, EndId destination, core::HostId relay) {
        relays_[index(job, source, destination)] = relay;
    }

    /// Payload that may travel as one segment. Links drop and lose segments as a whole: every queue must have room for
    /// several of them, and where a link loses packets at random each travels by itself.
    double most_at_once_B() const { return most_at_once_B_; }

    const LoadBalancingSettings& load_balancing() const { return load_balancing_; }
    /// Of a connection: the same whenever it is opened, in every run with this seed. `number` tells those of a job
    /// between two ends apart.
    FlowLabel label(int job, EndId source, EndId destination, std::uint64_t number) const;

    Route direct(EndId source, EndId destination, FlowLabel label) {
        return {&path(source, destination, label), nullptr};
    }
    /// Packets of a detour have an outer header, whose ports are a hash of the inner one.
    Route over(EndId source, EndId relay, EndId destination, FlowLabel label) {
        const FlowLabel outer = relabelled(label, kOuter);
        return {&path(source, relay, outer), &path(relay, destination, outer)};
    }
    /// Packets of a way have an outer header with a port of its own, whatever the inner one: all take one path.
    Route by_way(int job, EndId source, EndId destination, core::HostId way) {
        return direct(source, destination,
                      label(job, source, destination, kWays + static_cast<std::uint64_t>(core::way_number(way))));
    }
    /// What a job's packets with this label take now.
    Route route(int job, EndId source, EndId destination, FlowLabel label);
    /// Links that a pair's packets take whatever their label, on the direct path.
    Path certain_links(EndId source, EndId destination);

    /// One packet. Exactly one of the two is called: at once if the first link drops it, else when it happens.
    void send(Route route, double size_B, std::function<void()> arrived, std::function<void()> dropped);

    /// How long a packet takes that is sent now, if queues stay as they are and its own size counts for nothing.
    double transit_s(Route route) const;

  private:
    struct Packet {
        Route route;
        std::size_t hop = 0;
        double size_B = 0.0;
        std::function<void()> arrived;
        std::function<void()> dropped;
    };

    std::size_t index(int job, EndId source, EndId destination) const {
        return (static_cast<std::size_t>(job) * topology_.ends() + source) * topology_.ends() + destination;
    }
    const Path& path(EndId source, EndId destination, FlowLabel label);
    void forward(std::uint32_t packet);
    std::function<void()> end(std::uint32_t packet, bool arrived);

    static constexpr std::uint64_t kOuter = 1;                       ///< salt
    static constexpr std::uint64_t kWays = std::uint64_t{1} << 62U;  ///< no connection has such a number

    EventQueue& events_;
    Topology topology_;
    std::uint64_t seed_;
    LoadBalancingSettings load_balancing_;
    EqualCostPaths equal_cost_paths_;
    core::Random random_;
    std::vector<Link> links_;
    double most_at_once_B_ = kPacket_B;
    std::vector<core::HostId> relays_;
    std::deque<Packet> packets_;       ///< those under way, and room of earlier ones
    std::vector<std::uint32_t> free_;  ///< the latter
};

}  // namespace fairlead::sim
