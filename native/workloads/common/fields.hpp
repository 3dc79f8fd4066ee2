// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fairlead {

using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::array<double, 2>>>;

// A flat result, keys and values in their order, for programs that need not see the JSON library: it takes seconds to
// compile.
using Fields = std::vector<std::pair<std::string, Value>>;

// Prints the result line, see write_result (common/result.hpp).
void write_fields(const Fields& fields, const std::string& path);

}  // namespace fairlead
