// SPDX-License-Identifier: Apache-2.0
// This host as a relay: what it has granted to whom, within which rate budget, and what its interface carries anyway.
#pragma once

#include <vector>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class RelayDesk {
  public:
    RelayDesk(HostId host_count, double budget_bps, const RelaySettings& settings);

    /// Whether this rate still fits; if so it is granted, replacing an earlier grant of the same path. Rate 0 (a
    /// reroute by hand) always fits. A budget of 0 means that none is known: everything fits. What other jobs' relaying
    /// and this host's own programs take counts as well, by what passes the interface. A pair that would do with
    /// `least_bps` (0: it would not) gets a fair share beside the others if that is as much.
    bool request(Pair path, double rate_bps, double least_bps, Time now);
    void release(Pair path);
    /// Measured at the interface, everything together.
    void on_interface(double rate_bps);
    /// The path is in use: its grant lives on. One that ended meanwhile, because its source stood still, is there
    /// again, with what of this rate is a fair share: its traffic takes this relay already.
    void renew(Pair path, double rate_bps, Time now);
    /// Forgets a source whose agent is gone.
    void forget(HostId source);
    /// Ends grants that were not renewed for a lease.
    void expire(Time now);
    /// All granted paths, for a revocation when this agent stops.
    std::vector<Pair> granted() const;

    /// Share of the budget that is granted, or passes the interface if that is more; without a budget, the number of
    /// grants.
    double load() const;
    Time next_deadline() const;

  private:
    struct Grant {
        Pair path;
        double rate_bps = 0.0;
        Time renewed = 0.0;
    };
    double granted_bps() const;
    double whole_bps() const;
    double fair_bps(Pair path) const;

    HostId host_count_;
    double budget_bps_;
    double measured_bps_ = 0.0;
    double highest_bps_ = 0.0;  ///< ever measured
    const RelaySettings& settings_;
    std::vector<Grant> grants_;  ///< at most one a path, so bounded by host_count^2
};

}  // namespace fairlead::core
