// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/regular_least.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fairlead::benchmark {
namespace {

RegularLeast of(std::initializer_list<std::pair<std::uint64_t, int>> times) {
    RegularLeast least;
    for (const auto& [time, number] : times) {
        for (int i = 0; i < number; ++i) {
            least.add(time);
        }
    }
    return least;
}

TEST(RegularLeast, IsTheLeastWhereAllComeOften) {
    EXPECT_EQ(of({{20, 500}, {18, 500}, {4000, 3}}).value(), 18U);
}

TEST(RegularLeast, IsNotWhatAClockShowsAsItIsCorrected) {
    EXPECT_EQ(of({{52, 50'000}, {26, 50'000}, {1, 99}}).value(), 26U);
    EXPECT_EQ(of({{52, 50'000}, {26, 49'900}, {1, 100}}).value(), 1U) << "one in a thousand";
}

TEST(RegularLeast, OfFewIsTheirLeast) {
    EXPECT_EQ(of({{30, 1}, {40, 2}}).value(), 30U);
}

TEST(RegularLeast, ReadingsThatDoNotDifferAreNoTimes) {
    EXPECT_EQ(of({{0, 1'000'000}, {40, 10}}).value(), 40U);
    EXPECT_EQ(of({{0, 10}}).value(), std::numeric_limits<std::uint64_t>::max());
}

TEST(RegularLeast, MayBeLong) {
    EXPECT_EQ(of({{1'000'000, 5000}, {900'000, 10}, {3, 1}}).value(), 900'000U);
}

}  // namespace
}  // namespace fairlead::benchmark
