// SPDX-License-Identifier: Apache-2.0
// Does the job's own traffic explain a queue? (design section 2: "A queue that the job's own bytes explain is not
// congestion".)
#pragma once

#include <span>
#include <vector>

#include "fairlead/core/settings.hpp"
#include "fairlead/core/sharing.hpp"
#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"

namespace fairlead::core {

/// What the job's hosts sent up to one moment, as far as they answered.
class LoadSnapshot {
  public:
    void add(HostId source, std::span<const wire::LoadEntry> entries, Time at);
    void clear() { sources_.clear(); }

    struct Source {
        HostId source = kNoHost;
        Time at = 0.0;
        std::vector<wire::LoadEntry> entries;
    };
    std::span<const Source> sources() const { return sources_; }
    const Source* find(HostId source) const;

  private:
    std::vector<Source> sources_;
};

/// Bytes of the job itself that passed the bottlenecks of `path` between two snapshots, that is, were acknowledged: an
/// acknowledgement comes back no later than the answer of a probe that queued behind its bytes. Traffic on a detour
/// counts on both legs. A first answer that came more than late_s after `asked_at` may miss bytes: its earlier counters
/// are taken. Sources that answered only once are left out.
double own_load_B(Pair path, const SharingRelation& sharing, const LoadSnapshot& first, const LoadSnapshot& second,
                  Time asked_at, double late_s);

/// Share of a queue that is not the job's own, 0 to 1. A bottleneck where a queue stood for busy_s forwarded
/// bottleneck_bps * busy_s; what was not the job's, others had sent. An unknown (0) bottleneck rate gives 1 if the job
/// sent nothing, else 0.
double foreign_share(double own_B, double bottleneck_bps, double busy_s);

/// The share that must be foreign for a move after the bytes were counted for counted_s: the shorter, the larger.
double needed_foreign_share(double counted_s, const OwnLoadSettings& settings);

}  // namespace fairlead::core
