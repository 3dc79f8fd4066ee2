// SPDX-License-Identifier: Apache-2.0
#include "nbody/verify.hpp"

#include <algorithm>
#include <cmath>

namespace fairlead::nbody {

namespace {

// Bounds, relative. The leapfrog's energy error is of second order in the time step (1e-7 with the default step), the
// others are rounding (below 1e-14).
constexpr double kMomentumBound = 1e-11;
constexpr double kEnergyBound = 1e-4;
constexpr double kDirectSumBound = 1e-11;

double length(const Vector& vector) {
    return std::hypot(vector[0], vector[1], vector[2]);
}

Vector difference(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

}  // namespace

std::vector<Vector> direct_sum(const Sources& all, const std::vector<std::size_t>& targets, double softening) {
    std::vector<Vector> accelerations;
    for (const std::size_t i : targets) {
        Vector sum{};
        for (std::size_t j = 0; j < all.x.size(); ++j) {
            const Vector d = {all.x[j] - all.x[i], all.y[j] - all.y[i], all.z[j] - all.z[i]};
            const double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening * softening;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                sum[axis] += all.mass[j] * d[axis] / (squared * std::sqrt(squared));
            }
        }
        accelerations.push_back(sum);
    }
    return accelerations;
}

double direct_sum_error(const std::vector<Vector>& computed, const std::vector<Vector>& reference) {
    double largest = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double error = length(difference(computed[i], reference[i]));
        if (std::isnan(error)) {
            return error;  // the maximum would lose it
        }
        largest = std::max(largest, error);
        squares += length(reference[i]) * length(reference[i]);
    }
    return reference.empty() ? 0.0 : largest / std::sqrt(squares / static_cast<double>(reference.size()));
}

std::vector<std::size_t> spread_sample(std::size_t count, std::size_t most) {
    const std::size_t wanted = std::min(count, most);
    std::vector<std::size_t> sample;
    for (std::size_t k = 0; k < wanted; ++k) {
        sample.push_back(k * count / wanted);
    }
    return sample;
}

Verdict verify(const Outcome& outcome) {
    Verdict verdict;
    verdict.require("accelerations against the direct sum", outcome.direct_error, kDirectSumBound);
    verdict.require("change of momentum",
                    length(difference(outcome.end.momentum, outcome.start.momentum)) / outcome.start.momentum_scale,
                    kMomentumBound);
    verdict.require("change of energy",
                    std::abs(outcome.end.energy - outcome.start.energy) / std::abs(outcome.start.energy), kEnergyBound);
    verdict.require("damaged payloads", static_cast<double>(outcome.payload_errors), 0.0);
    return verdict;
}

}  // namespace fairlead::nbody
