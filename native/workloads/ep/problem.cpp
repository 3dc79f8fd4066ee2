// SPDX-License-Identifier: Apache-2.0
#include "ep/problem.hpp"

#include <cmath>
#include <numeric>

namespace fairlead::ep {

namespace {

constexpr std::array kProblems = {
    Problem{.name = 'S',
            .exponent = 24,
            .sum_x = -3.247834652034740e3,
            .sum_y = -6.958407078382297e3,
            .gaussian_pairs = 13176389,
            .counts = {{{6140517, 5865300, 1100361, 68546, 1648, 17}}}},
    Problem{.name = 'W',
            .exponent = 25,
            .sum_x = -2.863319731645753e3,
            .sum_y = -6.320053679109499e3,
            .gaussian_pairs = 26354769,
            .counts = {{{12281576, 11729692, 2202726, 137368, 3371, 36}}}},
    Problem{.name = 'A',
            .exponent = 28,
            .sum_x = -4.295875165629892e3,
            .sum_y = -1.580732573678431e4,
            .gaussian_pairs = 210832767,
            .counts = {{{98257395, 93827014, 17611549, 1110028, 26536, 245}}}},
    Problem{.name = 'B',
            .exponent = 30,
            .sum_x = 4.033815542441498e4,
            .sum_y = -2.660669192809235e4,
            .gaussian_pairs = 843345606,
            .counts = {{{393058470, 375280898, 70460742, 4438852, 105691, 948, 5}}}},
    Problem{.name = 'C',
            .exponent = 32,
            .sum_x = 4.764367927995374e4,
            .sum_y = -8.084072988043731e4,
            .gaussian_pairs = 3373275903,
            .counts = {{{1572172634, 1501108549, 281805648, 17761221, 424017, 3821, 13}}}},
    Problem{.name = 'D',
            .exponent = 36,
            .sum_x = 1.982481200946593e5,
            .sum_y = -1.020596636361769e5,
            .gaussian_pairs = 53972171957,
            .counts = {}},
    Problem{.name = 'E',
            .exponent = 40,
            .sum_x = -5.319717441530e5,
            .sum_y = -3.688834557731e5,
            .gaussian_pairs = 863554308186,
            .counts = {}},
};

double relative_difference(double value, double reference) {
    return std::abs(value - reference) / std::abs(reference);
}

}  // namespace

std::span<const Problem> problems() {
    return kProblems;
}

Verdict verify(const Problem& problem, const Tally& tally) {
    Verdict verdict;
    verdict.require("sum of x against the published value", relative_difference(tally.sum_x, problem.sum_x),
                    Problem::kTolerance);
    verdict.require("sum of y against the published value", relative_difference(tally.sum_y, problem.sum_y),
                    Problem::kTolerance);
    const auto pairs = std::accumulate(tally.counts.begin(), tally.counts.end(), std::int64_t{0});
    verdict.require("Gaussian pairs missing or too many against the published number",
                    std::abs(static_cast<double>(pairs - problem.gaussian_pairs)), 0.0);
    if (!problem.counts) {
        verdict.note("the class has no published counts by annulus");
        return verdict;
    }
    double miscounted = 0.0;
    for (std::size_t annulus = 0; annulus < kAnnuli; ++annulus) {
        miscounted += std::abs(static_cast<double>(tally.counts[annulus] - (*problem.counts)[annulus]));
    }
    verdict.require("deviates counted in another annulus than published", miscounted, 0.0);
    return verdict;
}

}  // namespace fairlead::ep
