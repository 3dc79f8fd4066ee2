// SPDX-License-Identifier: Apache-2.0
// Does the job's own traffic explain a queue? Then it is not congestion, and a detour would queue as well.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/core/settings.hpp"
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

/// Rate in bit/s of the link that a path's packets may queue at and another pair's packets load as well; nothing if the
/// two share none, 0 if it is unknown.
using SharedLink = std::function<std::optional<double>(Pair other)>;

/// A pair of the job that loads a link where a path's packets may queue.
struct OwnFlow {
    Pair pair;
    HostId relay = kNoHost;    ///< that it is led over, kNoHost: direct
    HostId before = kNoHost;   ///< the same at the first snapshot
    std::uint64_t size_B = 0;  ///< that passed between two snapshots
    double occupied_s = 0.0;   ///< for so long they occupied the link
    double most_s = 0.0;       ///< the same with what was under way at the second snapshot
};

/// Which pairs of the job loaded the links where a path's packets may queue, between two snapshots. Counted is what was
/// acknowledged. Acknowledgements wait behind the data of the other direction, and then many come at once: what was
/// under way at the end may have passed as well. Traffic on a detour counts once, on the slower of the legs that share.
/// A first answer that came more than late_s after `asked_at` may miss bytes: its earlier counters are taken. A pair
/// that only the second lists came into use meanwhile: all its bytes count, rather too many than too few. Sources that
/// answered only once are left out. Occupied for ever where bytes passed a link of unknown rate.
std::vector<OwnFlow> own_flows(const SharedLink& shared, const LoadSnapshot& first, const LoadSnapshot& second,
                               Time asked_at, double late_s);

/// For how long all of them together occupied it at most.
double own_load_s(std::span<const OwnFlow> flows);

/// Share of a queue that is not the job's own, 0 to 1, where the queue stood for busy_s, and the job's own bytes
/// occupied the link for own_s at most: the share is at least this.
double foreign_share(double own_s, double busy_s);

}  // namespace fairlead::core
