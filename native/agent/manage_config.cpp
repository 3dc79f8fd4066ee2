// SPDX-License-Identifier: Apache-2.0
#include "manage_config.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "shares.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxSize_B = std::int64_t{1} << 40;
constexpr double kMaxLatency_s = 3600.0;
constexpr double kMaxRate_bps = 1e15;
constexpr double kMaxAge_s = 1e9;

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
void for_each_pair(const json& table, core::HostId hosts, const std::string& what, double max, Take take) {
    list_of(table, hosts, what);
    for (core::HostId i = 0; i < hosts; ++i) {
        const json& row = list_of(table[i], hosts, what + ": each row");
        for (core::HostId j = 0; j < hosts; ++j) {
            if (i == j || row[j].is_null()) continue;
            take(core::Pair{i, j}, number_in(row[j], "config: manage: " + what, 1e-9, max));
        }
    }
}

void parse_base(const json& value, core::HostId hosts, double now, core::BaseTable& base) {
    const JsonFields fields(value, "config: manage: base", {"age_s", "sizes_B", "latency_s", "rate_bps"});
    const double when = now - fields.number("age_s", 0.0, kMaxAge_s);
    const json& sizes = fields.list("sizes_B", 0, 64);
    const json& latency = list_of(fields.any("latency_s"), sizes.size(), "'latency_s'");
    for (std::size_t s = 0; s < sizes.size(); ++s) {
        const auto size_B =
            static_cast<std::uint64_t>(whole_in(sizes[s], "config: manage: a size of 'sizes_B'", 1, kMaxSize_B));
        for_each_pair(latency[s], hosts, "'latency_s'", kMaxLatency_s,
                      [&](core::Pair pair, double latency_s) { base.set_latency(pair, size_B, latency_s, when); });
    }
    for_each_pair(fields.any("rate_bps"), hosts, "'rate_bps'", kMaxRate_bps,
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

void parse_learn(const json& value, core::ControllerConfig& controller) {
    const JsonFields fields(value, "config: manage: learn", {"link_bps"});
    controller.learns = true;
    const json& link_bps = fields.any("link_bps");
    if (!link_bps.is_null())
        controller.link_bps = number_in(link_bps, "config: manage: learn: 'link_bps'", 1e-9, kMaxRate_bps);
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
    const JsonFields fields(config.manage, "config: manage",
                            {"base", "shares", "settings", "learn", "mix", "automatic", "seed"});
    if (fields.has("settings")) parse_settings(fields.any("settings"), controller.settings);
    controller.base = core::BaseTable(config.host_count(), controller.settings.base);
    parse_base(fields.any("base"), config.host_count(), now, controller.base);
    controller.sharing = parse_shares(fields.any("shares"), config.host_count(), "config: manage: 'shares'");
    if (fields.has("learn")) parse_learn(fields.any("learn"), controller);
    if (fields.has("mix")) result.mixes = parse_mixes(fields.any("mix"), config);
    if (fields.has("automatic")) {
        if (!fields.any("automatic").is_boolean()) fields.fail("automatic", "true or false");
        controller.automatic = fields.any("automatic").get<bool>();
    }
    if (fields.has("seed")) {
        controller.seed += static_cast<std::uint64_t>(fields.whole("seed", 0, std::int64_t{1} << 53)) << 10;
    }
    return result;
}

}  // namespace fairlead::agent
