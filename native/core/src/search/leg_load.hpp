// SPDX-License-Identifier: Apache-2.0
// The job's own pairs on the legs of detours. Ranks often send at the same time: then a pair shares a leg with the
// others that use it, however empty probes find it in the mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fairlead/core/own_load.hpp"
#include "search/search_parts.hpp"

namespace fairlead::core {

class LegLoad {
  public:
    LegLoad(const SearchParts& parts, HostId destination) : parts_(&parts), destination_(destination) {}

    /// Asks every host whose pairs share a bottleneck with a leg over one of these relays. Nobody waits for the
    /// answers: what is not there when it is needed counts for nothing.
    void ask(std::span<const HostId> relays, Time now, Outbox& out);
    /// An answer; one to another question is ignored.
    void take(HostId source, std::uint32_t token, std::span<const wire::LoadEntry> entries, Time now);
    /// What the pair would get over the relay if all send at the same time, bit/s. Nothing where its legs are not more
    /// crowded than its direct path (choice.crowding), or where that is not known.
    std::optional<double> expected_bps(HostId relay) const;

  private:
    double others(Pair path) const;
    double share_of(Pair path, HostId source, const wire::LoadEntry& entry, double own_kBps) const;

    const SearchParts* parts_;
    HostId destination_;
    std::uint32_t token_ = 0;
    LoadSnapshot loads_;
};

}  // namespace fairlead::core
