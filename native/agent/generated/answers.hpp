// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/core/types.hpp"
#include "generated/enums.hpp"

namespace fairlead::agent {

/// Exchanges of one message size.
struct PingpongResult {
    /// message size
    std::uint64_t size_B = 0;
    /// one value per exchange
    std::vector<double> round_trip_s{};
    /// one-way time by both hosts' clocks
    std::vector<double> forward_s{};
};

/// Probes of one peer.
struct ProbeResult {
    /// host
    core::HostId peer = core::kNoHost;
    /// probes sent
    std::uint64_t sent = 0;
    /// one value per answered probe
    std::vector<double> round_trip_s{};
    /// one-way time to the peer
    std::vector<double> forward_s{};
    /// one-way time from the peer
    std::vector<double> backward_s{};
    /// largest error bound; null if no probe was answered
    std::optional<double> clock_error_s{};
};

/// The agent takes commands.
struct ReadyAnswer {
    /// process id of the agent on its host
    std::uint64_t pid = 0;
    /// version of the agent
    std::string version{};
    /// interface that has the host's address
    std::string interface{};
    /// `route`, `relay` or `none`: how this host reroutes traffic
    std::string plane{};
    /// why the plane is `none`; empty otherwise
    std::string plane_reason{};
    /// null: ports below 1024 are reserved for root; a port: ordinary users may bind ports from this one on; `"not
    /// known"`: the setting cannot be read
    nlohmann::json low_port{};
    /// scheduling granted by the kernel, so that polling ranks do not starve the agent
    Scheduling scheduling = Scheduling::realtime;
};

/// Why the agent cannot work. It exits with code 1.
struct ErrorAnswer {
    /// a sentence
    std::string reason{};
};

/// A command failed.
struct FailedAnswer {
    std::int64_t id = 0;
    /// a sentence
    std::string reason{};
};

/// A command was carried out.
struct DoneAnswer {
    std::int64_t id = 0;
};

/// The agent ends now.
struct StoppedAnswer {
};

/// Results of a ping-pong.
struct PingpongAnswer {
    std::int64_t id = 0;
    /// as in the command
    core::HostId peer = core::kNoHost;
    /// by message size
    std::vector<PingpongResult> results{};
    /// largest error bound of the clock difference
    double clock_error_s = 0.0;
};

/// Result of a bulk transfer.
struct BulkAnswer {
    std::int64_t id = 0;
    /// as in the command
    core::HostId peer = core::kNoHost;
    /// bytes received [B]
    std::uint64_t bytes = 0;
    /// time that the receiver took for them
    double duration_s = 0.0;
    /// rate of these bytes in this time
    double rate_bps = 0.0;
};

/// Results of probes.
struct ProbeAnswer {
    std::int64_t id = 0;
    /// by peer
    std::vector<ProbeResult> results{};
};

/// How far the program's traffic is; two of them make a rate.
struct ProgressAnswer {
    std::int64_t id = 0;
    /// bytes that its connections from this host, or agents for it, have delivered to managed hosts since the agent's
    /// start
    std::uint64_t delivered_B = 0;
    /// pairs from this host that are rerouted now, not counting those rerouted on command
    std::uint64_t detours = 0;
};

using Answer = std::variant<ReadyAnswer, ErrorAnswer, FailedAnswer, DoneAnswer, StoppedAnswer, PingpongAnswer,
                            BulkAnswer, ProbeAnswer, ProgressAnswer>;

/// As the supervisor gets it.
nlohmann::json line_of(const Answer& said);

}  // namespace fairlead::agent
