// SPDX-License-Identifier: Apache-2.0
// Where the processes of MPI programs are, by process and by host. A host has processes of one world at a time.
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "fairlead/core/types.hpp"
#include "fairlead/relay/types.hpp"

namespace fairlead::agent {

class Places {
  public:
    relay::WorldId world_at(core::HostId host) const {
        const auto found = hosted_.find(host);
        return found != hosted_.end() ? found->second.world : relay::kNoWorld;
    }
    /// The host has processes of this world from now on; it has none, or was forgotten.
    void turn_to(relay::WorldId world, core::HostId host) { hosted_[host] = {world, {}}; }
    /// False if it is known to be there. The host has turned to this world.
    bool put(relay::WorldId world, relay::Process process, core::HostId host) {
        const auto [found, added] = where_[world].try_emplace(process, host);
        if (!added && found->second == host) return false;
        if (!added) hosted_[found->second].processes.erase(process);
        found->second = host;
        hosted_[host].processes.insert(process);
        return true;
    }
    /// Returns who was there.
    std::set<relay::Process> forget(core::HostId host) {
        Hosted gone = std::exchange(hosted_[host], {});
        const auto known = where_.find(gone.world);
        if (known == where_.end()) return {};
        for (const relay::Process process : gone.processes) known->second.erase(process);
        if (known->second.empty()) where_.erase(known);
        return gone.processes;
    }
    std::optional<core::HostId> of(relay::WorldId world, relay::Process process) const {
        const auto known = where_.find(world);
        if (known == where_.end()) return std::nullopt;
        const auto found = known->second.find(process);
        return found != known->second.end() ? std::optional(found->second) : std::nullopt;
    }
    const std::set<relay::Process>& at(core::HostId host) { return hosted_[host].processes; }

  private:
    struct Hosted {
        relay::WorldId world = relay::kNoWorld;
        std::set<relay::Process> processes{};
    };
    std::unordered_map<relay::WorldId, std::unordered_map<relay::Process, core::HostId>> where_;
    std::unordered_map<core::HostId, Hosted> hosted_;
};

}  // namespace fairlead::agent
