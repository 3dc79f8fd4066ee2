// SPDX-License-Identifier: Apache-2.0
#include "common/fields.hpp"

#include "common/result.hpp"

namespace fairlead {

void write_fields(const Fields& fields, const std::string& path) {
    nlohmann::ordered_json result = nlohmann::ordered_json::object();
    for (const auto& field : fields) {
        std::visit([&](const auto& content) { result[field.first] = content; }, field.second);
    }
    write_result(result, path);
}

}  // namespace fairlead
