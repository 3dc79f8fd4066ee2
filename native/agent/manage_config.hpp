// SPDX-License-Identifier: Apache-2.0
// "manage" of the configuration: what the characterisation knows of the cluster, and the settings of the decisions.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "config.hpp"
#include "fairlead/core/controller.hpp"
#include "fairlead/core/events.hpp"

namespace fairlead::agent {

struct ManageConfig {
    core::ControllerConfig controller;
    std::vector<core::PairMix> mixes;  ///< sizes that the program exchanges, by peer, where they are known
};

/// {"base": {"age_s", "sizes_B", "latency_s": [size][source][destination], "rate_bps": [source][destination]},
///  "shares": [[k, m, [[i, j], ...]], ...],         an injection on k -> m hurts i -> j
///  "settings": {"zones.medium_factor": 1.5, ...},  optional
///  "learn": {"link_bps": 1e9},                     optional; baselines are learnt, from those in "base" on
///  "mix": [[peer, [[size_B, weight], ...]], ...],  optional
///  "automatic": true,                              optional; false: only moves by hand
///  "seed": 1}                                      optional
/// null where nothing was measured. With "manage": null itself, moves are made by hand only. `now`: CLOCK_MONOTONIC.
/// Throws ProtocolError.
ManageConfig parse_manage(const Config& config, double now);

}  // namespace fairlead::agent
