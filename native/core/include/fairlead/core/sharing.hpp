// SPDX-License-Identifier: Apache-2.0
// The sensitivity relation: which ordered pairs suffer when traffic is injected on which.
//
// Hosts behind one switch suffer alike, so the relation is kept by groups of hosts: it grows with the groups' pairs,
// and with a few bits a pair of hosts, not with the pairs' pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fairlead/core/types.hpp"

namespace fairlead::core {

/// What an injection on a pair of hosts fills.
enum class Filled : std::uint8_t {
    between_groups,  ///< a link between the groups of its hosts: it hurts the pairs of hosts of the groups it hurts
    of_source,       ///< the link of its source: it hurts all paths from there
    of_destination   ///< the link of its destination: it hurts all paths to there
};

class SharingRelation {
  public:
    /// Each host is a group of its own, and each injection fills a link between groups.
    explicit SharingRelation(HostId host_count);
    /// Hosts in groups: by host, its group's number, below the number of hosts. Nothing is filled until it is set.
    /// Throws std::invalid_argument for groups that are not so.
    SharingRelation(HostId host_count, std::vector<HostId> group_of);

    HostId host_count() const { return static_cast<HostId>(group_of_.size()); }

    /// An injection between the first two groups hurts paths between the second two; of the same two: each other's.
    /// Throws std::invalid_argument for a group that there is not.
    void set_hurts(Pair injected, Pair hurt);
    /// Throws std::invalid_argument for a pair outside the job.
    void set_fills(Pair injected, Filled what);

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
    using Cell = std::uint32_t;  ///< an ordered pair of groups

    void gather_members();
    bool fills(Pair pair, Filled what) const;
    Cell cell_of(Pair pair) const;
    bool cell_hurts(Cell injected, Cell hurt) const;
    /// What the hosts of one group share with a path as its sources.
    struct Shared {
        bool hurt = false;            ///< the path hurts paths of each of them
        std::vector<HostId> hurting;  ///< groups to which their paths hurt it, where these fill a link between groups
    };
    std::vector<Shared> shared_by_groups(Pair pair) const;
    bool source_shares(HostId source, Pair pair, const Shared& of_group) const;
    /// Whether `each` is true for a pair of the cell's groups whose injection fills a link between them.
    template <typename Each>
    bool any_between(Cell cell, Each each) const;
    /// Of the pairs of a host with the hosts of a group: how many fill the link of that host.
    struct EndFills {
        std::uint16_t all = 0;
        std::uint16_t between = 0;  ///< of these, those that fill a link between groups as well
    };
    static void count(EndFills& fills, Filled end, std::uint8_t before, std::uint8_t after);
    /// Injections on other pairs that hurt this one by the link of a host, and by no other.
    std::size_t hurting_ends(Pair pair) const;

    std::vector<HostId> group_of_;
    std::vector<std::vector<HostId>> members_;  ///< by group
    bool apart_;                                ///< each host is a group of its own
    bool known_ = false;
    // Sparse and sorted: most groups' pairs share with few. Empty until something is set.
    std::vector<std::vector<Cell>> hurt_by_;   ///< per cell: those whose injections hurt it
    std::vector<std::uint8_t> fills_;          ///< per pair of hosts: a bit for each of Filled; empty where apart
    std::vector<std::uint32_t> fill_between_;  ///< per cell: its pairs that fill a link between groups
    std::vector<EndFills> fills_from_;         ///< per source and group of destinations
    std::vector<EndFills> fills_to_;           ///< per destination and group of sources
};

}  // namespace fairlead::core
