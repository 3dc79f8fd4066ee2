// SPDX-License-Identifier: Apache-2.0
// The job's own pairs on the legs of detours. Ranks often send at the same time: then a pair shares a leg with the
// others that use it, however empty probes find it in the mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/core/choice.hpp"
#include "fairlead/core/own_load.hpp"
#include "search/load_count.hpp"
#include "search/search_parts.hpp"

namespace fairlead::core {

class LegLoad {
  public:
    LegLoad(const SearchParts& parts, HostId destination) : parts_(&parts), destination_(destination) {}

    /// Asks every host whose pairs share a bottleneck with a leg over one of these relays, but for those that the
    /// search asks anyway. Nobody waits for the answers: what is not there when it is needed counts for nothing.
    void ask(std::span<const HostId> relays, const LoadCount& count, Outbox& out);
    /// An answer to `token`, or one that the search has asked for anyway.
    void take(HostId source, std::uint32_t token, bool asked_anyway, std::span<const wire::LoadEntry> entries,
              Time now);
    /// What crowds the detour over this relay more than the direct path (choice.crowding); nothing if that does not or
    /// is not known.
    std::optional<Crowd> crowd(HostId relay) const;

  private:
    double wait_s(Pair path) const;
    std::optional<double> shared_bps(Pair path, HostId source, const wire::LoadEntry& entry) const;

    const SearchParts* parts_;
    HostId destination_;
    std::uint32_t token_ = 0;
    LoadSnapshot loads_;
};

}  // namespace fairlead::core
