// SPDX-License-Identifier: Apache-2.0
// Scenarios and outcomes as JSON: docs/guides/simulate.md says what each field is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "fairlead/sim/contenders.hpp"
#include "fairlead/sim/oracle.hpp"
#include "fairlead/sim/scenario.hpp"

namespace fairlead::sim {

/// What is wrong in a scenario; the message names file and field.
struct ScenarioError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws ScenarioError, and TraceError for a trace that it names. Traces are sought from the scenario's folder on.
/// `seed` is taken in place of the scenario's.
Scenario read_scenario(const std::filesystem::path& file, std::optional<std::uint64_t> seed = {});

nlohmann::ordered_json outcome_json(const Scenario& scenario, const Outcome& outcome);
/// What agents reported of congestion levels and routes, and why they rerouted a pair or did not.
nlohmann::ordered_json diary_json(const Scenario& scenario, const Outcome& outcome);
nlohmann::ordered_json contenders_json(const Scenario& scenario, const std::vector<Standing>& standings);
nlohmann::ordered_json comparison_json(const Scenario& scenario, const Comparison& comparison);

}  // namespace fairlead::sim
