// SPDX-License-Identifier: Apache-2.0
// What the supervisor can ask for after the configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fairlead/core/sharing.hpp"
#include "fairlead/core/types.hpp"
#include "json_fields.hpp"

namespace fairlead::agent {

/// Message sizes that a ping-pong may have; both ends hold a buffer of the largest.
inline constexpr std::uint64_t kMaxPingPong_B = 64ull * 1024 * 1024;
inline constexpr std::size_t kMaxPingPongSizes = 32;
inline constexpr std::uint32_t kMaxExchanges = 100'000;
inline constexpr int kMaxStreams = 64;
inline constexpr double kMaxTrain_s = 600.0;
inline constexpr double kMaxClockStep_s = 1e6;
/// A measurement that takes longer than this has failed, unless its command says otherwise ("timeout_s").
inline constexpr double kDefaultTimeout_s = 25.0;

struct PingPongCommand {
    std::int64_t id = 0;
    core::HostId peer = 0;
    std::vector<std::uint64_t> sizes_B;
    std::uint32_t exchanges = 0;
    std::uint32_t warmup = 0;
    double timeout_s = kDefaultTimeout_s;
};

struct TrainCommand {
    std::int64_t id = 0;
    core::HostId peer = 0;
    double duration_s = 0.0;
    int streams = 1;
    double timeout_s = kDefaultTimeout_s;  ///< on top of the duration
};

struct ProbeCommand {
    std::int64_t id = 0;
    std::vector<core::HostId> peers;
    int count = 0;
    double interval_s = 0.0;
};

struct MoveCommand {
    std::int64_t id = 0;
    core::HostId peer = 0;
    core::HostId relay = 0;
};

struct ReturnCommand {
    std::int64_t id = 0;
    core::HostId peer = 0;
};

/// Machines have moved: other paths than before have bottlenecks in common.
struct SharesCommand {
    std::int64_t id = 0;
    core::SharingRelation sharing;
};

/// A test: the agent's clock jumps. Hosts of a lab share the machine's.
struct StepClockCommand {
    std::int64_t id = 0;
    double offset_s = 0.0;
};

/// The supervisor is there. It has no answer.
struct LeaseCommand {};

struct StopCommand {};

using Command = std::variant<PingPongCommand, TrainCommand, ProbeCommand, MoveCommand, ReturnCommand, SharesCommand,
                             StepClockCommand, LeaseCommand, StopCommand>;

/// A command that cannot be done as it stands.
struct CommandError : ProtocolError {
    CommandError(std::optional<std::int64_t> command_id, const std::string& reason)
        : ProtocolError(reason), id(command_id) {}
    std::optional<std::int64_t> id;  ///< of the command, if it could be read
};

/// Reads one line. Throws CommandError.
Command parse_command(std::string_view line, core::HostId self, core::HostId host_count);

}  // namespace fairlead::agent
