// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "common/usage.hpp"

namespace fairlead {

// The names of the classes in the table `problems` (each entry has a `name`), e.g. "S, W and A" with "and" as `last`.
template <typename Problems>
std::string class_names(const Problems& problems, const std::string& last) {
    std::string names;
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const std::string separator = i == 0 ? "" : i + 1 < problems.size() ? ", " : " " + last + " ";
        names += separator + problems[i].name;
    }
    return names;
}

// The entry of the table `problems` that --class NAME means. Throws UsageError with the names there are.
template <typename Problems>
const auto& find_class(const Problems& problems, const std::string& name) {
    const auto found = std::ranges::find_if(
        problems, [&](const auto& problem) { return name.size() == 1 && problem.name == name.front(); });
    if (found == std::ranges::end(problems)) {
        throw UsageError("--class " + name + ": there are the classes " + class_names(problems, "and"));
    }
    return *found;
}

}  // namespace fairlead
