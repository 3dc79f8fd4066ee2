// SPDX-License-Identifier: Apache-2.0
#include "topology_json.hpp"

#include "fairlead/sim/network.hpp"
#include "json/json_fields.hpp"

namespace fairlead::sim {

using agent::JsonFields;
using agent::ProtocolError;
using nlohmann::json;

namespace {

constexpr std::size_t kMaxNames = 1 << 20;
constexpr std::int64_t kMaxPerLeaf = 1024;
constexpr std::int64_t kMaxPods = 64;
constexpr double kMaxRate_bps = 1e13;
constexpr double kMaxDelay_s = 10.0;
constexpr double kMaxBurst_B = 1e9;

/// "queue_s" is how long a full queue takes to drain.
LinkKind link_kind(const JsonFields& fields) {
    LinkKind kind;
    kind.rate_bps = fields.number("rate_bps", 1.0, kMaxRate_bps);
    kind.limit_B = fields.number("queue_s", 0.0, kMaxDelay_s) * kind.rate_bps / 8.0;
    if (kind.limit_B < wire_B(kPacket_B)) fields.fail("queue_s", "long enough at this rate for a packet of 1514 B");
    if (fields.has("delay_s")) kind.delay_s = fields.number("delay_s", 0.0, kMaxDelay_s);
    if (fields.has("loss")) kind.loss = fields.number("loss", 0.0, 1.0);
    if (fields.has("burst_B")) kind.burst_B = fields.number("burst_B", 0.0, kMaxBurst_B);
    return kind;
}

LinkKind link_kind(const JsonFields& fields, const char* key) {
    return link_kind(JsonFields(fields.any(key), key, {"rate_bps", "queue_s", "delay_s", "loss", "burst_B"}));
}

std::vector<std::string> names(const JsonFields& fields, const char* key) {
    std::vector<std::string> found;
    if (!fields.has(key)) return found;
    for (const json& each : fields.list(key, 0, kMaxNames)) {
        if (!each.is_string()) fields.fail(key, "a list of names");
        found.push_back(each.get<std::string>());
    }
    return found;
}

Topology leafs_of(const json& value, const std::string& kind) {
    const JsonFields fields(value, "'topology'",
                            {"kind", "leafs", "spines", "pods", "hosts_per_leaf", "neighbours_per_leaf", "host_link",
                             "neighbour_link", "trunk"});
    Leafs leafs;
    leafs.hosts_per_leaf = static_cast<int>(fields.whole("hosts_per_leaf", 1, kMaxPerLeaf));
    leafs.neighbours_per_leaf = static_cast<int>(fields.whole("neighbours_per_leaf", 0, kMaxPerLeaf));
    leafs.host = link_kind(fields, "host_link");
    leafs.neighbour = fields.has("neighbour_link") ? link_kind(fields, "neighbour_link") : leafs.host;
    if (kind == "star") return star(leafs);
    if (kind == "fat-tree") {
        leafs.trunk = link_kind(fields, "trunk");
        return fat_tree(leafs, static_cast<int>(fields.whole("pods", 2, kMaxPods)));
    }
    leafs.leafs = static_cast<int>(fields.whole("leafs", 2, kMaxPerLeaf));
    leafs.trunk = link_kind(fields, "trunk");
    if (kind == "mesh") return mesh(leafs);
    return leaf_spine(leafs, static_cast<int>(fields.whole("spines", 1, kMaxPerLeaf)));
}

Topology graph_of(const json& value) {
    const JsonFields fields(value, "'topology'", {"kind", "hosts", "neighbours", "switches", "links", "paths"});
    Topology topology(names(fields, "hosts"), names(fields, "neighbours"), names(fields, "switches"));
    for (const json& each : fields.list("links", 1, kMaxNames)) {
        const JsonFields link(each, "a link",
                              {"from", "to", "both", "rate_bps", "queue_s", "delay_s", "loss", "burst_B"});
        const NodeId from = node_of(topology, link.any("from"), "a link's 'from'");
        const NodeId to = node_of(topology, link.any("to"), "a link's 'to'");
        if (link.has("both") && !link.any("both").is_boolean()) link.fail("both", "true or false");
        topology.add_link(from, to, link_kind(link));
        if (!link.has("both") || link.any("both").get<bool>()) topology.add_link(to, from, link_kind(link));
    }
    if (fields.has("paths")) {
        for (const json& each : fields.list("paths", 0, kMaxNames)) {
            if (!each.is_array()) fields.fail("paths", "a list of lists of names");
            std::vector<NodeId> nodes;
            for (const json& node : each) nodes.push_back(node_of(topology, node, "a path"));
            topology.set_path(nodes);
        }
    }
    topology.complete_paths();
    return topology;
}

}  // namespace

Topology topology_of(const json& value) {
    if (!value.is_object() || !value.contains("kind") || !value["kind"].is_string()) {
        throw ProtocolError("'topology' must be an object with a 'kind'");
    }
    const auto kind = value["kind"].get<std::string>();
    if (kind == "graph") return graph_of(value);
    if (kind == "star" || kind == "mesh" || kind == "leaf-spine" || kind == "fat-tree") return leafs_of(value, kind);
    throw ProtocolError("'topology': 'kind' must be star, mesh, leaf-spine, fat-tree or graph, not '" + kind + "'");
}

NodeId node_of(const Topology& topology, const json& name, const char* what) {
    const auto found = name.is_string() ? topology.find(name.get<std::string>()) : std::nullopt;
    if (!found) throw ProtocolError(std::string(what) + ": there is no node " + name.dump());
    return *found;
}

EndId end_of(const Topology& topology, const json& name, const char* what) {
    const NodeId node = node_of(topology, name, what);
    if (node >= topology.ends()) throw ProtocolError(std::string(what) + ": " + name.dump() + " is a switch");
    return static_cast<EndId>(node);
}

EndId host_of(const Topology& topology, const json& name, const char* what) {
    const EndId end = end_of(topology, name, what);
    if (end >= topology.hosts()) throw ProtocolError(std::string(what) + ": " + name.dump() + " is a neighbour");
    return end;
}

}  // namespace fairlead::sim
