// SPDX-License-Identifier: Apache-2.0
// Lines of the supervisor after the configuration. protocol/agent.toml has the commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "generated/commands.hpp"

namespace fairlead::agent {

/// A command that cannot be done as it stands.
struct CommandError : ProtocolError {
    CommandError(std::optional<std::int64_t> command_id, const std::string& reason)
        : ProtocolError(reason), id(command_id) {}
    std::optional<std::int64_t> id;  ///< of the command, if it could be read
};

/// Reads one line. Throws CommandError.
Command parse_command(std::string_view line, core::HostId self, core::HostId host_count);

}  // namespace fairlead::agent
