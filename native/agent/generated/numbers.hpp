// SPDX-License-Identifier: Apache-2.0
// Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
// clang-format off
#pragma once

#include <cstddef>

namespace fairlead::agent {

/// Longest line to the agent.
inline constexpr std::size_t kCommandLine_B = 33554432;

/// Longest line to the supervisor, and limit of the answers that wait for it.
inline constexpr std::size_t kAnswerLine_B = 67108864;

/// Backlog of output to the supervisor above which events are dropped.
inline constexpr std::size_t kEventBacklog_B = 262144;

/// `reroute` and `restore` fail after this time.
inline constexpr double kManual_s = 10.0;

}  // namespace fairlead::agent
