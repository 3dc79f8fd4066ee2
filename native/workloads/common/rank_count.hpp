// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <string>

#include "common/usage.hpp"

namespace fairlead {

// Throws UsageError unless `ranks` is a power of two and at most `most`.
inline void require_power_of_two(const std::string& program, int ranks, int most) {
    if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
        throw UsageError(program + ": the number of ranks must be a power of two, and is " + std::to_string(ranks));
    }
    if (ranks > most) {
        throw UsageError(program + ": " + std::to_string(ranks) +
                         " ranks are too many for this class, which has room for " + std::to_string(most));
    }
}

}  // namespace fairlead
