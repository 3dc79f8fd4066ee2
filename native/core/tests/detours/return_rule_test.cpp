// SPDX-License-Identifier: Apache-2.0
#include "detours/return_rule.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class ReturnRule : public testing::Test {
  protected:
    ReturnRule() { rig.traffic.set_mix(1, {{64, 1.0}}); }

    /// Bursts on the direct path, twice a second.
    void bursts(double queue_s, double for_s) {
        for (const Time end = rig.now + for_s; rig.now < end; rig.now += 0.25) {
            const std::uint32_t burst = rig.paths.probes().burst(1, rig.now, rig.out.actions());
            rig.paths.judge(*rig.probe(1, queue_s, burst), rig.now, rig.out);
        }
    }
    bool good(std::optional<double> detour_s, double low_s = 2.0) {
        return direct_is_good(rig.job, rig.paths, rig.traffic, 1, low_s, 2.0, detour_s, rig.now);
    }
    PartsRig rig;
};

TEST_F(ReturnRule, TheDirectPathHasToBeLowForTheDwellTime) {
    bursts(10e-3, 1.0);
    EXPECT_DOUBLE_EQ(low_for_s(rig.paths, 1, 100.0, rig.now), 0.0);
    const Time free_at = rig.now;
    bursts(0.0, 1.5);
    EXPECT_NEAR(low_for_s(rig.paths, 1, 100.0, rig.now), rig.now - free_at, 0.01);
    EXPECT_NEAR(low_for_s(rig.paths, 1, rig.now - 0.5, rig.now), 0.5, 1e-9) << "as long as its traffic was away";
    EXPECT_FALSE(good(10e-3, 1.99));
    EXPECT_TRUE(good(10e-3, 2.0));
}

TEST_F(ReturnRule, AndToBeAsFastAsTheDetour) {
    bursts(0.5e-3, 1.0);
    EXPECT_TRUE(good(10e-3));
    EXPECT_FALSE(good(0.3e-3));
    EXPECT_TRUE(good(std::nullopt)) << "the detour's legs are not known";
}

TEST_F(ReturnRule, AndToHaveBeenMeasuredJustNow) {
    bursts(0.0, 1.0);
    rig.now += 1.0;
    EXPECT_FALSE(good(10e-3));
    bursts(2e-3, 0.5);
    EXPECT_FALSE(good(10e-3)) << "not low";
}

}  // namespace
}  // namespace fairlead::core
