// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "common/verdict.hpp"

namespace fairlead::cg {

// A problem class of the CG kernel (NAS report RNR-94-007, section 2.2.3, and the NPB 2 and 3 class tables).
struct Problem {
    char name;
    int order;                                   // n, rows of the matrix
    int nonzeros;                                // non-zeros drawn for each generating vector
    int iterations;                              // standard number of outer iterations
    double shift;                                // lambda
    double zeta;                                 // verification value after the standard number of iterations
    static constexpr double kCondition = 0.1;    // rcond: 1 / condition number of the generated matrix
    static constexpr int kInnerIterations = 25;  // conjugate-gradient steps of an outer iteration
    static constexpr double kTolerance = 1e-10;  // relative, for zeta
};

// The classes S, W and A to E.
std::span<const Problem> problems();

// What a run computed, as far as verification needs it; the extremes are over all ranks.
struct Outcome {
    int iterations;            // outer iterations made
    double standard_zeta;      // zeta after the standard number of iterations (if so many were made)
    double final_zeta;         // zeta after the last iteration
    double final_zeta_lowest;  // ... over the ranks
    double final_zeta_highest;
    double residual;  // ||x - A z|| of the last iteration
};

// Judges a run.
//
// With at least the standard number of iterations: zeta after exactly that many must equal the class's value.
// Iterations beyond it must leave zeta there (power iteration has converged by then in every class). With fewer there
// is no published value: zeta is left unjudged and only the checks below are made. Always: all ranks have the same
// zeta, and the last linear system was solved (residual bound).
Verdict verify(const Problem& problem, const Outcome& outcome);

}  // namespace fairlead::cg
