// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "common/usage.hpp"

namespace fairlead {

// Parses the command line. Throws UsageError or HelpRequest instead of printing: only one rank shall speak.
void parse_options(CLI::App& options, int argc, char** argv);

}  // namespace fairlead
