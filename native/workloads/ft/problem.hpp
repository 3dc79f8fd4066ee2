// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "common/verdict.hpp"
#include "ft/share.hpp"

namespace fairlead::ft {

// A problem class of the FT kernel (NAS report RNR-94-007, section 2.4, and the NPB 2 and 3 class tables).
struct Problem {
    char name;
    Grid grid;
    std::span<const Complex> checksums;          // verification values, one an iteration
    static constexpr double kTolerance = 1e-12;  // relative, for each part of a checksum

    int iterations() const { return static_cast<int>(checksums.size()); }
};

// The classes S, W and A to E.
std::span<const Problem> problems();

// What a run computed, as far as verification needs it.
struct Outcome {
    std::vector<Complex> checksums;  // one an iteration
    double round_trip_error;  // of the last field, transformed back, against its spectrum (Field::round_trip_error)
};

// Judges a run: the checksum of every iteration that has a published value must equal it (with more iterations than
// published, those beyond are not judged by a checksum), and the last field, transformed back, must give its spectrum.
Verdict verify(const Problem& problem, const Outcome& outcome);

}  // namespace fairlead::ft
