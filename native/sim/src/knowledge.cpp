// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fairlead/sim/network.hpp"

namespace fairlead::sim {

namespace {

constexpr double kBefore_s = -60.0;  // when it was measured, before the agents' start

std::vector<core::Pair> pairs(const Topology& topology) {
    std::vector<core::Pair> all;
    for (core::HostId s = 0; s < topology.hosts(); ++s) {
        for (core::HostId d = 0; d < topology.hosts(); ++d) {
            if (s != d) all.push_back({s, d});
        }
    }
    return all;
}

double narrowest_bps(const Topology& topology, const Path& path) {
    double rate_bps = HUGE_VAL;
    for (const LinkId id : path) rate_bps = std::min(rate_bps, topology.links()[id].kind.rate_bps);
    return rate_bps;
}

/// That a link takes for so much, without what it lets pass at once.
double longest_s(const Topology& topology, const Path& path, double size_B) {
    double time_s = 0.0;
    for (const LinkId id : path) {
        const LinkKind& kind = topology.links()[id].kind;
        time_s = std::max(time_s, 8.0 * (size_B - kind.burst_B) / kind.rate_bps);
    }
    return time_s;
}

}  // namespace

core::BaseTable base_table(const Topology& topology) {
    core::BaseTable base(topology.hosts());
    for (const core::Pair pair : pairs(topology)) {
        const Path& path = topology.path(pair.source, pair.destination);
        const double rate_bps = narrowest_bps(topology, path);
        double delay_s = 2 * kStack_s;
        for (const LinkId id : path) delay_s += topology.links()[id].kind.delay_s;
        for (const std::uint64_t size_B : {64U, 1024U, 8192U, 65536U, 524288U}) {
            const double latency_s = delay_s + longest_s(topology, path, wire_B(static_cast<double>(size_B)));
            base.set_latency(pair, size_B, latency_s, kBefore_s);
        }
        base.set_throughput(pair, rate_bps * kPacket_B / wire_B(kPacket_B), kBefore_s);
    }
    return base;
}

core::SharingRelation sharing_relation(Network& network) {
    const Topology& topology = network.topology();
    const std::vector<core::Pair> all = pairs(topology);
    std::vector<Path> paths;
    std::vector<std::vector<core::Pair>> users(topology.links().size());
    for (const core::Pair pair : all) {
        paths.push_back(network.certain_links(pair.source, pair.destination));
        for (const LinkId id : paths.back()) users[id].push_back(pair);
    }
    core::SharingRelation sharing(topology.hosts());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double rate_bps = narrowest_bps(topology, topology.path(all[i].source, all[i].destination));
        for (const LinkId id : paths[i]) {
            if (topology.links()[id].kind.rate_bps > rate_bps) continue;
            for (const core::Pair hurt : users[id]) sharing.set_hurts(all[i], hurt);
        }
    }
    return sharing;
}

}  // namespace fairlead::sim
