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
    EXPECT_EQ(*set(settings, "congestion_level.nonsense", 1.0), "there is no setting congestion_level.nonsense");
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

}  // namespace
}  // namespace fairlead::core
