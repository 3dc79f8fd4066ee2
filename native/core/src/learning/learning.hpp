// SPDX-License-Identifier: Apache-2.0
// Learns the baselines of this host's paths while the program runs: bursts of probes in the gaps of its traffic, and
// what detours take at best.
#pragma once

#include <cstdint>
#include <vector>

#include "fairlead/core/random.hpp"
#include "job.hpp"
#include "learning/learnt_bases.hpp"
#include "outbox.hpp"
#include "paths/paths.hpp"
#include "peers/peers.hpp"
#include "traffic/traffic.hpp"

namespace fairlead::core {

/// Where the job does not learn, it does nothing.
class Learning {
  public:
    /// Begins with what `paths` knows.
    Learning(const Job& job, Paths& paths, const Traffic& traffic, const Peers& peers);

    /// Sends the bursts that are due: before the program uses any pair on all paths, then on those of pairs in use, in
    /// the gaps of their traffic where there are some.
    void advance(Time now, Random& random, Outbox& out);
    /// A burst on the direct path was answered.
    void on_burst(const Burst& burst, Time now, Outbox& out);
    /// A relay measured the second leg of a detour.
    void on_report(HostId relay, const wire::PathReport& report, Time now, Outbox& out);
    /// The run ends: reports what is not reported yet of this path.
    void finish(HostId destination, Outbox& out);

    /// Whether the destination's baseline is known, learnt or not: without one a pair is never rerouted.
    bool known(HostId destination) const { return !job_.learns || learnt_.known(destination); }
    Time next_due() const;

  private:
    void look(HostId host, Time now, Random& random, Outbox& out);
    void use(HostId host, Time now, Outbox& out);
    void report(HostId host, bool end, Outbox& out);

    struct OfPath {
        double used_base_s = 0.0;  ///< the learnt baseline that is in the table; 0: none
        std::uint32_t token = 0;   ///< of the last queries about detours' legs
    };
    const Job& job_;
    Paths& paths_;
    const Traffic& traffic_;
    const Peers& peers_;
    LearntBases learnt_;
    std::vector<OfPath> of_;
};

}  // namespace fairlead::core
