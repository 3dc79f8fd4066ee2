// SPDX-License-Identifier: Apache-2.0
// Every number that the decisions depend on, by name. protocol/agent.toml has them, with unit, default and range. What
// only bounds memory or refuses nonsense stands where it is used.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fairlead/core/generated/setting_groups.hpp"

namespace fairlead::core {

/// One line of the table of settings: "congestion_level.medium_factor", its unit and permitted range.
struct SettingInfo {
    std::string_view name;
    std::string_view unit;
    double min;
    double max;
    double& (*real)(Settings&);  ///< the number, or null for a whole one
    int& (*whole)(Settings&);    ///< the whole number, or null
    std::string_view at_most;    ///< the setting that it must not exceed, or empty
};

/// All settings, for help texts and for reading them from a file.
std::span<const SettingInfo> setting_table();

/// Sets one by name. Returns what is wrong (unknown name, range, not whole) or nothing.
std::optional<std::string> set(Settings& settings, std::string_view name, double value);

/// Reads one by name; nothing if unknown.
std::optional<double> get(const Settings& settings, std::string_view name);

/// Checks every range and what must hold between settings. Returns the first mistake in words, naming the setting.
std::optional<std::string> validate(const Settings& settings);

}  // namespace fairlead::core
