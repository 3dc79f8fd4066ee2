// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/load_balancing.hpp"

#include <limits>
#include <queue>
#include <stdexcept>

#include "fairlead/core/random.hpp"

namespace fairlead::sim {

namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

}  // namespace

FlowLabel relabelled(FlowLabel label, std::uint64_t salt) {
    return core::Random(label ^ core::Random(salt).next()).next();
}

EqualCostPaths::EqualCostPaths(const Topology& topology)
    : links_(topology.links()), ends_(topology.ends()), entering_(topology.nodes()) {
    for (LinkId id = 0; id < links_.size(); ++id) entering_[links_[id].to].push_back(id);
}

/// From every node to an end; no path leads through another end.
const EqualCostPaths::Onward& EqualCostPaths::onward(EndId source, EndId destination) {
    const auto [found, anew] = onward_.try_emplace(destination, entering_.size());
    Onward& links = found->second;
    if (anew) {
        std::vector<std::uint32_t> distance(entering_.size(), kUnreached);
        distance[destination] = 0;
        std::queue<NodeId> reached({destination});
        for (; !reached.empty(); reached.pop()) {
            const NodeId node = reached.front();
            if (node < ends_ && node != destination) continue;
            for (const LinkId id : entering_[node]) {
                const NodeId before = links_[id].from;
                if (distance[before] == kUnreached) {
                    distance[before] = distance[node] + 1;
                    reached.push(before);
                }
                if (distance[before] == distance[node] + 1) links[before].push_back(id);
            }
        }
    }
    if (links[source].empty()) throw std::invalid_argument("no path leads from one end to another");
    return links;
}

const Path& EqualCostPaths::path(EndId source, EndId destination, FlowLabel label) {
    const Onward& links = onward(source, destination);
    Path path;
    for (NodeId node = source; node != destination; node = links_[path.back()].to) {
        const std::vector<LinkId>& choices = links[node];
        path.push_back(choices.size() == 1 ? choices.front() : choices[relabelled(label, node) % choices.size()]);
    }
    return *paths_[{source, destination}].insert(std::move(path)).first;
}

Path EqualCostPaths::common(EndId source, EndId destination) {
    const Onward& links = onward(source, destination);
    Path shared;
    std::set<NodeId> layer{source};  // what paths can have reached after so many links
    while (!layer.contains(destination)) {
        std::set<NodeId> next;
        std::vector<LinkId> taken;
        for (const NodeId node : layer) {
            for (const LinkId id : links[node]) {
                taken.push_back(id);
                next.insert(links_[id].to);
            }
        }
        if (taken.size() == 1) shared.push_back(taken.front());
        layer = std::move(next);
    }
    return shared;
}

}  // namespace fairlead::sim
