// SPDX-License-Identifier: Apache-2.0
#include "json/json_fields.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

namespace fairlead::agent {
namespace {

template <typename T>
std::string range(T min, T max) {
    std::ostringstream text;
    text << "from " << min << " to " << max;
    return text.str();
}

}  // namespace

JsonFields::JsonFields(const nlohmann::json& object, std::string what, std::initializer_list<std::string_view> known)
    : object_(object), what_(std::move(what)) {
    if (!object.is_object()) throw ProtocolError(what_ + " must be an object");
    for (const auto& [key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            throw ProtocolError(what_ + " has the unknown field '" + key + "'");
        }
    }
}

bool JsonFields::has(const char* key) const {
    return object_.contains(key);
}

bool JsonFields::given(const char* key) const {
    return has(key) && !any(key).is_null();
}

void JsonFields::fail(const char* key, const std::string& expected) const {
    throw ProtocolError(name(key) + " must be " + expected);
}

const nlohmann::json& JsonFields::any(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw ProtocolError(name(key) + " is missing");
    return *found;
}

std::int64_t JsonFields::whole(const char* key, std::int64_t min, std::int64_t max) const {
    return whole_in(any(key), name(key), min, max);
}

double JsonFields::number(const char* key, double min, double max) const {
    return number_in(any(key), name(key), min, max);
}

bool JsonFields::flag(const char* key) const {
    if (!any(key).is_boolean()) fail(key, "true or false");
    return any(key).get<bool>();
}

std::string JsonFields::text(const char* key, std::size_t min_length, std::size_t max_length) const {
    const nlohmann::json& value = any(key);
    if (!value.is_string()) fail(key, "a string");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() < min_length || text.size() > max_length) {
        fail(key, "a string of " + range(min_length, max_length) + " characters");
    }
    return text;
}

const nlohmann::json& JsonFields::list(const char* key, std::size_t min_length, std::size_t max_length) const {
    const nlohmann::json& value = any(key);
    if (!value.is_array() || value.size() < min_length || value.size() > max_length) {
        fail(key, "a list of " + range(min_length, max_length) + " entries");
    }
    return value;
}

std::int64_t whole_in(const nlohmann::json& value, const std::string& what, std::int64_t min, std::int64_t max) {
    const std::string expected = what + " must be a whole number " + range(min, max);
    if (!value.is_number_integer()) throw ProtocolError(expected);
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        throw ProtocolError(expected);
    }
    const auto number = value.get<std::int64_t>();
    if (number < min || number > max) throw ProtocolError(expected);
    return number;
}

double number_in(const nlohmann::json& value, const std::string& what, double min, double max) {
    if (!value.is_number()) throw ProtocolError(what + " must be a number " + range(min, max));
    const auto number = value.get<double>();
    if (!(number >= min && number <= max)) throw ProtocolError(what + " must be a number " + range(min, max));
    return number;
}

std::string text_in(const nlohmann::json& value, const std::string& what) {
    if (!value.is_string()) throw ProtocolError(what + " must be a string");
    return value.get<std::string>();
}

}  // namespace fairlead::agent
