// SPDX-License-Identifier: Apache-2.0
// When a pair's path is searched again after a search that rerouted nothing, and which of these are worth a report.
#pragma once

#include <algorithm>
#include <optional>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/types.hpp"

namespace fairlead::core {

class SearchPause {
  public:
    explicit SearchPause(const Settings& settings) : settings_(settings) {}

    bool over(Time now) const { return now >= next_search_; }
    /// Whether the job's own bytes explained the queue the last time and pass more slowly now: then others may have
    /// come, and the pause is over early. `own_share`: of the path's links that the job's bytes occupy.
    bool gets_less(double own_share, Time now) const;

    /// The pair stays where it is: each pause is twice as long as the one before.
    void kept(Time now);
    /// There was no queue.
    void cleared(Time now);
    /// A reroute failed, once more.
    void reroute_failed(Time now);
    void rerouted();
    /// Another pair leaves first: until the queue should have drained.
    void gave_way(Time now);
    void once(Time now) { next_search_ = now + settings_.report.keep_backoff_s; }
    void end(Time now) { next_search_ = now; }
    /// The next pause is the shortest again.
    void restart() { backoff_s_ = 0.0; }
    /// The job's own bytes explain the queue (0: they do not).
    void explained(double own_share) { explained_share_ = own_share; }

    /// Whether a path that is not low is looked at once more, without any sign from the sockets.
    bool relook_due(Time now) const { return over(now) && now >= next_relook_; }
    void relooked(Time now) { next_relook_ = now + settings_.report.keep_backoff_max_s; }
    Time next_relook() const { return std::max(next_search_, next_relook_); }

    /// Whether this reason is reported: not if it just was. If so it is noted.
    bool reports(KeepReason reason, Time now);

  private:
    const Settings& settings_;
    Time next_search_ = 0.0;
    Time next_relook_ = 0.0;
    double backoff_s_ = 0.0;
    double failed_backoff_s_ = 0.0;
    double explained_share_ = 0.0;
    std::optional<KeepReason> last_reason_;
    Time last_report_ = -1e9;
};

}  // namespace fairlead::core
