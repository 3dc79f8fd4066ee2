// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fairlead::ep {

inline constexpr std::size_t kAnnuli = 10;

// What is added up of the pairs (X, Y) of Gaussian deviates.
struct Tally {
    double sum_x = 0.0;
    double sum_y = 0.0;
    std::array<std::int64_t, kAnnuli> counts{};  // counts[l]: pairs with l <= max(|X|, |Y|) < l + 1
};

// Draws the pairs [first, end) of the benchmark's sequence, makes Gaussian deviates of those inside the unit circle
// (polar method) and adds them up (NAS report RNR-94-007, section 2.1).
Tally tally_pairs(std::uint64_t first, std::uint64_t end);

}  // namespace fairlead::ep
