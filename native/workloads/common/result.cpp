// SPDX-License-Identifier: Apache-2.0
#include "common/result.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace fairlead {

void write_result(const nlohmann::ordered_json& result, const std::string& path) {
    const std::string line = result.dump();
    std::cout << line << std::endl;
    if (path.empty()) {
        return;
    }
    std::ofstream file(path);
    file << line << '\n';
    file.close();
    if (!file) {
        throw std::runtime_error("--json " + path + ": cannot write: " + std::strerror(errno));
    }
}

}  // namespace fairlead
