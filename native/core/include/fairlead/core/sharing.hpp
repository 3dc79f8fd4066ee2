// SPDX-License-Identifier: Apache-2.0
// The sensitivity relation: which ordered pairs suffer when traffic is injected on which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

class SharingRelation {
  public:
    explicit SharingRelation(HostId host_count);

    HostId host_count() const { return host_count_; }

    /// Injected traffic on `injected` hurt `hurt`. Throws std::invalid_argument for a pair outside the job.
    void set_hurts(Pair injected, Pair hurt);

    /// Whether anything was ever set. Where nothing is known, pairs with the same source or destination are taken to
    /// share, and no others.
    bool known() const { return known_; }

    /// Whether injecting on `injected` hurts `hurt`; a pair always hurts itself.
    bool hurts(Pair injected, Pair hurt) const;

    /// Whether the two have a bottleneck in common: one hurts the other.
    bool shares(Pair a, Pair b) const { return hurts(a, b) || hurts(b, a); }

    /// Share of the injections on other pairs that hurt this one, 0 to 1.
    double weight(Pair pair) const;

    /// Whether the detour over `relay` avoids anything: some injection hurts the direct path and neither leg. In a
    /// star there is no such injection for any relay. True where nothing is known.
    bool avoids(Pair direct, HostId relay) const;

    /// For every host the number, from 0, of the path group of a detour over it: path groups of different numbers have
    /// no bottleneck in common. Sources of paths that share a bottleneck number them alike. 0 for one that avoids
    /// nothing.
    std::vector<std::size_t> path_groups(Pair direct) const;

    /// Hosts (other than the source) with a pair that shares a bottleneck with this one.
    std::vector<HostId> sources_sharing(Pair pair) const;

  private:
    std::uint32_t index(Pair pair) const;

    HostId host_count_;
    bool known_ = false;
    // Sparse and sorted: most pairs share with few. Indices are pair_index; both are empty until something is set.
    std::vector<std::vector<std::uint32_t>> hurt_by_;  ///< per pair: the injections that hurt it
    std::vector<std::vector<std::uint32_t>> sharing_;  ///< per pair: those it hurts or is hurt by
};

}  // namespace fairlead::core
