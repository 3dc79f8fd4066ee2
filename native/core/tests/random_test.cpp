// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/random.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

/// The first values that are published for this seed, so that decisions can be replayed anywhere.
TEST(Random, IsSplitmix64) {
    Random random(1234567);
    EXPECT_EQ(random.next(), 6457827717110365317ULL);
    EXPECT_EQ(random.next(), 3203168211198807973ULL);
    EXPECT_EQ(random.next(), 9817491932198370423ULL);
    EXPECT_EQ(random.next(), 4593380528125082431ULL);
    EXPECT_EQ(random.next(), 16408922859458223821ULL);
}

TEST(Random, SeedsDiffer) {
    EXPECT_NE(Random(1).next(), Random(2).next());
    EXPECT_EQ(Random(1).next(), Random(1).next());
}

TEST(Random, IsUniformBelowABound) {
    Random random(1);
    int counts[5] = {};
    for (int i = 0; i < 50000; ++i) ++counts[random.below(5)];
    for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
    EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, IsUniformBetweenZeroAndOne) {
    Random random(1);
    int tenths[10] = {};
    for (int i = 0; i < 50000; ++i) {
        const double value = random.uniform();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        ++tenths[static_cast<int>(value * 10.0)];
    }
    for (const int count : tenths) EXPECT_NEAR(count, 5000, 300);
}

}  // namespace
}  // namespace fairlead::core
