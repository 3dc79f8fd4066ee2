// SPDX-License-Identifier: Apache-2.0
// The job's traffic that leaves this host, by destination: what its sockets say, which way it takes, and which of the
// links where a path's packets may queue it loads.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "fairlead/core/path_table.hpp"
#include "fairlead/core/recurrence.hpp"
#include "job.hpp"
#include "paths/paths.hpp"
#include "traffic/socket_watch.hpp"

namespace fairlead::core {

class Traffic {
  public:
    /// `link_bps`: the highest rate that was seen to leave this host in earlier runs; 0: unknown.
    Traffic(const Job& job, const Paths& paths, double link_bps)
        : job_(job), paths_(paths), link_bps_(link_bps), pairs_(job.hosts) {}

    /// Takes a sample and says whether the path deserves a look.
    Suspicion on_sample(const SocketSample& sample, Time now);
    /// Time passed: where baselines are learnt, the rate of all pairs together shows what the host's link can carry.
    void on_tick(Time now);
    /// The traffic to this destination takes this relay or way from now on; kNoHost: the direct path.
    void lead_over(HostId destination, HostId relay) { pairs_[destination].relay = relay; }
    void set_mix(HostId destination, std::vector<SizeShare> sizes) { pairs_[destination].mix = std::move(sizes); }
    /// Others' traffic was found on the path; `foreign_share`: as another pair's search counted it, 0: it has not.
    void hear_foreign(HostId destination, double foreign_share, Time now);

    /// Hosts that the program has ever had a connection to.
    const std::set<HostId>& partners() const { return partners_; }
    SocketWatch& sockets(HostId destination) { return pairs_[destination].sockets; }
    const SocketWatch& sockets(HostId destination) const { return pairs_[destination].sockets; }
    Recurrence& uses(HostId destination) { return pairs_[destination].uses; }
    const Recurrence& uses(HostId destination) const { return pairs_[destination].uses; }
    HostId relay(HostId destination) const { return pairs_[destination].relay; }
    bool detoured(HostId destination) const { return relay(destination) != kNoHost; }
    std::span<const SizeShare> mix(HostId destination) const;
    bool active(HostId destination, Time now) const;
    int pairs_in_use(Time now) const;
    /// Over the window in which own load is counted.
    double rate_bps(HostId destination, Time now) const;
    /// What the host's own link can carry, as far as it was seen; 0: unknown.
    double link_bps() const { return link_bps_; }
    /// Others' share of the traffic on the path's bottleneck, if another pair's search has counted it just now; else 0.
    double told_foreign(HostId destination, Time now) const;

    /// Of the narrowest link of the direct path.
    double bottleneck_bps(HostId destination) const;
    /// The link that another pair's packets load and the packets to this destination may queue at; nothing if they
    /// share none.
    std::optional<double> shared_bps(HostId destination, Pair pair) const;
    /// How much of the links where a direct path's packets may queue this host's own sockets occupy, 0 to about 1.
    double own_share(HostId destination, Time now) const;
    /// Whether this host's own bytes explain a queue on the direct path, by the sockets alone: then nothing has to be
    /// measured. When others come, the job's rate falls and the next sign is followed.
    bool fills_path(HostId destination, Time now) const;
    /// What a load query is answered with.
    std::vector<wire::LoadEntry> load_entries(Time now) const;
    /// To all destinations, as of the last samples.
    std::uint64_t delivered_B() const;

  private:
    struct OfPair {
        SocketWatch sockets;
        Recurrence uses;
        std::vector<SizeShare> mix;
        HostId relay = kNoHost;
        double delivery_bps = 0.0;  ///< highest delivery rate of a connection on the direct path
        double told_foreign = 0.0;
        Time told_foreign_at = -1e9;
    };
    void learn_rate(OfPair& pair, const SocketSample& sample);

    const Job& job_;
    const Paths& paths_;
    double link_bps_;
    std::vector<OfPair> pairs_;
    std::set<HostId> partners_;
};

}  // namespace fairlead::core
