// SPDX-License-Identifier: Apache-2.0
#include "config.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

namespace fairlead::agent {
namespace {

constexpr std::uint64_t kDefaultRelay_B = 2 * 1024 * 1024;

Host parse_host(const nlohmann::json& value, std::size_t index) {
    const JsonFields fields(value, "config: hosts[" + std::to_string(index) + "]", {"name", "address", "port"});
    Host host;
    host.name = fields.text("name", 1, 255);
    host.address_text = fields.text("address", 7, 15);
    if (inet_pton(AF_INET, host.address_text.c_str(), &host.address) != 1) {
        fields.fail("address", "an IPv4 address, not '" + host.address_text + "'");
    }
    host.port = static_cast<std::uint16_t>(fields.whole("port", 1, 65535));
    return host;
}

std::vector<Host> parse_hosts(const nlohmann::json& list) {
    std::vector<Host> hosts;
    std::set<std::uint32_t> seen;
    for (const auto& value : list) {
        hosts.push_back(parse_host(value, hosts.size()));
        if (!seen.insert(hosts.back().address.s_addr).second) {
            throw ProtocolError("config: two hosts have the address " + hosts.back().address_text);
        }
    }
    return hosts;
}

std::vector<std::string> parse_guardian(const JsonFields& fields) {
    if (fields.any("guardian").is_null()) return {};
    std::vector<std::string> words;
    for (const auto& word : fields.list("guardian", 1, 64)) {
        if (!word.is_string()) fields.fail("guardian", "null or a list of strings");
        words.push_back(word.get<std::string>());
    }
    return words;
}

/// The ranks run as the user that the agent runs as, unless the supervisor knows better.
std::uint32_t parse_uid(const JsonFields& fields) {
    if (fields.any("uid").is_null()) return getuid();
    return static_cast<std::uint32_t>(fields.whole("uid", 0, std::numeric_limits<std::uint32_t>::max()));
}

Clock::Test parse_clock_test(const JsonFields& fields) {
    Clock::Test test;
    test.origin_ns = read_clock_ns(CLOCK_REALTIME);
    if (!fields.has("clock_test") || fields.any("clock_test").is_null()) return test;
    const JsonFields values(fields.any("clock_test"), "config: clock_test", {"offset_s", "drift", "origin_s"});
    test.offset_s = values.number("offset_s", -1e6, 1e6);
    test.drift = values.number("drift", -1e-3, 1e-3);
    if (values.has("origin_s")) {
        test.origin_ns = std::llround(values.number("origin_s", 0, 9e9) * 1e9);
    }
    return test;
}

std::optional<RelayConfig> parse_relay(const JsonFields& fields, const Config& config) {
    if (!fields.has("relay") || fields.any("relay").is_null()) return std::nullopt;
    const JsonFields values(fields.any("relay"), "config: relay", {"directory", "capacity_B"});
    if (!config.guardian.empty()) fields.fail("relay", "null where there is a guardian: one plane moves the traffic");
    RelayConfig relay{values.text("directory", 1, 4096), kDefaultRelay_B};
    if (values.has("capacity_B")) {
        relay.capacity_B = static_cast<std::uint64_t>(values.whole("capacity_B", 1024, 256 * 1024 * 1024));
    }
    return relay;
}

bool valid_job(const std::string& job) {
    return std::all_of(job.begin(), job.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

}  // namespace

sockaddr_in Host::socket_address() const {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(port);
    result.sin_addr = address;
    return result;
}

std::optional<core::HostId> Config::host_at(in_addr address) const {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (hosts[i].address.s_addr == address.s_addr) return static_cast<core::HostId>(i);
    }
    return std::nullopt;
}

Config parse_config(WipedLine line) {
    Config config;
    const bool has_secret = take_secret(line, config.secret);
    const auto parsed = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
    if (parsed.is_discarded()) throw ProtocolError("config: the first line of input is not JSON");
    const JsonFields fields(parsed, "config",
                            {"type", "job", "secret", "self", "hosts", "guardian", "uid", "clock_test", "manage",
                             "relay", "rings", "lease_s", "boot_id"});
    if (fields.text("type", 1, 32) != "config") fields.fail("type", "'config' in the first line of input");
    if (!has_secret) fields.fail("secret", "64 hexadecimal digits");
    config.job = fields.text("job", 1, 12);
    if (!valid_job(config.job)) fields.fail("job", "made of the characters 0-9 and a-z");
    config.hosts = parse_hosts(fields.list("hosts", 2, core::kMaxHosts));
    config.self = static_cast<core::HostId>(fields.whole("self", 0, static_cast<int>(config.hosts.size()) - 1));
    config.guardian = parse_guardian(fields);
    config.uid = parse_uid(fields);
    config.clock_test = parse_clock_test(fields);
    config.relay = parse_relay(fields, config);
    if (fields.has("lease_s") && !fields.any("lease_s").is_null()) {
        config.lease_s = fields.number("lease_s", 0.1, 86'400.0);
    }
    if (fields.has("boot_id") && !fields.any("boot_id").is_null()) {
        config.boot_id =
            static_cast<std::uint64_t>(fields.whole("boot_id", 1, std::numeric_limits<std::int64_t>::max()));
    }
    if (fields.has("rings") && !fields.any("rings").is_null()) config.rings = fields.text("rings", 1, 4096);
    config.manage = fields.any("manage");
    if (!config.manage.is_null() && !config.manage.is_object()) fields.fail("manage", "null or an object");
    return config;
}

}  // namespace fairlead::agent
