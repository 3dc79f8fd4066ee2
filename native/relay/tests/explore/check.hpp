// SPDX-License-Identifier: Apache-2.0
// Holds what the relay plane makes of a program against what MPI allows it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "explorer.hpp"
#include "program.hpp"
#include "relayed.hpp"

namespace fairlead::relay::explore {

struct Verdict {
    std::size_t states = 0;
    std::size_t outcomes = 0;          ///< different ones on the relay plane
    std::size_t allowed = 0;           ///< different ones that MPI allows
    std::vector<std::string> illegal;  ///< outcomes that MPI does not allow, each with the steps that lead to it
};

struct Extent {
    bool until_illegal = false;  ///< stop at the first outcome that MPI does not allow
    std::size_t most_states = 1U << 26;
};

/// Explores the program on the reference and on the relay plane.
Verdict check(const Program& program, Chaos chaos, Mistakes mistakes = {}, Extent extent = {});

}  // namespace fairlead::relay::explore
