// SPDX-License-Identifier: Apache-2.0
// Baselines of this host's paths, learnt from probes while the program runs, where no characterization measured them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fairlead/core/random.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"
#include "peers/due_times.hpp"

namespace fairlead::core {

/// The least that probes of a path ever took is its baseline, unless it is known to take less: from an earlier run, or
/// since a detour takes less. Then even the fastest probe met a queue, which is called hidden.
class LearntBases {
  public:
    LearntBases(HostId self, HostId host_count, const Settings& settings);

    /// Of an earlier run or a characterization: known from the start.
    void set_prior(HostId peer, double latency_s);
    /// A burst to the peer was answered; half of the smallest round trip so far. `whole`: it counts as a burst.
    void on_burst(HostId peer, double half_round_trip_s, bool whole, Time now);
    /// What a detour to the peer took, both legs and the relay together, with the smallest round trips seen.
    void on_detour(HostId peer, double latency_s);

    /// Whether there is a baseline: without one a pair is never rerouted.
    bool known(HostId peer) const;
    /// One-way time on the free path.
    std::optional<double> base_s(HostId peer) const;
    /// What the fastest probe of the direct path took longer than that.
    double hidden_s(HostId peer) const;

    /// Peers of whose paths a burst should learn more: soon until they are known, now and then later.
    std::vector<HostId> due(Time now) const { return looks_.due(now); }
    /// Whether it has been for so long that a gap in the program's traffic is not waited for any more.
    bool urgent(HostId peer, Time now) const { return now >= paths_[peer].wanted + settings_.learn.period_s / 2.0; }
    /// A burst is sent, or none is wanted.
    void looked(HostId peer, Time now, Random& random);
    void postpone(HostId peer, Time until);
    /// When the next path that is not known yet is due.
    Time next_due() const { return unknown_.next(); }

    /// Whether the baseline is new, or lower than when it was last told by a noteworthy share; `end`: at all.
    bool news(HostId peer, bool end) const;
    void told(HostId peer) { paths_[peer].told_s = base_s(peer).value_or(0.0); }

  private:
    struct Path {
        double prior_s = 0.0;   ///< 0: unknown, like what follows
        double direct_s = 0.0;  ///< least half round trip
        double detour_s = 0.0;
        double told_s = 0.0;
        int bursts = 0;
        Time counted = -1e9;
        Time wanted = 0.0;  ///< when the next burst is wanted
    };
    /// What the path is known to take at most when it is free, but for its own probes; 0: nothing.
    static double floor_s(const Path& path);

    const Settings& settings_;
    std::vector<Path> paths_;
    DueTimes looks_;    ///< when it is looked at again whether a burst is wanted
    DueTimes unknown_;  ///< the same of paths that are not known yet
};

}  // namespace fairlead::core
