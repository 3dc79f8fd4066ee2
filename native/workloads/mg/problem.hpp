// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "common/verdict.hpp"
#include "mg/stencil.hpp"

namespace fairlead::mg {

// A problem class of the MG kernel (NAS report RNR-94-007, section 2.3, and the NPB 2 and 3 class tables).
struct Problem {
    char name;
    int levels;      // level l, from 1, has 2^l points a side; the last is the grid of the problem
    int iterations;  // standard number of V-cycles
    Weights smoother;
    double norm;  // verification value: of the residual after the standard number of iterations
    static constexpr double kTolerance = 1e-8;  // relative, for the norm
};

// The classes S, W and A to E.
std::span<const Problem> problems();

// What a run computed, as far as verification needs it: root mean squares of the residual.
struct Outcome {
    int iterations;        // V-cycles made
    double first_norm;     // before the first
    double standard_norm;  // after the standard number (if so many were made)
    double final_norm;     // after the last
};

// Judges a run.
//
// With at least the standard number of iterations: the norm after exactly that many must equal the class's value, and
// iterations beyond it must not have made it larger. With fewer there is no published value: the norm is left unjudged
// but for this: always, the iterations must have halved it.
Verdict verify(const Problem& problem, const Outcome& outcome);

}  // namespace fairlead::mg
