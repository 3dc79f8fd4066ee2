// SPDX-License-Identifier: Apache-2.0
#include "ep/deviates.hpp"

#include <algorithm>
#include <cmath>

#include "common/randlc.hpp"
#include "ep/problem.hpp"

namespace fairlead::ep {

Tally tally_pairs(std::uint64_t first, std::uint64_t end) {
    Randlc random(Problem::kSeed);
    random.skip(2 * first);
    Tally tally;
    for (std::uint64_t pair = first; pair < end; ++pair) {
        const double x = 2.0 * random() - 1.0;
        const double y = 2.0 * random() - 1.0;
        const double t = x * x + y * y;
        if (t > 1.0) {
            continue;
        }
        const double factor = std::sqrt(-2.0 * std::log(t) / t);
        const double deviate_x = x * factor;
        const double deviate_y = y * factor;
        const double distance = std::max(std::abs(deviate_x), std::abs(deviate_y));
        ++tally.counts[static_cast<std::size_t>(distance)];
        tally.sum_x += deviate_x;
        tally.sum_y += deviate_y;
    }
    return tally;
}

}  // namespace fairlead::ep
