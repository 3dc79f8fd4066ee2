// SPDX-License-Identifier: Apache-2.0
// The first line of input: who this agent is, who its peers are, the job's secret.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "control/line_reader.hpp"
#include "control/secret.hpp"
#include "fairlead/core/types.hpp"
#include "json/json_fields.hpp"
#include "process/clock.hpp"
#include "process/socket_address.hpp"

namespace fairlead::agent {

struct Host {
    std::string name;
    std::string address_text;
    Address address{};
    std::uint16_t port = 0;  ///< UDP and TCP

    SocketAddress socket_address() const { return {address, port}; }
    SocketAddress any_port() const { return {address, 0}; }
    /// "h1 (10.64.0.2)", for messages.
    std::string label() const { return name + " (" + address_text + ")"; }
};

/// Where ranks find the agent, and how much it keeps of their frames.
struct RelayConfig {
    std::string directory;
    std::uint64_t capacity_B = 0;  ///< of each pool: see relay::HopBuffers
};

struct Config {
    std::string job;
    SecretKey secret;
    core::HostId self = 0;
    std::vector<Host> hosts;
    std::vector<std::string> guardian;  ///< command line; empty: no route plane
    std::uint32_t uid = 0;              ///< whose traffic is watched and rerouted
    Clock::Test clock_test;
    std::optional<RelayConfig> relay;  ///< none: no relay plane
    double lease_s = 0.0;              ///< from one word of the supervisor to the next at most; 0: any time
    /// Of this start of the host's agent, by which others tell it from earlier ones; greater than theirs.
    std::optional<std::uint64_t> boot_id;
    core::Acknowledge acknowledge = core::Acknowledge::waited;  ///< which messages lead to notices
    std::string rings;      ///< directory of the ranks' rings; empty: their messages are not watched
    nlohmann::json manage;  ///< null, or what ManageConfig is made of

    const Host& own() const { return hosts[self]; }
    int family() const { return own().address.family(); }  ///< of all hosts' addresses
    core::HostId host_count() const { return static_cast<core::HostId>(hosts.size()); }
    std::optional<core::HostId> host_at(const Address& address) const;
};

/// Reads the line (and wipes the secret in it). Throws ProtocolError, which never quotes the secret.
Config parse_config(WipedLine line);

}  // namespace fairlead::agent
