// SPDX-License-Identifier: Apache-2.0
// Star, mesh and leaf-spine: the networks of src/fairlead/lab/resolve.py.
#include <stdexcept>

#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

namespace {

std::vector<std::string> numbered(const char* prefix, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
    return names;
}

/// The ends of all leafs, joined to them; spines have no links yet.
Topology with_ends(const Leafs& kind, const std::vector<std::string>& leafs, int spines) {
    if (leafs.empty() || kind.hosts_per_leaf < 1 || kind.neighbours_per_leaf < 0 || spines < 0) {
        throw std::invalid_argument("a network needs leaves, and each leaf needs hosts");
    }
    const auto count = static_cast<int>(leafs.size());
    std::vector<std::string> switches = leafs;
    for (std::string& spine : numbered("spine", spines)) switches.push_back(std::move(spine));
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

/// The leaf that an end is joined to.
NodeId leaf_of(const Topology& topology, EndId end) {
    for (const Topology::Edge& edge : topology.links()) {
        if (edge.from == end) return edge.to;
    }
    throw std::logic_error("an end without a leaf");
}

}  // namespace

Topology star(const Leafs& kind) {
    Leafs one = kind;
    one.leafs = 1;
    Topology topology = with_ends(one, {"switch"}, 0);
    topology.complete_paths();
    return topology;
}

Topology mesh(const Leafs& kind) {
    Topology topology = with_ends(kind, numbered("leaf", kind.leafs), 0);
    const NodeId first = topology.ends();
    for (NodeId a = first; a < topology.nodes(); ++a) {
        for (NodeId b = a + 1; b < topology.nodes(); ++b) topology.connect(a, b, kind.trunk);
    }
    topology.complete_paths();
    return topology;
}

Topology leaf_spine(const Leafs& kind, int spines) {
    if (spines < 1) throw std::invalid_argument("a leaf-spine network needs spines");
    Topology topology = with_ends(kind, numbered("leaf", kind.leafs), spines);
    const NodeId first_leaf = topology.ends();
    const NodeId first_spine = first_leaf + static_cast<NodeId>(kind.leafs);
    for (NodeId leaf = first_leaf; leaf < first_spine; ++leaf) {
        for (NodeId spine = first_spine; spine < topology.nodes(); ++spine) topology.connect(leaf, spine, kind.trunk);
    }
    const int players = kind.leafs + kind.leafs % 2;
    for (EndId source = 0; source < topology.ends(); ++source) {
        for (EndId destination = 0; destination < topology.ends(); ++destination) {
            const NodeId a = leaf_of(topology, source);
            const NodeId b = leaf_of(topology, destination);
            if (a == b) continue;
            const int round = round_of(static_cast<int>(std::min(a, b) - first_leaf),
                                       static_cast<int>(std::max(a, b) - first_leaf), players);
            topology.set_path({source, a, first_spine + static_cast<NodeId>(round % spines), b, destination});
        }
    }
    topology.complete_paths();
    return topology;
}

}  // namespace fairlead::sim
