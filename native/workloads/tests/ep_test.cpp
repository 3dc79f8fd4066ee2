// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "common/problem_class.hpp"
#include "ep/problem.hpp"

namespace fairlead::ep {
namespace {

Tally published(const Problem& problem) {
    std::array<std::int64_t, kAnnuli> counts{problem.gaussian_pairs};
    return {.sum_x = problem.sum_x, .sum_y = problem.sum_y, .counts = problem.counts.value_or(counts)};
}

TEST(TallyPairs, DoesNotDependOnWhereTheSequenceIsCut) {
    const Tally whole = tally_pairs(0, 20000);
    const Tally head = tally_pairs(0, 7321);
    const Tally tail = tally_pairs(7321, 20000);
    for (std::size_t annulus = 0; annulus < kAnnuli; ++annulus) {
        EXPECT_EQ(head.counts[annulus] + tail.counts[annulus], whole.counts[annulus]);
    }
    EXPECT_NEAR(head.sum_x + tail.sum_x, whole.sum_x, 1e-10);
    EXPECT_NEAR(head.sum_y + tail.sum_y, whole.sum_y, 1e-10);
}

TEST(TallyPairs, KeepsTheCircleAndHasTheNormalDistribution) {
    constexpr double kPairs = 200000;
    const Tally tally = tally_pairs(0, static_cast<std::uint64_t>(kPairs));
    const auto inside = static_cast<double>(std::accumulate(tally.counts.begin(), tally.counts.end(), std::int64_t{0}));
    EXPECT_NEAR(inside / kPairs, 0.785398, 0.005);  // pi / 4, five standard errors
    EXPECT_NEAR(static_cast<double>(tally.counts[0]) / inside, 0.682689 * 0.682689, 0.007);  // both within one sigma
    EXPECT_NEAR(tally.sum_x / inside, 0.0, 0.013);
}

TEST(EpProblem, HasThePublishedClasses) {
    struct Expected {
        const char* name;
        std::uint64_t pairs;
        std::int64_t gaussian_pairs;
        double sum_x;
        double sum_y;
    };
    constexpr std::array kExpected = {
        Expected{"S", 16'777'216, 13'176'389, -3247.834652034740, -6958.407078382297},
        Expected{"W", 33'554'432, 26'354'769, -2863.319731645753, -6320.053679109499},
        Expected{"A", 268'435'456, 210'832'767, -4295.875165629892, -15807.32573678431},
        Expected{"B", 1'073'741'824, 843'345'606, 40338.15542441498, -26606.69192809235},
        Expected{"C", 4'294'967'296, 3'373'275'903, 47643.67927995374, -80840.72988043731},
        Expected{"D", 68'719'476'736, 53'972'171'957, 198248.1200946593, -102059.6636361769},
        Expected{"E", 1'099'511'627'776, 863'554'308'186, -531971.7441530, -368883.4557731}};
    ASSERT_EQ(problems().size(), kExpected.size());
    for (const Expected& expected : kExpected) {
        const Problem& problem = find_class(problems(), expected.name);
        EXPECT_EQ(problem.pairs(), expected.pairs) << expected.name;
        EXPECT_EQ(problem.gaussian_pairs, expected.gaussian_pairs) << expected.name;
        EXPECT_DOUBLE_EQ(problem.sum_x, expected.sum_x) << expected.name;
        EXPECT_DOUBLE_EQ(problem.sum_y, expected.sum_y) << expected.name;
    }
}

TEST(EpProblem, GaussianPairsAreThoseInsideTheCircle) {
    for (const Problem& problem : problems()) {
        if (problem.counts) {
            EXPECT_EQ(std::accumulate(problem.counts->begin(), problem.counts->end(), std::int64_t{0}),
                      problem.gaussian_pairs)
                << problem.name;
        }
        const auto drawn = static_cast<double>(problem.pairs());
        constexpr double kInside = std::numbers::pi / 4;
        EXPECT_NEAR(static_cast<double>(problem.gaussian_pairs), kInside * drawn,
                    5 * std::sqrt(drawn * kInside * (1 - kInside)))
            << problem.name;
    }
}

TEST(EpVerify, WithoutPublishedCountsTheirSumIsJudged) {
    const Problem& problem = find_class(problems(), "D");
    EXPECT_TRUE(verify(problem, published(problem)).verified);
    Tally tally = published(problem);
    --tally.counts[0];
    EXPECT_FALSE(verify(problem, tally).verified);
    ++tally.counts[7];
    EXPECT_TRUE(verify(problem, tally).verified);
}

TEST(EpVerify, AcceptsThePublishedValuesOnly) {
    const Problem& problem = find_class(problems(), "A");
    EXPECT_TRUE(verify(problem, published(problem)).verified);
    Tally tally = published(problem);
    tally.sum_x *= 1 + 0.9e-8;
    EXPECT_TRUE(verify(problem, tally).verified);
    tally.sum_x = problem.sum_x * (1 + 1.2e-8);
    EXPECT_FALSE(verify(problem, tally).verified);
    tally.sum_x = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(verify(problem, tally).verified);
    tally = published(problem);
    tally.sum_y *= 1 - 1.2e-8;
    EXPECT_FALSE(verify(problem, tally).verified);
    tally = published(problem);
    --tally.counts[0];  // one pair moved to the next annulus
    ++tally.counts[1];
    EXPECT_FALSE(verify(problem, tally).verified);
}

}  // namespace
}  // namespace fairlead::ep
