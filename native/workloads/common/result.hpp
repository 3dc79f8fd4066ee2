// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace fairlead {

// Prints the machine-readable result as one line that starts with '{' on stdout and, unless `path` is empty, writes the
// same line to that file. To be called by one rank. Throws std::runtime_error when the file cannot be written.
void write_result(const nlohmann::ordered_json& result, const std::string& path);

}  // namespace fairlead
