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

TEST(BaseTable, AMeasuredSizeReplacesWhatItWas) {
    BaseTable base(2);
    base.set_latency({0, 1}, 64, 1e-3, 0.0);
    base.set_latency({0, 1}, 1024, 2e-3, 0.0);
    base.set_latency({0, 1}, 64, 3e-3, 5.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}), 3e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 1024), 2e-3);
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 7.0), 2.0);
}

TEST(BaseTable, AMessageOfNothingCountsAsOneByte) {
    BaseTable base(2);
    base.set_latency({0, 1}, 0, 1e-3, 0.0);
    base.set_latency({0, 1}, 64, 4e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 0), 1e-3);
    EXPECT_NEAR(*base.latency_s({0, 1}, 8), 2e-3, 1e-9);
    base.set_latency({0, 1}, 1, 1.1e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 1), 1.1e-3);
}

TEST(BaseTable, LargerMessagesNeverTakeLess) {
    BaseTable base(2);
    base.set_latency({0, 1}, 64, 1e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 1 << 20), 1e-3) << "one size has no slope";
    base.set_latency({0, 1}, 1024, 0.9e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 1 << 20), 0.9e-3) << "nor have two that noise put in the wrong order";
}

TEST(BaseTable, AThroughputAloneHasAnAgeButNoLatency) {
    BaseTable base(2);
    base.set_throughput({0, 1}, 1e9, 10.0);
    EXPECT_DOUBLE_EQ(*base.throughput_bps({0, 1}), 1e9);
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 12.0), 2.0);
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 8.0), 0.0) << "not below zero";
    EXPECT_FALSE(base.latency_s({0, 1}).has_value());
    EXPECT_FALSE(base.latency_s({0, 1}, 64).has_value());
    EXPECT_FALSE(base.observe({0, 1}, 1e-3, 12.0).has_value());
    EXPECT_FALSE(base.throughput_bps({1, 0}).has_value());
    EXPECT_FALSE(base.throughput_bps({0, 2}).has_value()) << "outside the job";
}

/// Shifts of pair 0 -> 1 after 10 s and 5 samples.
class BaseShift : public testing::Test {
  protected:
    static BaseSettings settings() {
        BaseSettings settings;
        settings.shift_window_s = 10.0;
        settings.shift_samples = 5;
        return settings;
    }
    BaseShift() {
        base.set_latency({0, 1}, 64, 1e-3, 0.0);
        base.set_latency({0, 1}, 65536, 4e-3, 0.0);
    }
    BaseTable base{3, settings()};
};

TEST_F(BaseShift, TakesBothTheTimeAndTheSamples) {
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(base.observe({0, 1}, 2e-3, 0.1 * i)) << "many, in 2 s";
    EXPECT_FALSE(base.observe({0, 1}, 1e-3, 2.0));
    for (const double at : {3.0, 8.0, 13.0, 18.0}) EXPECT_FALSE(base.observe({0, 1}, 2e-3, at)) << "four, in 15 s";
    EXPECT_TRUE(base.observe({0, 1}, 2e-3, 23.0));
}

TEST_F(BaseShift, BeginsAnewAfterItWasTaken) {
    std::optional<BaseTable::Shift> shift;
    for (double at = 0.0; at <= 10.0; at += 2.0) shift = base.observe({0, 1}, 2e-3, at);
    ASSERT_TRUE(shift);
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 11.0), 1.0) << "it confirms the base, too";
    for (double at = 12.0; at < 22.0; at += 2.0) EXPECT_FALSE(base.observe({0, 1}, 3e-3, at));
    shift = base.observe({0, 1}, 3e-3, 22.0);
    ASSERT_TRUE(shift);
    EXPECT_DOUBLE_EQ(shift->from_s, 2e-3);
}

TEST_F(BaseShift, ToTheOtherSideIsAnother) {
    for (double at = 0.0; at < 10.0; at += 1.0) EXPECT_FALSE(base.observe({0, 1}, 2e-3, at));
    for (double at = 10.0; at < 20.0; at += 1.0) EXPECT_FALSE(base.observe({0, 1}, 0.5e-3, at)) << at;
    const auto shift = base.observe({0, 1}, 0.6e-3, 20.0);
    ASSERT_TRUE(shift);
    EXPECT_DOUBLE_EQ(shift->to_s, 0.5e-3) << "the least of them";
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}), 0.5e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 65536), 3.5e-3);
}

TEST_F(BaseShift, NeverMakesALargerMessageFasterThanTheSmallest) {
    base.set_latency({0, 1}, 1024, 0.7e-3, 0.0);  // noise
    std::optional<BaseTable::Shift> shift;
    for (double at = 0.0; at <= 10.0; at += 1.0) shift = base.observe({0, 1}, 0.2e-3, at);
    ASSERT_TRUE(shift);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 1024), 0.2e-3);
}

TEST_F(BaseShift, NearTheBaseIsWithinAQuarter) {
    EXPECT_FALSE(base.observe({0, 1}, 1.249e-3, 5.0));
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 5.0), 0.0);
    EXPECT_FALSE(base.observe({0, 1}, 0.751e-3, 6.0));
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 6.0), 0.0);
    EXPECT_FALSE(base.observe({0, 1}, 1.251e-3, 7.0));
    EXPECT_FALSE(base.observe({0, 1}, 0.749e-3, 7.0));
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 7.0), 1.0);
    EXPECT_FALSE(base.observe({0, 1}, 1e-3, 4.0)) << "what comes late";
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 7.0), 1.0) << "does not make it older";
}

TEST_F(BaseShift, IgnoresWhatCannotBe) {
    for (double at = 0.0; at <= 30.0; at += 1.0) {
        EXPECT_FALSE(base.observe({0, 1}, NAN, at));
        EXPECT_FALSE(base.observe({0, 1}, 0.0, at));
        EXPECT_FALSE(base.observe({0, 3}, 2e-3, at)) << "outside the job";
        EXPECT_FALSE(base.observe({1, 0}, 2e-3, at)) << "never measured";
    }
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}), 1e-3);
    EXPECT_FALSE(base.latency_s({1, 0}).has_value());
}

TEST_F(BaseShift, OfOneHostsPairIsNotOfItsGroups) {
    base.set_groups({0, 0, 1});
    base.set_latency_between({0, 1}, 64, 1e-3, 0.0);
    for (double at = 0.0; at <= 10.0; at += 1.0) base.observe({0, 2}, 5e-3, at);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 2}), 5e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({1, 2}), 1e-3);
}

TEST(BaseTable, GroupsMayBePairedWithThemselvesButNotWithOthersThanTheJobs) {
    BaseTable base(3);
    base.set_groups({0, 0, 1});
    base.set_latency_between({0, 0}, 64, 1e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s({1, 0}), 1e-3);
    EXPECT_THROW(base.set_latency_between({0, 3}, 64, 1e-3, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_throughput_between({3, 0}, 1e9, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_latency_between({0, 1}, 64, -1e-3, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_throughput_between({0, 1}, 0.0, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_latency({1, 1}, 64, 1e-3, 0.0), std::invalid_argument) << "a host to itself";
}

}  // namespace
}  // namespace fairlead::core
