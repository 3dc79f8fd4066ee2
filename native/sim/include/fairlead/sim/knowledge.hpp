// SPDX-License-Identifier: Apache-2.0
// What `fairlead characterize` would have found on the free network: base latencies and throughputs, and which pairs
// share a bottleneck.
#pragma once

#include "fairlead/core/base.hpp"
#include "fairlead/core/sharing.hpp"
#include "fairlead/sim/network.hpp"
#include "fairlead/sim/topology.hpp"

namespace fairlead::sim {

/// One-way times of five sizes from 64 B to 512 KiB, and the narrowest link's rate, of every pair of hosts.
core::BaseTable base_table(const Topology& topology);

/// Traffic on a pair hurts the pairs whose path crosses its narrowest link, or one as narrow. Where flows of a pair
/// take different paths, only links that all of them take count.
core::SharingRelation sharing_relation(Network& network);

}  // namespace fairlead::sim
