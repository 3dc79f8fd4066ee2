// SPDX-License-Identifier: Apache-2.0
// Checked access to the fields of a JSON object: type, range, and no field that nobody knows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fairlead::agent {

/// What the supervisor sent is not what the protocol says. The message names the field.
struct ProtocolError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Least and greatest permitted number.
struct WholeLimits {
    std::int64_t min;
    std::int64_t max;
};
struct RealLimits {
    double min;
    double max;
};

/// A whole number that stands in a list.
std::int64_t whole_in(const nlohmann::json& value, const std::string& what, std::int64_t min, std::int64_t max);
template <typename T>
T whole_in(const nlohmann::json& value, const std::string& what, WholeLimits limits) {
    return static_cast<T>(whole_in(value, what, limits.min, limits.max));
}
/// A finite number that stands in a list.
double number_in(const nlohmann::json& value, const std::string& what, double min, double max);
/// A text that stands in a list.
std::string text_in(const nlohmann::json& value, const std::string& what);

class JsonFields {
  public:
    /// `what` names the object in messages. Throws ProtocolError if it is no object or has fields besides `known`.
    JsonFields(const nlohmann::json& object, std::string what, std::initializer_list<std::string_view> known);

    bool has(const char* key) const;
    /// Whether it is there, and not null.
    bool given(const char* key) const;
    /// Each throws ProtocolError if the field is missing, of another type, or out of range.
    const nlohmann::json& any(const char* key) const;
    std::int64_t whole(const char* key, std::int64_t min, std::int64_t max) const;
    template <typename T>
    T whole(const char* key, WholeLimits limits) const {
        return static_cast<T>(whole(key, limits.min, limits.max));
    }
    double number(const char* key, double min, double max) const;
    double number(const char* key, RealLimits limits) const { return number(key, limits.min, limits.max); }
    bool flag(const char* key) const;
    std::string text(const char* key, std::size_t min_length, std::size_t max_length) const;
    const nlohmann::json& list(const char* key, std::size_t min_length, std::size_t max_length) const;

    /// In messages: a field, each entry of a list, an object in a field, an object in a list.
    std::string name(const char* key) const { return what_ + ": '" + key + "'"; }
    std::string entry(const char* key) const { return what_ + ": each of '" + key + "'"; }
    std::string within(const char* key) const { return what_ + ": " + key; }
    std::string at(const char* key, std::size_t index) const { return within(key) + "[" + std::to_string(index) + "]"; }

    [[noreturn]] void fail(const char* key, const std::string& expected) const;

  private:
    const nlohmann::json& object_;
    std::string what_;
};

}  // namespace fairlead::agent
