// SPDX-License-Identifier: Apache-2.0
#include "flow/problem.hpp"

#include <cmath>
#include <limits>

namespace fairlead::flow {

namespace {

double relative_difference(double value, double reference) {
    return std::abs(value - reference) / std::abs(reference);
}

// The larger of the two; NaN if one of them is.
double larger(double a, double b) {
    return a > b || std::isnan(a) ? a : b;
}

double largest_difference(const State& values, const State& references) {
    double largest = 0.0;
    for (std::size_t m = 0; m < values.size(); ++m) {
        largest = larger(largest, relative_difference(values[m], references[m]));
    }
    return largest;
}

// The largest ratio of a norm to an earlier one: below 1 while the solution approaches the steady one.
double largest_ratio(const Norms& later, const Norms& earlier) {
    double largest = 0.0;
    for (std::size_t m = 0; m < later.residual.size(); ++m) {
        largest = larger(largest, later.residual[m] / earlier.residual[m]);
        largest = larger(largest, later.error[m] / earlier.error[m]);
    }
    return largest;
}

}  // namespace

Verdict verify(const Problem& problem, const Outcome& outcome) {
    Verdict verdict;
    if (outcome.iterations < problem.iterations) {
        verdict.note("fewer iterations than the standard, the norms have no published values");
        verdict.require("norms over those at the start", largest_ratio(outcome.last, outcome.start), 1.0);
        return verdict;
    }
    const Norms& found = outcome.standard;
    verdict.require("residual after the standard iterations against the published values",
                    largest_difference(found.residual, problem.published.residual), Problem::kTolerance);
    verdict.require("error after the standard iterations against the published values",
                    largest_difference(found.error, problem.published.error), Problem::kTolerance);
    if (problem.published.surface_integral) {
        verdict.require("surface integral against the published value",
                        relative_difference(found.surface_integral.value_or(std::numeric_limits<double>::quiet_NaN()),
                                            *problem.published.surface_integral),
                        Problem::kTolerance);
    }
    if (outcome.iterations > problem.iterations) {
        verdict.require("final norms over those after the standard iterations", largest_ratio(outcome.last, found),
                        1.0);
    }
    return verdict;
}

}  // namespace fairlead::flow
