// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "common/verdict.hpp"
#include "ep/deviates.hpp"

namespace fairlead::ep {

// A problem class of the EP kernel (NAS report RNR-94-007, section 2.1; the classes that it lacks: NPB 2 and 3).
struct Problem {
    char name;
    int exponent;  // 2^exponent pairs of uniform numbers are drawn
    double sum_x;  // verification values
    double sum_y;
    std::int64_t gaussian_pairs;                              // verification value: pairs inside the unit circle
    std::optional<std::array<std::int64_t, kAnnuli>> counts;  // by annulus, where they are published
    static constexpr std::uint64_t kSeed = 271'828'183;
    static constexpr double kTolerance = 1e-8;  // relative, for the sums

    std::uint64_t pairs() const { return std::uint64_t{1} << exponent; }
};

// The classes S, W and A to E.
std::span<const Problem> problems();

// Judges a run: both sums within the tolerance of the published values, and as many pairs in every annulus as
// published; where those counts are not published (D and E), as many in all.
Verdict verify(const Problem& problem, const Tally& tally);

}  // namespace fairlead::ep
