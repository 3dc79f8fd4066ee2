// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/verdict.hpp"
#include "flow/norms.hpp"

namespace fairlead::flow {

// A problem class of sp, bt or lu (NAS report RNR-94-007, section 3, and the class tables of NPB 2 and 3).
struct Problem {
    char name;
    Index points;                               // a side of the cubic grid
    int iterations;                             // standard number of time steps
    double time_step;                           // of the pseudo-time
    Norms published;                            // after the standard number of steps
    static constexpr double kTolerance = 1e-8;  // relative, for every published value
};

// What a run computed, as far as verification needs it.
struct Outcome {
    int iterations;  // made
    Norms start;     // of the initial state
    Norms standard;  // after the standard number of iterations (if so many were made)
    Norms last;      // after the last one
};

// Judges a run.
//
// With at least the standard number of iterations: the norms after exactly that many must equal the class's values.
// The exact solution is the steady one, so iterations beyond it must not enlarge any residual or error. With fewer
// there are no published values: then none may have become larger than at the start.
Verdict verify(const Problem& problem, const Outcome& outcome);

}  // namespace fairlead::flow
