// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
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
    std::array<std::int64_t, kAnnuli> counts;
    static constexpr std::uint64_t kSeed = 271'828'183;
    static constexpr double kTolerance = 1e-8;  // relative, for the sums

    std::uint64_t pairs() const { return std::uint64_t{1} << exponent; }
};

// The classes S, W, A, B and C.
std::span<const Problem> problems();

// Judges a run: both sums within the tolerance of the published values, every count equal to the published one.
Verdict verify(const Problem& problem, const Tally& tally);

}  // namespace fairlead::ep
