// SPDX-License-Identifier: Apache-2.0
// What `--fairlead=OPTIONS` asks for. C++17, so that the compilers of older clusters build it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::spank {

struct Options {
    bool off = false;                    ///< No management, in a job that asked for it.
    double wait_s = 60.0;                ///< For the agents, before the step starts without them.
    std::vector<std::string> arguments;  ///< Of `fairlead supervise`.
};

/// The options, from for example "plane=relay,report"; an empty text asks for the defaults. What is wrong goes to
/// `error`, one line that lists the known options, and is empty if nothing is.
Options parse_options(std::string_view text, std::string& error);

/// The known options in one line, for messages.
std::string known_options();

}  // namespace fairlead::spank
