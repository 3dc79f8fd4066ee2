// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "common/usage.hpp"

namespace fairlead {

// Throws UsageError unless `ranks` is a power of two, at least `least` and at most `most`.
inline void require_power_of_two(const std::string& program, int ranks, std::int64_t most, int least = 1) {
    if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
        throw UsageError(program + ": the number of ranks must be a power of two, and is " + std::to_string(ranks));
    }
    if (ranks < least) {
        throw UsageError(program + ": " + std::to_string(ranks) + " ranks are too few for this class, which needs " +
                         std::to_string(least));
    }
    if (ranks > most) {
        throw UsageError(program + ": " + std::to_string(ranks) +
                         " ranks are too many for this class, which has room for " + std::to_string(most));
    }
}

}  // namespace fairlead
