// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fairlead::random_traffic {

struct Options {
    std::uint64_t seed = 1;
    double duration_s = 10.0;
    int message_B = 1 << 18;
    double interval_s = 0.5;
    std::string json;
};

// Reads the command line. Throws UsageError or HelpRequest.
Options options_of(int argc, char** argv);

}  // namespace fairlead::random_traffic
