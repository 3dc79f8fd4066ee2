// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/settings.hpp"

#include <cmath>
#include <cstdio>

namespace fairlead::core {

namespace {

template <auto Group, auto Member>
double& real(Settings& settings) {
    return settings.*Group.*Member;
}
template <auto Group, auto Member>
int& whole(Settings& settings) {
    return settings.*Group.*Member;
}

const SettingInfo kTable[] = {
#include "generated/setting_rows.inc"
};

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::optional<std::string> out_of_range(const SettingInfo& info, double value) {
    if (std::isfinite(value) && value >= info.min && value <= info.max) return std::nullopt;
    return "setting " + std::string(info.name) + " = " + number(value) + " is outside " + number(info.min) + " to " +
           number(info.max) + " " + std::string(info.unit);
}

double value_of(const SettingInfo& info, const Settings& settings) {
    // The accessors give references for set() as well; nothing is written here.
    Settings& mutable_settings = const_cast<Settings&>(settings);
    return info.real != nullptr ? info.real(mutable_settings) : info.whole(mutable_settings);
}

std::optional<std::string> not_above(const Settings& settings, std::string_view low, std::string_view high) {
    if (*get(settings, low) <= *get(settings, high)) return std::nullopt;
    return "setting " + std::string(low) + " must not exceed " + std::string(high);
}

}  // namespace

std::span<const SettingInfo> setting_table() {
    return kTable;
}

std::optional<std::string> set(Settings& settings, std::string_view name, double value) {
    for (const SettingInfo& info : kTable) {
        if (info.name != name) continue;
        if (auto mistake = out_of_range(info, value)) return mistake;
        if (info.real != nullptr) {
            info.real(settings) = value;
        } else if (value != std::floor(value)) {
            return "setting " + std::string(name) + " = " + number(value) + " must be a whole number of " +
                   std::string(info.unit);
        } else {
            info.whole(settings) = static_cast<int>(value);
        }
        return std::nullopt;
    }
    return "unknown setting " + std::string(name);
}

std::optional<double> get(const Settings& settings, std::string_view name) {
    for (const SettingInfo& info : kTable) {
        if (info.name == name) return value_of(info, settings);
    }
    return std::nullopt;
}

std::optional<std::string> validate(const Settings& settings) {
    for (const SettingInfo& info : kTable) {
        if (auto mistake = out_of_range(info, value_of(info, settings))) return mistake;
    }
    for (const SettingInfo& info : kTable) {
        if (info.at_most.empty()) continue;
        if (auto mistake = not_above(settings, info.name, info.at_most)) return mistake;
    }
    if (settings.congestion_level.min_samples > settings.probes.burst) {
        return "setting congestion_level.min_samples must not exceed probes.burst: no burst would ever be judged";
    }
    if (settings.congestion_level.min_span_s > settings.probes.spacing_s * (settings.probes.burst - 1)) {
        return "setting congestion_level.min_span_s must not exceed probes.spacing_s * (probes.burst - 1): no burst "
               "would ever be "
               "judged";
    }
    return std::nullopt;
}

}  // namespace fairlead::core
