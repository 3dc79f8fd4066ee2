// SPDX-License-Identifier: Apache-2.0
#include "benchmark/noise/noise_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "benchmark/noise/ticks.hpp"

namespace fairlead::benchmark {
namespace {

constexpr std::uint64_t kLimit = 1'000'000'000;  // ticks: more than a test takes, on any machine

TEST(Selfish, EachDetourHasWhatTheLookAfterItGave) {
    std::size_t looks = 0;
    // Any iteration is a detour. A look takes next to nothing.
    const Detours found = selfish(0, 3, kLimit, [&] { return std::optional(looks++); });
    ASSERT_EQ(found.source.size(), 3U);
    EXPECT_EQ(found.source[0], 0);
    EXPECT_GT(found.looked, 0U);
    EXPECT_LE(found.looked, found.period);
}

TEST(Selfish, LooksTakeATenthOfTheTimeAtMost) {
    int looks = 0;
    const Detours found = selfish(0, 2000, kLimit, [&]() -> std::optional<std::size_t> {
        const std::uint64_t until = ticks() + 1'000'000;
        while (ticks() < until) {
        }
        ++looks;
        return 7;
    });
    EXPECT_EQ(looks, 1) << "the others are over before its time is made up for";
    ASSERT_EQ(found.source.size(), 2000U);
    EXPECT_EQ(found.source[0], 7);
    EXPECT_EQ(found.source[1], Detours::kNotLooked);
    EXPECT_GE(found.looked, 1'000'000U);
}

TEST(Selfish, ALookThatSawSeveralDetoursNamesNone) {
    int looks = 0;
    const Detours found = selfish(0, 400'000, kLimit, [&]() -> std::optional<std::size_t> {
        const std::uint64_t until = ticks() + 20'000;
        while (ticks() < until) {
        }
        return ++looks;
    });
    ASSERT_GT(looks, 3);
    EXPECT_EQ(found.source[0], 1);
    EXPECT_EQ(std::ranges::count(found.source, 2), 0) << "it was of the detours of a pause";
    EXPECT_EQ(std::ranges::count(found.source, 3), 1) << "it was of the one after that";
    EXPECT_LT(found.looked, found.period / 5);
}

TEST(Selfish, WithoutALookThereAreNoSources) {
    const Detours found = selfish(0, 10, kLimit);
    EXPECT_EQ(found.start.size(), 10U);
    EXPECT_TRUE(found.source.empty());
    EXPECT_EQ(found.looked, 0U);
}

}  // namespace
}  // namespace fairlead::benchmark
