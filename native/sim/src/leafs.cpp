// SPDX-License-Identifier: Apache-2.0
// Star, mesh and leaf-spine, the networks of src/fairlead/lab/resolve.py, and the fat tree.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

namespace {

std::vector<std::string> numbered(const char* prefix, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
    return names;
}

/// The ends of all leafs, joined to them; other switches have no links yet.
Topology with_ends(const Leafs& kind, const std::vector<std::string>& leafs,
                   const std::vector<std::string>& others = {}) {
    if (leafs.empty() || kind.hosts_per_leaf < 1 || kind.neighbours_per_leaf < 0) {
        throw std::invalid_argument("a network needs leaves, and each leaf needs hosts");
    }
    const auto count = static_cast<int>(leafs.size());
    std::vector<std::string> switches = leafs;
    switches.insert(switches.end(), others.begin(), others.end());
    Topology topology(numbered("h", count * kind.hosts_per_leaf), numbered("n", count * kind.neighbours_per_leaf),
                      switches);
    for (NodeId end = 0; end < topology.ends(); ++end) {
        const bool host = end < topology.hosts();
        const int at = static_cast<int>(host ? end : end - topology.hosts());
        const int leaf = at / (host ? kind.hosts_per_leaf : kind.neighbours_per_leaf);
        topology.connect(end, topology.ends() + static_cast<NodeId>(leaf), host ? kind.host : kind.neighbour);
    }
    return topology;
}

/// The round in which two of `players` meet, where every one meets one other a round.
int round_of(int low, int high, int players) {
    const int rounds = players - 1;
    return high == players - 1 ? (2 * low) % rounds : (low + high) % rounds;
}

/// The leaf that each end is joined to.
std::vector<NodeId> leafs_of(const Topology& topology) {
    std::vector<NodeId> leafs(topology.ends());
    for (const Topology::Edge& edge : topology.links()) {
        if (edge.from < topology.ends()) leafs[edge.from] = edge.to;
    }
    return leafs;
}

}  // namespace

Topology star(const Leafs& kind) {
    Leafs one = kind;
    one.leafs = 1;
    Topology topology = with_ends(one, {"switch"});
    topology.complete_paths();
    return topology;
}

Topology mesh(const Leafs& kind) {
    Topology topology = with_ends(kind, numbered("leaf", kind.leafs));
    const NodeId first = topology.ends();
    for (NodeId a = first; a < topology.nodes(); ++a) {
        for (NodeId b = a + 1; b < topology.nodes(); ++b) topology.connect(a, b, kind.trunk);
    }
    topology.complete_paths();
    return topology;
}

Topology leaf_spine(const Leafs& kind, int spines) {
    if (spines < 1) throw std::invalid_argument("a leaf-spine network needs spines");
    Topology topology = with_ends(kind, numbered("leaf", kind.leafs), numbered("spine", spines));
    const NodeId first_leaf = topology.ends();
    const NodeId first_spine = first_leaf + static_cast<NodeId>(kind.leafs);
    for (NodeId leaf = first_leaf; leaf < first_spine; ++leaf) {
        for (NodeId spine = first_spine; spine < topology.nodes(); ++spine) topology.connect(leaf, spine, kind.trunk);
    }
    const int players = kind.leafs + kind.leafs % 2;
    const std::vector<NodeId> leafs = leafs_of(topology);
    for (EndId source = 0; source < topology.ends(); ++source) {
        for (EndId destination = 0; destination < topology.ends(); ++destination) {
            const NodeId a = leafs[source];
            const NodeId b = leafs[destination];
            if (a == b) continue;
            const int round = round_of(static_cast<int>(std::min(a, b) - first_leaf),
                                       static_cast<int>(std::max(a, b) - first_leaf), players);
            topology.set_path({source, a, first_spine + static_cast<NodeId>(round % spines), b, destination});
        }
    }
    topology.complete_paths();
    return topology;
}

Topology fat_tree(const Leafs& kind, int pods) {
    if (pods < 2 || pods % 2 != 0) throw std::invalid_argument("a fat tree has an even number of pods");
    const auto half = static_cast<NodeId>(pods / 2);
    const NodeId per_tier = static_cast<NodeId>(pods) * half;
    std::vector<std::string> upper = numbered("aggregation", static_cast<int>(per_tier));
    for (std::string& core : numbered("core", static_cast<int>(half * half))) upper.push_back(std::move(core));
    Topology topology = with_ends(kind, numbered("leaf", static_cast<int>(per_tier)), upper);
    const NodeId first_leaf = topology.ends();
    const NodeId first_aggregation = first_leaf + per_tier;
    const NodeId first_core = first_aggregation + per_tier;
    for (NodeId at = 0; at < per_tier; ++at) {
        const NodeId aggregation = first_aggregation + at;
        const NodeId pod = at / half;
        const NodeId rank = at % half;
        for (NodeId i = 0; i < half; ++i) {
            topology.connect(first_leaf + pod * half + i, aggregation, kind.trunk);
            topology.connect(aggregation, first_core + rank * half + i, kind.trunk);
        }
    }
    topology.complete_paths();
    return topology;
}

}  // namespace fairlead::sim
