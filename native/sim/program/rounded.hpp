// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace fairlead::sim {

/// As it is printed, to six decimals: times to the microsecond. What is behind that means nothing.
inline double rounded(double value) {
    return std::round(value * 1e6) / 1e6;
}

}  // namespace fairlead::sim
