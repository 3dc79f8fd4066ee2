// SPDX-License-Identifier: Apache-2.0
#include "control/config.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "generated/commands.hpp"

namespace fairlead::agent {
namespace {

[[noreturn]] void fail(const std::string& what) {
    throw ProtocolError("config: " + what);
}

Host host_of(const ManagedHost& read, std::size_t index) {
    const auto address = Address::parse(read.address);
    if (!address) {
        fail("hosts[" + std::to_string(index) + "]: 'address' must be an IP address, not '" + read.address + "'");
    }
    return {read.name, read.address, *address, static_cast<std::uint16_t>(read.port)};
}

std::vector<Host> hosts_of(const std::vector<ManagedHost>& read) {
    std::vector<Host> hosts;
    std::set<Address> seen;
    for (const ManagedHost& each : read) {
        hosts.push_back(host_of(each, hosts.size()));
        const Host& host = hosts.back();
        if (!seen.insert(host.address).second) fail("two hosts have the address " + each.address);
        if (host.address.family() != hosts.front().address.family()) {
            fail(hosts.front().label() + " and " + host.label() +
                 ": one has an IPv4 address, the other an IPv6 address");
        }
    }
    return hosts;
}

Clock::Test clock_test_of(const std::optional<ClockError>& read) {
    Clock::Test test;
    test.origin_ns = read_clock_ns(CLOCK_REALTIME);
    if (!read) return test;
    test.offset_s = read->offset_s;
    test.drift = read->drift;
    if (read->origin_s) test.origin_ns = std::llround(*read->origin_s * 1e9);
    return test;
}

core::Acknowledge acknowledge_of(const std::optional<std::string>& read) {
    using enum core::Acknowledge;
    if (!read) return waited;
    for (const core::Acknowledge each : {waited, always, never}) {
        if (*read == name(each)) return each;
    }
    fail("'acknowledge' must be 'waited', 'always' or 'never', not '" + *read + "'");
}

bool valid_job(const std::string& job) {
    return std::all_of(job.begin(), job.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

}  // namespace

std::optional<core::HostId> Config::host_at(const Address& address) const {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (hosts[i].address == address) return static_cast<core::HostId>(i);
    }
    return std::nullopt;
}

Config parse_config(WipedLine line) {
    Config config;
    const bool has_secret = take_secret(line, config.secret);
    const auto parsed = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
    if (parsed.is_discarded()) fail("the first line of input is not JSON");
    if (parsed.is_object() && parsed.value("type", nlohmann::json()) != "config") {
        fail("'type' must be 'config' in the first line of input");
    }
    ConfigCommand read = read_config(parsed);
    if (!has_secret) fail("'secret' must be 64 hexadecimal digits");
    if (!valid_job(read.job)) fail("'job' may contain only the characters 0-9 and a-z");
    if (read.self >= read.hosts.size()) fail("'self' must be one of 'hosts'");
    if (read.relay && read.guardian) {
        fail("'relay' must be null if there is a guardian: only one plane reroutes traffic");
    }
    config.job = std::move(read.job);
    config.hosts = hosts_of(read.hosts);
    config.self = static_cast<core::HostId>(read.self);
    config.guardian = std::move(read.guardian).value_or(std::vector<std::string>{});
    // The ranks run as the user that the agent runs as, unless the supervisor knows better.
    config.uid = read.uid.value_or(getuid());
    config.clock_test = clock_test_of(read.clock_test);
    if (read.relay) config.relay = RelayConfig{std::move(read.relay->directory), read.relay->capacity_B};
    config.lease_s = read.lease_s.value_or(0.0);
    config.boot_id = read.boot_id;
    config.acknowledge = acknowledge_of(read.acknowledge);
    config.rings = std::move(read.rings).value_or("");
    config.manage = std::move(read.manage);
    return config;
}

}  // namespace fairlead::agent
