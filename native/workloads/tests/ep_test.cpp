// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "common/problem_class.hpp"
#include "ep/problem.hpp"

namespace fairlead::ep {
namespace {

Tally published(const Problem& problem) {
    return {.sum_x = problem.sum_x, .sum_y = problem.sum_y, .counts = problem.counts};
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

TEST(EpProblem, CountsAreThoseOfTheGaussianPairs) {
    EXPECT_EQ(find_class(problems(), "S").pairs(), 16777216U);
    const auto pairs = [](const char* name) {
        const auto& counts = find_class(problems(), name).counts;
        return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    };
    EXPECT_EQ(pairs("S"), 13176389);
    EXPECT_EQ(pairs("W"), 26354769);
    EXPECT_EQ(pairs("A"), 210832767);
    EXPECT_EQ(pairs("B"), 843345606);
    EXPECT_EQ(pairs("C"), 3373275903);
    EXPECT_THROW(find_class(problems(), "D"), UsageError);
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
