// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/base.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace fairlead::core {
namespace {

TEST(BaseTable, InterpolatesBetweenSizes) {
    BaseTable base(4);
    const Pair pair{0, 1};
    EXPECT_FALSE(base.latency_s(pair, 64).has_value());
    base.set_latency(pair, 1024, 1e-3, 0.0);
    base.set_latency(pair, 64, 100e-6, 0.0);
    base.set_latency(pair, 16384, 4e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s(pair), 100e-6);
    EXPECT_DOUBLE_EQ(*base.latency_s(pair, 1), 100e-6);
    EXPECT_DOUBLE_EQ(*base.latency_s(pair, 1024), 1e-3);
    EXPECT_NEAR(*base.latency_s(pair, 256), std::sqrt(100e-6 * 1e-3), 1e-9) << "half way on the logarithm of the size";
    EXPECT_NEAR(*base.latency_s(pair, 32768), 4e-3 + 16384 * (3e-3 / 15360), 1e-9) << "last slope";
    base.set_throughput(pair, 8e6, 0.0);
    EXPECT_NEAR(*base.latency_s(pair, 32768), 4e-3 + 16384e-6, 1e-9) << "base throughput";
    EXPECT_FALSE(base.latency_s({1, 0}).has_value()) << "pairs are ordered";
    EXPECT_THROW(base.set_latency({0, 4}, 64, 1.0, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_latency(pair, 64, 0.0, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_throughput(pair, NAN, 0.0), std::invalid_argument);
}

TEST(BaseTable, AgesAndIsConfirmed) {
    BaseTable base(2);
    EXPECT_FALSE(base.age_s({0, 1}, 0.0).has_value());
    base.set_latency({0, 1}, 64, 1e-3, -50.0);
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 10.0), 60.0);
    EXPECT_FALSE(base.observe({0, 1}, 1.1e-3, 60.0).has_value());
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 60.0), 0.0) << "a latency near the base confirms it";
}

TEST(BaseTable, ALastingShiftIsTheNewBase) {
    BaseSettings settings;
    settings.shift_window_s = 100.0;
    settings.shift_samples = 10;
    BaseTable base(2, settings);
    base.set_latency({0, 1}, 64, 1e-3, 0.0);
    base.set_latency({0, 1}, 65536, 4e-3, 0.0);
    int shifts = 0;
    for (double t = 0.0; t < 99.0; t += 1.0) shifts += base.observe({0, 1}, 6e-3, t).has_value();
    EXPECT_EQ(shifts, 0);
    EXPECT_FALSE(base.observe({0, 1}, 1e-3, 99.5).has_value()) << "one sample near the base: no shift";
    std::optional<BaseTable::Shift> shift;
    for (double t = 100.0; t <= 200.0 && !shift; t += 1.0) shift = base.observe({0, 1}, t == 150.0 ? 5e-3 : 6e-3, t);
    ASSERT_TRUE(shift.has_value());
    EXPECT_DOUBLE_EQ(shift->from_s, 1e-3);
    EXPECT_DOUBLE_EQ(shift->to_s, 5e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}), 5e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 65536), 8e-3);
}

TEST(BaseTable, PairsHaveWhatIsKnownOfTheirGroups) {
    BaseTable base(4);
    base.set_latency({0, 2}, 64, 1e-3, 0.0);
    EXPECT_FALSE(base.latency_s({1, 2}).has_value());
    base.set_groups({0, 0, 1, 1});
    base.set_latency_between({0, 1}, 64, 2e-3, 0.0);
    base.set_latency_between({0, 1}, 65536, 8e-3, 0.0);
    base.set_throughput_between({0, 1}, 1e8, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 2}), 1e-3) << "its own";
    EXPECT_DOUBLE_EQ(*base.latency_s({1, 2}, 65536), 8e-3);
    EXPECT_DOUBLE_EQ(*base.throughput_bps({1, 3}), 1e8);
    EXPECT_FALSE(base.latency_s({2, 1}).has_value());
    EXPECT_FALSE(base.latency_s({0, 1}).has_value());
    base.set_latency({1, 3}, 64, 3e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({1, 3}), 3e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({1, 3}, 65536), 8e-3) << "what is not set is as before";
    EXPECT_DOUBLE_EQ(*base.latency_s({1, 2}), 2e-3) << "nor are others";
    EXPECT_THROW(base.set_groups({0, 0, 1}), std::invalid_argument);
    EXPECT_THROW(base.set_groups({0, 0, 1, 4}), std::invalid_argument);
}

}  // namespace
}  // namespace fairlead::core
