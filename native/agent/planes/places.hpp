// SPDX-License-Identifier: Apache-2.0
// Where the job's processes are, by process and by host.
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
    /// False if it is known to be there.
    bool put(relay::Process process, core::HostId host) {
        const auto [found, added] = where_.try_emplace(process, host);
        if (!added && found->second == host) return false;
        if (!added) hosted_[found->second].erase(process);
        found->second = host;
        hosted_[host].insert(process);
        return true;
    }
    /// Returns who was there.
    std::set<relay::Process> forget(core::HostId host) {
        std::set<relay::Process> gone = std::exchange(hosted_[host], {});
        for (const relay::Process process : gone) where_.erase(process);
        return gone;
    }
    std::optional<core::HostId> of(relay::Process process) const {
        const auto found = where_.find(process);
        return found != where_.end() ? std::optional(found->second) : std::nullopt;
    }
    const std::set<relay::Process>& at(core::HostId host) { return hosted_[host]; }

  private:
    std::unordered_map<relay::Process, core::HostId> where_;
    std::unordered_map<core::HostId, std::set<relay::Process>> hosted_;
};

}  // namespace fairlead::agent
