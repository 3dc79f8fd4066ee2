// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "pingpong/loops.hpp"
#include "pingpong/options.hpp"

namespace fairlead::pingpong {

struct RoundTrips {
    int size_B;
    std::vector<double> samples_s;
};

// What one round measured.
struct Round {
    int number;
    std::vector<RoundTrips> round_trips;
    std::optional<Bulk> bulk;
};

// Prints the result line.
void write_round(const Options& options, const Round& round);

}  // namespace fairlead::pingpong
