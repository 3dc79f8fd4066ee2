// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace fairlead {

// The judgement of a run, check by check.
struct Verdict {
    bool verified = true;
    std::string explanation;  // the checks made, with value and bound

    // `value` must not exceed `bound`; NaN does.
    void require(const char* what, double value, double bound) {
        const bool passed = value <= bound;
        std::array<char, 200> text{};
        std::snprintf(text.data(), text.size(), "%s: %.2e %s %.0e", what, value, passed ? "<=" : "is NOT <=", bound);
        note(text.data());
        verified = verified && passed;
    }

    void note(const std::string& text) { explanation += (explanation.empty() ? "" : "; ") + text; }
};

}  // namespace fairlead
