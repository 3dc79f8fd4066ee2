// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/formatted.hpp"

namespace fairlead {

// The judgement of a run, check by check.
struct Verdict {
    bool verified = true;
    std::string explanation;  // the checks made, with value and bound

    // `value` must not exceed `bound`; NaN does.
    void require(const char* what, double value, double bound) {
        const bool passed = value <= bound;
        note(formatted("%s: %.2e %s %.0e", what, value, passed ? "<=" : "is NOT <=", bound));
        verified = verified && passed;
    }

    void note(const std::string& text) { explanation += (explanation.empty() ? "" : "; ") + text; }

    // For people.
    std::string line() const { return "verification " + std::string(verified ? "passed: " : "FAILED: ") + explanation; }
};

}  // namespace fairlead
