// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairlead {

// The number of elements of one message, as MPI takes it. Throws std::runtime_error where it is more than an int holds.
template <std::integral Number>
int mpi_count(Number elements) {
    if (!std::in_range<int>(elements)) {
        throw std::runtime_error("a message of " + std::to_string(elements) +
                                 " elements is larger than MPI's limit of " +
                                 std::to_string(std::numeric_limits<int>::max()) + ": use more ranks");
    }
    return static_cast<int>(elements);
}

}  // namespace fairlead
