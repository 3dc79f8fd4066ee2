// SPDX-License-Identifier: Apache-2.0
// How long a pair keeps its route after a change: until it may be rerouted again (hold), and on a detour until it may
// return to a direct path that is free (dwell). Both grow where changes do not last or improve nothing.
#pragma once

#include <optional>

#include "fairlead/core/random.hpp"
#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"
#include "traffic/service.hpp"

namespace fairlead::core {

class RouteHold {
  public:
    RouteHold(const Settings& settings, bool learns)
        : settings_(settings),
          learns_(learns),
          judge_(settings.service),
          dwell_s_(settings.detour.dwell_s),
          hold_s_(settings.detour.hold_s) {}

    /// Judges the last change by what the pair gets. Whether it should return, since a trial was in vain or lost much;
    /// `on_detour`: of the controller's own choice.
    bool on_sample(const SocketSample& sample, bool on_detour, Time now, Random& random);

    /// On its detour the pair gets little of what the free direct path gives.
    bool gets_little() const { return judge_.gets_little(); }
    /// It returns to see whether the direct path gives more, and stays there if so.
    void try_direct(Time now);

    struct Change {
        bool from_direct = false;
        bool manual = false;
        bool ahead = false;                ///< of the pair's next use
        std::optional<double> away_for_s;  ///< the least time on the detour that the program's pattern asks for
        double free_bps = 0.0;             ///< throughput of the free direct path; 0: unknown
        bool unseen = false;               ///< probes did not confirm its reason: it has to improve what the pair gets
    };
    void rerouted(const Change& change, Time now, Random& random);
    void restored(RestoreReason reason, bool manual, Time now, Random& random);
    /// It may be rerouted at once.
    void release(Time now) { hold_until_ = now; }

    /// Where bottlenecks are not known, or probes confirm nothing, leaving the direct path is a trial: it is judged by
    /// what the pair got in the congestion before it. Whether that was measured, or measures it from now on.
    bool ready_for_trial(Time now);
    bool holds(Time now) const { return now < hold_until_; }
    /// The same of a change that probes do not confirm: others do not wait for those in vain.
    bool holds_unseen(Time now) const { return holds(now) || now < unseen_until_; }
    double dwell_s() const { return dwell_s_; }
    /// When it was rerouted from the direct path the last time.
    Time left_direct_at() const { return left_direct_at_; }

  private:
    void hold(Time now, Random& random);
    void trust_detours(Time now);

    const Settings& settings_;
    bool learns_;
    ChangeJudge judge_;
    double dwell_s_;
    double hold_s_;
    Time hold_until_ = 0.0;
    Time last_change_ = -1e9;  ///< of the route, by the controller itself
    Time last_return_ = -1e9;
    Time left_direct_at_ = -1e9;
    Time congested_at_ = -1e9;   ///< when a search last found a reason to reroute
    bool on_trial_ = false;      ///< the last change was from the direct path, and is judged
    bool unseen_ = false;        ///< the last change was such a one
    Time unseen_until_ = -1e9;   ///< and was in vain
    Time trusted_until_ = -1e9;  ///< the direct path was tried again, and was worse than the detour
    double vain_hold_s_ = 0.0;   ///< after the last trial in vain; 0: none since a detour paid
};

}  // namespace fairlead::core
