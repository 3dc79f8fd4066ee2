// SPDX-License-Identifier: Apache-2.0
// All decisions of one host: as a source (watch, confirm, search, reroute, restore), as a relay (measure a leg, grant a
// rate), and as a destination (notices). Events in, actions out; nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "fairlead/core/actions.hpp"
#include "fairlead/core/base.hpp"
#include "fairlead/core/events.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/sharing.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

struct ControllerConfig {
    HostId self = 0;
    HostId host_count = 0;
    Settings settings;
    BaseTable base;           ///< of host_count hosts, empty where nothing was characterized
    SharingRelation sharing;  ///< of host_count hosts
    std::uint64_t seed = 0;   ///< differs from host to host
    std::size_t salt = 0;     ///< the same on all hosts of a job, another for each job: where its turns begin
    bool automatic = true;    ///< false: only manual reroutes, no probes of its own
    bool proves = false;      ///< echoes can take the path of rerouted packets, also before anything is rerouted
    bool learns = false;      ///< baselines are learnt while the program runs; those in `base` are where it begins
    double link_bps = 0.0;    ///< where it learns: the highest rate that left this host in earlier runs; 0: unknown
    int ways = 0;             ///< equal-cost paths that echoes and rerouted packets can take, where it proves
    bool can_relay = true;    ///< this host's guardian is up; false: it neither reroutes nor relays

    ControllerConfig(HostId self_host, HostId hosts)
        : self(self_host), host_count(hosts), base(hosts), sharing(hosts) {}
};

/// What a report or `fairlead status` shows of the path to one peer.
struct PathView {
    CongestionLevel congestion_level = CongestionLevel::low;
    double queue_delay_s = 0.0;
    HostId relay = kNoHost;  ///< kNoHost: direct
    bool in_use = false;     ///< carried the job's bytes lately
    double rate_bps = 0.0;
};

class Controller {
  public:
    /// Throws std::invalid_argument for settings that validate() refuses, or tables of another number of hosts.
    explicit Controller(ControllerConfig config);
    ~Controller();
    Controller(Controller&&) noexcept;
    Controller& operator=(Controller&&) noexcept;

    /// Handles one event. `now` never falls from call to call (an earlier one is taken for the last one). Events about
    /// hosts outside the job, or that answer nothing asked, are ignored.
    std::vector<Action> on(const Event& event, Time now);

    /// When a Tick is wanted at the latest.
    Time next_wakeup() const;

    PathView view(HostId peer) const;
    int pairs_in_use() const;
    /// Pairs from this host that the controller itself has rerouted.
    int detours() const;
    /// What the program's connections from this host have delivered since they are watched.
    std::uint64_t delivered_B() const;
    /// Hosts that the program has ever had a connection to, by number.
    const std::set<HostId>& partners() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fairlead::core
