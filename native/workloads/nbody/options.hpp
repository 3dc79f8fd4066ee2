// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fairlead::nbody {

struct Setup {
    int particles;
    std::uint64_t seed;
    std::size_t payload_B;  // for each particle
    double softening;
    double time_step;
};

struct Options {
    Setup setup{.particles = 2048, .seed = 1, .payload_B = 0, .softening = 0.05, .time_step = 0.005};
    int steps = 50;
    double disturbance = 0.0;
    std::string json;
};

// Reads the command line. Throws UsageError or HelpRequest.
Options options_of(int argc, char** argv);

}  // namespace fairlead::nbody
