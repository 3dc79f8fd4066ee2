// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "common/usage.hpp"

namespace fairlead {

// The entry of the table `problems` (S, W, A, B, C; each has a `name`) that --class NAME means. Throws UsageError for
// any other name.
template <typename Problems>
const auto& find_class(const Problems& problems, const std::string& name) {
    const auto found = std::ranges::find_if(
        problems, [&](const auto& problem) { return name.size() == 1 && problem.name == name.front(); });
    if (found == std::ranges::end(problems)) {
        throw UsageError("--class " + name + ": there are the classes S, W, A, B and C");
    }
    return *found;
}

}  // namespace fairlead
