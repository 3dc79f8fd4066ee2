// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/topology.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>

namespace fairlead::sim {

namespace {

constexpr NodeId kNone = 0xffffffff;

void check(const LinkKind& kind, const std::string& name) {
    const auto demand = [&name](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument("link " + name + ": " + what);
    };
    demand(kind.rate_bps > 0.0, "its rate must be positive");
    demand(kind.limit_B > 0.0, "its queue must have room");
    demand(kind.delay_s >= 0.0, "its delay must not be negative");
    demand(kind.loss >= 0.0 && kind.loss < 1.0, "its loss must be at least 0 and less than 1");
}

}  // namespace

Topology::Topology(const std::vector<std::string>& hosts, const std::vector<std::string>& neighbours,
                   const std::vector<std::string>& switches) {
    const std::size_t ends = hosts.size() + neighbours.size();
    if (hosts.empty() || ends > core::kMaxHosts) {
        throw std::invalid_argument("a network has at least one host and at most " + std::to_string(core::kMaxHosts) +
                                    " hosts and neighbours");
    }
    hosts_ = static_cast<EndId>(hosts.size());
    ends_ = static_cast<EndId>(ends);
    for (const auto* names : {&hosts, &neighbours, &switches}) {
        for (const std::string& name : *names) {
            if (name.empty()) throw std::invalid_argument("a node has no name");
            if (find(name)) throw std::invalid_argument("two nodes are called " + name);
            names_.push_back(name);
        }
    }
    leaving_.resize(names_.size());
    paths_.resize(ends * ends);
}

LinkId Topology::add_link(NodeId from, NodeId to, const LinkKind& kind) {
    if (from >= nodes() || to >= nodes() || from == to) throw std::invalid_argument("a link joins two different nodes");
    const std::string called = name(from) + " -> " + name(to);
    if (link(from, to)) throw std::invalid_argument("link " + called + ": declared twice");
    check(kind, called);
    links_.push_back(Edge{from, to, kind});
    const auto id = static_cast<LinkId>(links_.size() - 1);
    leaving_[from].push_back(id);
    return id;
}

void Topology::connect(NodeId a, NodeId b, const LinkKind& kind) {
    add_link(a, b, kind);
    add_link(b, a, kind);
}

std::optional<NodeId> Topology::find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<NodeId>(found - names_.begin());
}

std::optional<LinkId> Topology::link(NodeId from, NodeId to) const {
    for (const LinkId id : leaving_[from]) {
        if (links_[id].to == to) return id;
    }
    return std::nullopt;
}

void Topology::set_path(const std::vector<NodeId>& nodes) {
    if (nodes.size() < 2 || nodes.front() >= ends_ || nodes.back() >= ends_ || nodes.front() == nodes.back()) {
        throw std::invalid_argument("a path leads from one end to another");
    }
    Path path;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const std::optional<LinkId> next = link(nodes[i], nodes[i + 1]);
        if (!next) throw std::invalid_argument("there is no link " + name(nodes[i]) + " -> " + name(nodes[i + 1]));
        path.push_back(*next);
    }
    paths_[index(static_cast<EndId>(nodes.front()), static_cast<EndId>(nodes.back()))] = std::move(path);
}

/// For every node the one before it on the way from the source with the fewest links.
std::vector<NodeId> Topology::nearest_before(EndId source) const {
    std::vector<NodeId> before(nodes(), kNone);
    before[source] = source;
    std::queue<NodeId> reached({source});
    for (; !reached.empty(); reached.pop()) {
        const NodeId node = reached.front();
        if (node < ends_ && node != source) continue;
        std::vector<NodeId> next;
        for (const LinkId id : leaving_[node]) next.push_back(links_[id].to);
        std::sort(next.begin(), next.end());
        for (const NodeId other : next) {
            if (before[other] != kNone) continue;
            before[other] = node;
            reached.push(other);
        }
    }
    return before;
}

void Topology::complete_paths() {
    for (EndId source = 0; source < ends_; ++source) {
        const std::vector<NodeId> before = nearest_before(source);
        for (EndId destination = 0; destination < ends_; ++destination) {
            if (source == destination || !path(source, destination).empty()) continue;
            if (before[destination] == kNone) {
                throw std::invalid_argument("no path leads from " + name(source) + " to " + name(destination));
            }
            std::vector<NodeId> nodes{destination};
            while (nodes.back() != source) nodes.push_back(before[nodes.back()]);
            std::reverse(nodes.begin(), nodes.end());
            set_path(nodes);
        }
    }
}

}  // namespace fairlead::sim
