// SPDX-License-Identifier: Apache-2.0
// "manage" of the configuration: what the characterization knows of the cluster, and the settings of the decisions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "control/config.hpp"
#include "fairlead/core/controller.hpp"
#include "fairlead/core/events.hpp"

namespace fairlead::agent {

struct ManageConfig {
    core::ControllerConfig controller;
    std::vector<core::PairMix> mixes;  ///< sizes that the program exchanges, by peer, where they are known
};

/// Of what protocol/agent.toml has as `manage`; where that is null, reroutes are made by hand only. `now`:
/// CLOCK_MONOTONIC. Throws ProtocolError.
ManageConfig parse_manage(const Config& config, double now);

}  // namespace fairlead::agent
