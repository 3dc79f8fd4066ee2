// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace fairlead::pingpong {

struct Options {
    std::vector<int> sizes_B{64, 1024, 8192, 65536, 524288};
    int exchanges = 100;
    int warmup = 10;
    double bulk_s = 0.0;
    int bulk_size_B = 65536;
    int window = 16;
    int rounds = 1;
    bool on_request = false;
};

// Reads the command line. Throws UsageError or HelpRequest.
Options options_of(int argc, char** argv);

}  // namespace fairlead::pingpong
