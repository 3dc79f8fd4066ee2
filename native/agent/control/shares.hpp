// SPDX-License-Identifier: Apache-2.0
// Which paths suffer from which, as the supervisor says it: at the start, and anew when machines have moved.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fairlead/core/sharing.hpp"

namespace fairlead::agent {

/// [[k, m, [[i, j], ...]], ...]: an injection on k -> m hurts i -> j; of `hosts` hosts. `what` names the list in
/// messages. Throws ProtocolError.
core::SharingRelation parse_shares(const nlohmann::json& value, core::HostId hosts, const std::string& what);

}  // namespace fairlead::agent
