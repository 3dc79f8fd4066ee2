// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace fairlead {

// What printf would print, up to 400 characters. (The compilers at hand lack std::format.)
[[gnu::format(printf, 1, 2)]] inline std::string formatted(const char* format, ...) {
    std::array<char, 400> text{};
    va_list values;
    va_start(values, format);
    std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
    return text.data();
}

}  // namespace fairlead
