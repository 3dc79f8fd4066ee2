// SPDX-License-Identifier: Apache-2.0
#include "common/randlc.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fairlead {
namespace {

TEST(Randlc, StatesAreTheProductModulo2To46) {
    // a * seed = 1220703125 * 314159265 = 383495196533203125; by hand modulo 2^46, and the same again.
    Randlc random;
    random();
    EXPECT_EQ(random.state(), 383495196533203125ULL % (1ULL << 46));
    const auto wide = static_cast<__uint128_t>(random.state()) * 1220703125U;
    random();
    EXPECT_EQ(random.state(), static_cast<std::uint64_t>(wide % (static_cast<__uint128_t>(1) << 46)));
}

TEST(Randlc, AgreesWithTheDoublePrecisionArithmeticOfTheReport) {
    // RNR-94-007, section 2.2: numbers of 46 bits as halves of 23, all products exact in double precision.
    const double r23 = 0x1p-23, t23 = 0x1p23, r46 = 0x1p-46, t46 = 0x1p46;
    const double a1 = std::trunc(r23 * 1220703125.0), a2 = 1220703125.0 - t23 * a1;
    double x = 314159265.0;
    Randlc random;
    for (int i = 0; i < 10000; ++i) {
        const double x1 = std::trunc(r23 * x), x2 = x - t23 * x1;
        const double cross = a1 * x2 + a2 * x1;
        const double z = cross - t23 * std::trunc(r23 * cross);
        const double sum = t23 * z + a2 * x2;
        x = sum - t46 * std::trunc(r46 * sum);
        ASSERT_EQ(random(), r46 * x) << "number " << i;
    }
}

TEST(Randlc, SkippingLeavesNumbersOut) {
    for (const std::uint64_t count : {0U, 1U, 2U, 7U, 64U, 1000U}) {
        Randlc drawn(271'828'183);
        for (std::uint64_t i = 0; i < count; ++i) {
            drawn();
        }
        Randlc skipped(271'828'183);
        skipped.skip(count);
        EXPECT_EQ(skipped.state(), drawn.state()) << count;
    }
    Randlc whole;
    whole.skip(std::uint64_t{1} << 44);  // the period
    EXPECT_EQ(whole.state(), Randlc::kSeed);
}

TEST(Randlc, ValuesAreUniform) {
    Randlc random;
    double sum = 0.0, squares = 0.0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
        const double value = random();
        ASSERT_GT(value, 0.0);
        ASSERT_LT(value, 1.0);
        sum += value;
        squares += value * value;
    }
    EXPECT_NEAR(sum / kCount, 1.0 / 2, 0.005);  // five standard errors
    EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.005);
}

}  // namespace
}  // namespace fairlead
