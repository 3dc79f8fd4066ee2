// SPDX-License-Identifier: Apache-2.0
// Which paths suffer from which, as the supervisor says it: at the start, and anew when machines have moved.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fairlead/core/sharing.hpp"

namespace fairlead::agent {

/// [[k, m, [[i, j], ...]], ...]: an injection on k -> m hurts i -> j; of `hosts` hosts. Or the same of groups of hosts:
/// {"groups": by host, "hurts": [[a, b, [[c, d], ...]], ...], "fills": by source, a digit for each destination}. The
/// digit is the sum of 1: a link between the groups, 2: the source's, 4: the destination's. `what` names the value in
/// messages. Throws ProtocolError.
core::SharingRelation parse_shares(const nlohmann::json& value, core::HostId hosts, const std::string& what);

}  // namespace fairlead::agent
