// SPDX-License-Identifier: Apache-2.0
#include "control/manage_config.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "generated/commands.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxSize_B = Base::sizes_B_limits.max;

[[noreturn]] void fail(const std::string& what) {
    throw ProtocolError("config: manage: " + what);
}

const json& list_of(const json& value, std::size_t length, const std::string& what) {
    if (!value.is_array() || value.size() != length) fail(what + " must be a list of " + std::to_string(length));
    return value;
}

core::HostId host_in(const json& value, core::HostId hosts) {
    return static_cast<core::HostId>(whole_in(value, "config: manage: a host's index", 0, hosts - 1));
}

/// Calls `take` for every entry of a [source][destination] table that was measured (is not null).
template <typename Take>
void for_each_pair(const json& table, core::HostId hosts, const std::string& what, RealLimits limits, Take take) {
    list_of(table, hosts, what);
    for (core::HostId i = 0; i < hosts; ++i) {
        const json& row = list_of(table[i], hosts, what + ": each row");
        for (core::HostId j = 0; j < hosts; ++j) {
            if (i == j || row[j].is_null()) continue;
            take(core::Pair{i, j}, number_in(row[j], "config: manage: " + what, limits.min, limits.max));
        }
    }
}

void fill_base(const Base& read, core::HostId hosts, double now, core::BaseTable& base) {
    const double when = now - read.age_s;
    list_of(read.latency_s, read.sizes_B.size(), "'latency_s'");
    for (std::size_t s = 0; s < read.sizes_B.size(); ++s) {
        for_each_pair(
            read.latency_s[s], hosts, "'latency_s'", Base::latency_s_limits,
            [&](core::Pair pair, double latency_s) { base.set_latency(pair, read.sizes_B[s], latency_s, when); });
    }
    for_each_pair(read.rate_bps, hosts, "'rate_bps'", Base::rate_bps_limits,
                  [&](core::Pair pair, double rate_bps) { base.set_throughput(pair, rate_bps, when); });
}

void parse_settings(const json& value, core::Settings& settings) {
    if (!value.is_object()) fail("'settings' must be an object");
    for (const auto& [name, number] : value.items()) {
        if (!number.is_number()) fail("the setting '" + name + "' must be a number");
        if (const auto mistake = core::set(settings, name, number.get<double>())) fail(*mistake);
    }
    if (const auto mistake = core::validate(settings)) fail(*mistake);
}

std::vector<core::PairMix> parse_mixes(const json& value, const Config& config) {
    std::vector<core::PairMix> mixes;
    if (!value.is_array()) fail("'mix' must be a list");
    for (const json& entry : value) {
        list_of(entry, 2, "an entry of 'mix'");
        core::PairMix mix{host_in(entry[0], config.host_count()), {}};
        if (!entry[1].is_array()) fail("'mix': the sizes must be a list");
        for (const json& share : entry[1]) {
            list_of(share, 2, "'mix': a size and its weight");
            mix.sizes.push_back(
                {static_cast<std::uint64_t>(whole_in(share[0], "config: manage: 'mix': a size", 1, kMaxSize_B)),
                 number_in(share[1], "config: manage: 'mix': a weight", 0.0, 1e15)});
        }
        mixes.push_back(std::move(mix));
    }
    return mixes;
}

}  // namespace

ManageConfig parse_manage(const Config& config, double now) {
    ManageConfig result{core::ControllerConfig(config.self, config.host_count()), {}};
    core::ControllerConfig& controller = result.controller;
    // Neither hosts nor jobs must draw the same relays at the same time.
    controller.seed = (static_cast<std::uint64_t>(config.self) + 1) ^ std::hash<std::string>{}(config.job) << 16;
    controller.salt = std::hash<std::string>{}(config.job);
    controller.automatic = !config.manage.is_null();
    if (config.manage.is_null()) return result;
    const Manage read = read_manage(config.manage, "config: manage", {config.self, config.host_count()});
    if (!read.settings.is_null()) parse_settings(read.settings, controller.settings);
    controller.base = core::BaseTable(config.host_count(), controller.settings.base);
    fill_base(read.base, config.host_count(), now, controller.base);
    controller.sharing = read.shares;
    if (read.learn) {
        controller.learns = true;
        controller.link_bps = read.learn->link_bps.value_or(0.0);
    }
    if (!read.mix.is_null()) result.mixes = parse_mixes(read.mix, config);
    controller.automatic = read.automatic;
    controller.seed += read.seed << 10;
    return result;
}

}  // namespace fairlead::agent
