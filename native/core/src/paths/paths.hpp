// SPDX-License-Identifier: Apache-2.0
// What is known of the job's paths: baselines, shared bottlenecks, and what probes of this host's own paths say now.
#pragma once

#include <optional>
#include <utility>

#include "fairlead/core/base.hpp"
#include "fairlead/core/path_table.hpp"
#include "fairlead/core/sharing.hpp"
#include "job.hpp"
#include "outbox.hpp"
#include "paths/probe_desk.hpp"

namespace fairlead::core {

/// What a relay reported of its leg.
LegState leg_of(const wire::PathReport& report);

class Paths {
  public:
    Paths(const Job& job, BaseTable base, SharingRelation sharing);

    const BaseTable& base() const { return base_; }
    const SharingRelation& sharing() const { return sharing_; }
    const ProbeDesk& probes() const { return probes_; }
    ProbeDesk& probes() { return probes_; }

    /// One of another number of hosts is ignored.
    void set_sharing(const SharingRelation& sharing);
    /// A baseline that was learnt.
    void set_latency(HostId destination, double latency_s, Time now);

    /// Smallest message's one-way time on the free path, or what stands in for it; 0: unknown.
    double base_latency_s(Pair path) const;
    /// Rate of the link where packets of the path may queue and packets of the other load it; nothing if they share
    /// none, 0 if it is unknown. `narrow_bps`: of the path's own narrowest link.
    std::optional<double> shared_bps(Pair path, double narrow_bps, Pair other) const;
    /// Queueing delay from which on the path to this host is not low.
    double threshold_s(HostId destination) const;
    /// From which on a detour to it is left for another: half good is not worth a reroute.
    double leave_threshold_s(HostId destination) const;
    CongestionLevel congestion_level(HostId destination) const {
        return probes_.congestion_level(destination).congestion_level();
    }
    /// The path's queueing delay of probes sent at or after `from`, and whether answers came at all.
    LegState state(HostId destination, Time from) const;

    /// A burst is done: the path's congestion level, and whether its baseline has shifted for good.
    void judge(const Burst& burst, Time now, Outbox& out);

  private:
    const Job& job_;
    BaseTable base_;
    SharingRelation sharing_;
    ProbeDesk probes_;
};

}  // namespace fairlead::core
