// SPDX-License-Identifier: Apache-2.0
#include "control/manage_config.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

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

/// Calls `take(row, column, number)` for every number of a table of so many rows and columns that is not null.
template <typename Take>
void for_each_number(const json& table, std::size_t rows, std::size_t columns, const std::string& what,
                     RealLimits limits, Take take) {
    list_of(table, rows, what);
    for (std::size_t i = 0; i < rows; ++i) {
        const json& row = list_of(table[i], columns, what + ": each row");
        for (std::size_t j = 0; j < columns; ++j) {
            if (row[j].is_null()) continue;
            take(static_cast<core::HostId>(i), static_cast<core::HostId>(j),
                 number_in(row[j], "config: manage: " + what, limits.min, limits.max));
        }
    }
}

void fill_by_hosts(const Base& read, core::HostId hosts, double when, core::BaseTable& base) {
    for (std::size_t s = 0; s < read.sizes_B.size(); ++s) {
        for_each_number(read.latency_s[s], hosts, hosts, "'latency_s'", Base::latency_s_limits,
                        [&](core::HostId i, core::HostId j, double latency_s) {
                            if (i != j) base.set_latency({i, j}, read.sizes_B[s], latency_s, when);
                        });
    }
    for_each_number(read.rate_bps, hosts, hosts, "'rate_bps'", Base::rate_bps_limits,
                    [&](core::HostId i, core::HostId j, double rate_bps) {
                        if (i != j) base.set_throughput({i, j}, rate_bps, when);
                    });
}

void fill_by_groups(const Base& read, std::vector<core::HostId> group_of, core::HostId self, double when,
                    core::BaseTable& base) {
    const std::size_t hosts = group_of.size();
    const std::size_t groups = *std::ranges::max_element(group_of) + std::size_t{1};
    base.set_groups(std::move(group_of));
    const auto own = [self](core::HostId direction, core::HostId host) {
        return direction == 0 ? core::Pair{self, host} : core::Pair{host, self};
    };
    list_of(read.own_latency_s, read.sizes_B.size(), "'own_latency_s'");
    for (std::size_t s = 0; s < read.sizes_B.size(); ++s) {
        for_each_number(read.latency_s[s], groups, groups, "'latency_s'", Base::latency_s_limits,
                        [&](core::HostId i, core::HostId j, double latency_s) {
                            base.set_latency_between({i, j}, read.sizes_B[s], latency_s, when);
                        });
    }
    for_each_number(read.rate_bps, groups, groups, "'rate_bps'", Base::rate_bps_limits,
                    [&](core::HostId i, core::HostId j, double rate_bps) {
                        base.set_throughput_between({i, j}, rate_bps, when);
                    });
    for (std::size_t s = 0; s < read.sizes_B.size(); ++s) {
        for_each_number(read.own_latency_s[s], 2, hosts, "'own_latency_s'", Base::own_latency_s_limits,
                        [&](core::HostId direction, core::HostId host, double latency_s) {
                            if (host != self) base.set_latency(own(direction, host), read.sizes_B[s], latency_s, when);
                        });
    }
    for_each_number(read.own_rate_bps, 2, hosts, "'own_rate_bps'", Base::own_rate_bps_limits,
                    [&](core::HostId direction, core::HostId host, double rate_bps) {
                        if (host != self) base.set_throughput(own(direction, host), rate_bps, when);
                    });
}

void fill_base(const Base& read, const Config& config, double now, core::BaseTable& base) {
    const double when = now - read.age_s;
    const core::HostId hosts = config.host_count();
    list_of(read.latency_s, read.sizes_B.size(), "'latency_s'");
    if (!read.groups) return fill_by_hosts(read, hosts, when, base);
    if (read.groups->size() != hosts) fail("'groups' must be a list of " + std::to_string(hosts));
    std::vector<core::HostId> group_of(read.groups->begin(), read.groups->end());
    if (*std::ranges::max_element(group_of) >= hosts) fail("'groups': there are more groups than hosts");
    fill_by_groups(read, std::move(group_of), config.self, when, base);
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
    fill_base(read.base, config, now, controller.base);
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
