// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cstdlib>

namespace fairlead::spank {
namespace {

constexpr double kLongestWait_s = 3600.0;

/// An option: what its value may be, and which argument of `fairlead supervise` it becomes.
struct Known {
    const char* name;
    const char* value;  ///< As messages show it: alternatives, a word in capitals for any text; nullptr: it has none.
    const char* argument;  ///< nullptr: it is the plugin's own.
};

constexpr Known kKnown[] = {
    {"plane", "auto|route|relay", "--plane"},
    {"results", "DIRECTORY", "--results"},
    {"report", nullptr, "--report"},
    {"no-detours", nullptr, "--no-detours"},
    {"no-benefit", nullptr, "--no-benefit"},
    {"no-detection", nullptr, "--no-detection"},
    {"monitor", nullptr, "--monitor"},
    {"reroute", "SOURCE:DESTINATION:RELAY", "--reroute"},
    {"nodes", "job|step", "--nodes"},
    {"wait", "SECONDS", nullptr},
    {"quiet", nullptr, "--quiet"},
    {"off", nullptr, nullptr},
};

const Known* find(std::string_view name) {
    for (const Known& known : kKnown) {
        if (name == known.name) return &known;
    }
    return nullptr;
}

bool is_one_of(std::string_view alternatives, std::string_view value) {
    while (true) {
        const std::size_t bar = alternatives.find('|');
        if (alternatives.substr(0, bar) == value) return true;
        if (bar == std::string_view::npos) return false;
        alternatives.remove_prefix(bar + 1);
    }
}

bool suits(const Known& known, const std::string& value) {
    if (known.value == nullptr) return true;
    if (std::string_view(known.value).find('|') != std::string_view::npos) return is_one_of(known.value, value);
    return !value.empty();
}

/// Seconds from 0 to an hour; negative: the text is no such number.
double seconds(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return *end == '\0' && value >= 0.0 && value <= kLongestWait_s ? value : -1.0;
}

std::string take(std::string_view word, Options& options) {
    const std::size_t equals = word.find('=');
    const std::string name(word.substr(0, equals));
    const Known* const known = find(name);
    if (known == nullptr) return "unknown option '" + name + "'";
    const bool has_value = equals != std::string_view::npos;
    if (has_value && known->value == nullptr) return name + " takes no value";
    if (!has_value && known->value != nullptr) return name + " needs a value: " + name + "=" + known->value;
    const std::string value(has_value ? word.substr(equals + 1) : std::string_view());
    if (!suits(*known, value)) return name + " must be " + known->value + ", not '" + value + "'";
    if (name == "off") options.off = true;
    if (name == "wait") {
        options.wait_s = seconds(value);
        if (options.wait_s < 0.0) return "wait must be a number of seconds from 0 to 3600, not '" + value + "'";
    }
    if (known->argument != nullptr) {
        options.arguments.emplace_back(known->argument);
        if (has_value) options.arguments.push_back(value);
    }
    return "";
}

}  // namespace

std::string known_options() {
    std::string text;
    for (const Known& known : kKnown) {
        if (!text.empty()) text += ", ";
        text += known.name;
        if (known.value != nullptr) text += std::string("=") + known.value;
    }
    return text;
}

Options parse_options(std::string_view text, std::string& error) {
    Options options;
    error.clear();
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        error = take(text.substr(0, comma), options);
        if (!error.empty()) {
            error += "; known options: " + known_options();
            return options;
        }
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return options;
}

}  // namespace fairlead::spank
