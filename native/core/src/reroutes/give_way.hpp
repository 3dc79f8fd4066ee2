// SPDX-License-Identifier: Apache-2.0
// Only as many pairs leave a bottleneck as it takes: which pair should leave before this one does.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fairlead/core/own_load.hpp"
#include "fairlead/core/sharing.hpp"
#include "job.hpp"

namespace fairlead::core {

class GiveWay {
  public:
    /// Of the job's pairs on the links of `path`, which were counted for counted_s while packets queued for queue_s:
    /// the one that should leave first. It carries much more, or about as much and comes first by number; it is there,
    /// or left meanwhile; and without it the queue drains soon. Where others would take what it leaves, its share is
    /// small and the queue takes long to drain: then nobody is waited for. Each pair is waited for once, for it may
    /// find no detour.
    std::optional<Pair> to(std::span<const OwnFlow> flows, Pair path, double queue_s, double counted_s,
                           const SharingRelation& sharing, const ChoiceSettings& settings) const;
    /// What was waited for until long ago is forgotten.
    void forget(const OwnLoadSettings& settings, Time now);
    void waits_for(Pair pair, Time now);

  private:
    std::vector<Pair> waited_for_;
    Time last_ = -1e9;
};

}  // namespace fairlead::core
