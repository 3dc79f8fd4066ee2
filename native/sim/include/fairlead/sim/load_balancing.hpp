// SPDX-License-Identifier: Apache-2.0
// How switches spread flows over equal-cost paths, and hosts over new ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

enum class LoadBalancing : std::uint8_t {
    none,      ///< each pair of ends has the topology's path
    ecmp,      ///< a connection keeps the path that the hash of its header gives (RFC 2992)
    rehash,    ///< ecmp, and a connection that begins to retransmit gets another header (as Linux' txrehash, PLB)
    flowlets,  ///< what follows a pause takes a path of its own (LetFlow)
    packets    ///< each segment takes a path of its own; receivers put them in order again
};

struct LoadBalancingSettings {
    LoadBalancing kind = LoadBalancing::none;
    double flowlet_gap_s = 500e-6;  ///< of flowlets: the shortest pause
};

/// What switches hash: the same header, the same label.
using FlowLabel = std::uint64_t;

/// Another label, always the same one for a label and a salt.
FlowLabel relabelled(FlowLabel label, std::uint64_t salt = 0);

/// All paths with the fewest links. A switch chooses among its links that lead on by a hash of the flow's label, and
/// each switch by another hash.
class EqualCostPaths {
  public:
    explicit EqualCostPaths(const Topology& topology);

    /// Lives as long as this object. The ends must differ and be connected.
    const Path& path(EndId source, EndId destination, FlowLabel label);
    /// The links that all these paths have in common.
    Path common(EndId source, EndId destination);

  private:
    using Onward = std::vector<std::vector<LinkId>>;  ///< by node: the links that lead on; none where no path leads

    const Onward& onward(EndId source, EndId destination);

    const std::vector<Topology::Edge>& links_;
    EndId ends_;
    std::vector<std::vector<LinkId>> entering_;                ///< by node
    std::map<EndId, Onward> onward_;                           ///< by destination
    std::map<std::pair<EndId, EndId>, std::set<Path>> paths_;  ///< those that were asked for
};

}  // namespace fairlead::sim
