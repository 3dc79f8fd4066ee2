// SPDX-License-Identifier: Apache-2.0
#include "cg/problem.hpp"

#include <array>
#include <cmath>

namespace fairlead::cg {

namespace {

constexpr std::array kProblems = {
    Problem{.name = 'S', .order = 1400, .nonzeros = 7, .iterations = 15, .shift = 10, .zeta = 8.5971775078648},
    Problem{.name = 'W', .order = 7000, .nonzeros = 8, .iterations = 15, .shift = 12, .zeta = 10.362595087124},
    Problem{.name = 'A', .order = 14000, .nonzeros = 11, .iterations = 15, .shift = 20, .zeta = 17.130235054029},
    Problem{.name = 'B', .order = 75000, .nonzeros = 13, .iterations = 75, .shift = 60, .zeta = 22.712745482631},
    Problem{.name = 'C', .order = 150000, .nonzeros = 15, .iterations = 75, .shift = 110, .zeta = 28.973605592845},
    Problem{.name = 'D', .order = 1500000, .nonzeros = 21, .iterations = 100, .shift = 500, .zeta = 52.514532105794},
    Problem{.name = 'E', .order = 9000000, .nonzeros = 26, .iterations = 100, .shift = 1500, .zeta = 77.522164599383},
};

// Largest residual of a linear system that counts as solved; right-hand sides have length 1.
constexpr double kResidualBound = 1e-8;

double relative_difference(double value, double reference) {
    return std::abs(value - reference) / std::abs(reference);
}

}  // namespace

std::span<const Problem> problems() {
    return kProblems;
}

Verdict verify(const Problem& problem, const Outcome& outcome) {
    Verdict verdict;
    if (outcome.iterations >= problem.iterations) {
        verdict.require("zeta after the standard iterations against the published value",
                        relative_difference(outcome.standard_zeta, problem.zeta), Problem::kTolerance);
    } else {
        verdict.note("fewer iterations than the standard, zeta has no published value");
    }
    if (outcome.iterations > problem.iterations) {
        verdict.require("final zeta against the published value", relative_difference(outcome.final_zeta, problem.zeta),
                        Problem::kTolerance);
    }
    verdict.require("zeta's spread over the ranks",
                    relative_difference(outcome.final_zeta_highest, outcome.final_zeta_lowest), Problem::kTolerance);
    verdict.require("residual of the last system", outcome.residual, kResidualBound);
    return verdict;
}

}  // namespace fairlead::cg
