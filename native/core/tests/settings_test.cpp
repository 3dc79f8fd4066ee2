// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace fairlead::core {
namespace {

TEST(Settings, DefaultsAreValidAndNamed) {
    Settings settings;
    EXPECT_FALSE(validate(settings).has_value()) << *validate(settings);
    EXPECT_GT(setting_table().size(), 50U);
    for (const SettingInfo& info : setting_table()) {
        const auto value = get(settings, info.name);
        ASSERT_TRUE(value.has_value()) << info.name;
        EXPECT_FALSE(set(settings, info.name, *value).has_value()) << info.name;
        EXPECT_TRUE(set(settings, info.name, info.max * 2.0 + 1.0).has_value()) << info.name;
        EXPECT_TRUE(set(settings, info.name, NAN).has_value()) << info.name;
    }
    EXPECT_FALSE(validate(settings).has_value());
}

TEST(Settings, MistakesNameTheSetting) {
    Settings settings;
    EXPECT_EQ(*set(settings, "congestion_level.nonsense", 1.0), "unknown setting congestion_level.nonsense");
    EXPECT_NE(set(settings, "probes.burst", 2.5)->find("whole number"), std::string::npos);
    EXPECT_FALSE(set(settings, "probes.burst", 4.0).has_value());
    EXPECT_EQ(settings.probes.burst, 4);
    EXPECT_FALSE(set(settings, "congestion_level.medium_factor", 5.0).has_value());
    EXPECT_NE(validate(settings)->find("congestion_level.medium_factor"), std::string::npos) << "above high_factor";
    EXPECT_FALSE(get(settings, "nothing").has_value());
    settings = Settings{};
    settings.probes.burst = 2;
    EXPECT_NE(validate(settings)->find("congestion_level.min_samples"), std::string::npos);
}

TEST(Settings, TheEndsOfARangeArePermitted) {
    for (const SettingInfo& info : setting_table()) {
        Settings settings;
        ASSERT_NE(info.real != nullptr, info.whole != nullptr) << info.name;
        for (const double end : {info.min, info.max}) {
            EXPECT_FALSE(set(settings, info.name, end)) << info.name << " = " << end;
            EXPECT_DOUBLE_EQ(*get(settings, info.name), end);
        }
        EXPECT_TRUE(set(settings, info.name, info.min - 1.0)) << info.name;
        EXPECT_DOUBLE_EQ(*get(settings, info.name), info.max) << "a mistake changes nothing";
    }
}

TEST(Settings, AMistakeIsSaidInFull) {
    Settings settings;
    EXPECT_EQ(*set(settings, "relay.lease_s", 1000.0), "setting relay.lease_s = 1000 is outside 0.05 to 600 s");
    EXPECT_EQ(*set(settings, "probes.burst", 2.5), "setting probes.burst = 2.5 must be a whole number of probes");
    EXPECT_EQ(settings.probes.burst, 3);
}

TEST(Settings, OneMayBeAsLargeAsTheOneThatItMustNotExceed) {
    Settings settings;
    settings.suspicion.backoff_min_s = settings.suspicion.backoff_max_s;
    EXPECT_FALSE(validate(settings));
    settings.suspicion.backoff_min_s = settings.suspicion.backoff_max_s + 0.1;
    EXPECT_EQ(*validate(settings), "setting suspicion.backoff_min_s must not exceed suspicion.backoff_max_s");
    settings.suspicion.backoff_min_s = -1.0;
    EXPECT_NE(validate(settings)->find("is outside"), std::string::npos) << "ranges first";
}

TEST(Settings, ABurstMustBeEnoughToBeJudged) {
    Settings settings;  // three probes, 3 ms apart
    settings.congestion_level.min_span_s = 0.006;
    EXPECT_FALSE(validate(settings));
    settings.congestion_level.min_span_s = 0.0061;
    EXPECT_NE(validate(settings)->find("congestion_level.min_span_s"), std::string::npos);
    settings.probes.burst = 4;
    EXPECT_FALSE(validate(settings));
}

}  // namespace
}  // namespace fairlead::core
