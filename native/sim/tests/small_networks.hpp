// SPDX-License-Identifier: Apache-2.0
// The smallest networks, whose times can be worked out by hand.
#pragma once

#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

inline constexpr double kNoLimit_B = 1e9;

/// Two hosts and a link each way.
inline Topology wire(double rate_bps, double delay_s, double limit_B = kNoLimit_B, double loss = 0.0) {
    Topology topology({"h0", "h1"}, {}, {});
    topology.connect(0, 1, {rate_bps, delay_s, limit_B, loss});
    topology.complete_paths();
    return topology;
}

/// `hosts` at a switch whose links have no delay and this rate.
inline Topology hub(int hosts, double rate_bps, double delay_s = 0.0) {
    Leafs kind;
    kind.hosts_per_leaf = hosts;
    kind.neighbours_per_leaf = 0;
    kind.host = {rate_bps, delay_s, kNoLimit_B};
    return star(kind);
}

}  // namespace fairlead::sim
