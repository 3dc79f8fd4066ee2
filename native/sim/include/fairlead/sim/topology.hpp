// SPDX-License-Identifier: Apache-2.0
// A network as data: nodes, directed links, and a path for every ordered pair of ends.
//
// Ends are what sends and receives. The job's hosts come first, 0 to hosts() - 1, as the agents number them; behind
// them come neighbours, whose traffic is foreign. The other nodes are switches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/core/types.hpp"
#include "fairlead/sim/link.hpp"

namespace fairlead::sim {

using NodeId = std::uint32_t;
using EndId = core::HostId;  ///< the number of an end is that of its node
using LinkId = std::uint32_t;
using Path = std::vector<LinkId>;

class Topology {
  public:
    struct Edge {
        NodeId from = 0;
        NodeId to = 0;
        LinkKind kind;
    };

    /// Throws std::invalid_argument for a name that is empty or given twice, no host, or more than core::kMaxHosts
    /// ends.
    Topology(const std::vector<std::string>& hosts, const std::vector<std::string>& neighbours,
             const std::vector<std::string>& switches);

    /// Throws std::invalid_argument for nodes that do not exist or are the same, a link that there is already, a rate
    /// or a limit that is not positive, a negative delay, or a loss outside [0, 1).
    LinkId add_link(NodeId from, NodeId to, const LinkKind& kind);
    /// A link each way.
    void connect(NodeId a, NodeId b, const LinkKind& kind);

    /// The way from one end to another by the nodes that it passes, both ends among them. Throws std::invalid_argument
    /// if these are no two ends, or a link is missing.
    void set_path(const std::vector<NodeId>& nodes);
    /// The fewest links for every pair that has no path yet; of several such paths the one over the lowest nodes. No
    /// path leads through an end. Throws std::invalid_argument for a pair that is not connected.
    void complete_paths();

    EndId hosts() const { return hosts_; }
    EndId ends() const { return ends_; }
    std::size_t nodes() const { return names_.size(); }
    const std::string& name(NodeId node) const { return names_[node]; }
    std::optional<NodeId> find(std::string_view name) const;
    const std::vector<Edge>& links() const { return links_; }
    std::optional<LinkId> link(NodeId from, NodeId to) const;
    /// Of two different ends; empty if it was never set.
    const Path& path(EndId source, EndId destination) const { return paths_[index(source, destination)]; }

  private:
    std::size_t index(EndId source, EndId destination) const {
        return static_cast<std::size_t>(source) * ends_ + destination;
    }
    std::vector<NodeId> nearest_before(EndId source) const;

    EndId hosts_;
    EndId ends_;
    std::vector<std::string> names_;
    std::vector<Edge> links_;
    std::vector<std::vector<LinkId>> leaving_;  ///< by node
    std::vector<Path> paths_;
};

/// Leafs with hosts h0, h1, ... and neighbours n0, n1, ..., leaf after leaf.
struct Leafs {
    int leafs = 4;
    int hosts_per_leaf = 2;
    int neighbours_per_leaf = 1;
    LinkKind host;
    LinkKind neighbour;
    LinkKind trunk;  ///< between switches
};

/// All ends at one switch; `leafs` and `trunk` do not matter.
Topology star(const Leafs& kind);
/// Leafs that are joined pairwise.
Topology mesh(const Leafs& kind);
/// Every leaf joined to every spine; two leafs always use the same spine, both ways. The spines are spread over pairs
/// of leafs by the rounds of a round-robin tournament, so that with enough of them no two paths out of a leaf share
/// one.
Topology leaf_spine(const Leafs& kind, int spines);
/// A fat tree of three tiers (Al-Fares et al., SIGCOMM 2008, section 3): `pods`, an even number, of pods / 2 leafs and
/// as many aggregation switches, each of which has a link to pods / 2 core switches of its own rank; `leafs` does not
/// matter. With pods / 2 hosts at each leaf as much leads up as down, with twice as many half as much. Each pair of
/// ends has the path over the lowest switches; load balancing spreads over all of them.
Topology fat_tree(const Leafs& kind, int pods);

}  // namespace fairlead::sim
