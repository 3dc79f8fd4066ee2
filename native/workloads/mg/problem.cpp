// SPDX-License-Identifier: Apache-2.0
#include "mg/problem.hpp"

#include <array>
#include <cmath>

namespace fairlead::mg {

namespace {

constexpr Weights kSmallSmoother = {.centre = -3.0 / 8, .face = 1.0 / 32, .edge = -1.0 / 64, .corner = 0.0};
constexpr Weights kLargeSmoother = {.centre = -3.0 / 17, .face = 1.0 / 33, .edge = -1.0 / 61, .corner = 0.0};

constexpr std::array kProblems = {
    Problem{.name = 'S', .levels = 5, .iterations = 4, .smoother = kSmallSmoother, .norm = 0.5307707005734e-04},
    Problem{.name = 'W', .levels = 7, .iterations = 4, .smoother = kSmallSmoother, .norm = 0.6467329375339e-05},
    Problem{.name = 'A', .levels = 8, .iterations = 4, .smoother = kSmallSmoother, .norm = 0.2433365309069e-05},
    Problem{.name = 'B', .levels = 8, .iterations = 20, .smoother = kLargeSmoother, .norm = 0.1800564401355e-05},
    Problem{.name = 'C', .levels = 9, .iterations = 20, .smoother = kLargeSmoother, .norm = 0.5706732285740e-06},
    Problem{.name = 'D', .levels = 10, .iterations = 50, .smoother = kLargeSmoother, .norm = 0.1583275060440e-09},
    Problem{.name = 'E', .levels = 11, .iterations = 50, .smoother = kLargeSmoother, .norm = 0.5630442584711e-10},
};

}  // namespace

std::span<const Problem> problems() {
    return kProblems;
}

Verdict verify(const Problem& problem, const Outcome& outcome) {
    Verdict verdict;
    if (outcome.iterations >= problem.iterations) {
        verdict.require("norm of the residual after the standard iterations against the published value",
                        std::abs(outcome.standard_norm - problem.norm) / problem.norm, Problem::kTolerance);
    } else {
        verdict.note("fewer iterations than the standard, the norm of the residual has no published value");
    }
    if (outcome.iterations > problem.iterations) {
        verdict.require("final norm as a share of that after the standard iterations",
                        outcome.final_norm / outcome.standard_norm, 1.0);
    }
    verdict.require("final norm as a share of the first", outcome.final_norm / outcome.first_norm, 0.5);
    return verdict;
}

}  // namespace fairlead::mg
