// SPDX-License-Identifier: Apache-2.0
#include "paths/paths.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(Paths, ThresholdsComeFromTheBaseline) {
    BaseTable base = rig_base();
    base.set_latency({0, 2}, 64, 4e-3, -1.0);
    const PartsRig rig(rig_job(), base);
    EXPECT_DOUBLE_EQ(rig.paths.base_latency_s({0, 1}), 150e-6);
    EXPECT_DOUBLE_EQ(rig.paths.threshold_s(1), 1e-3) << "the floor";
    EXPECT_DOUBLE_EQ(rig.paths.threshold_s(2), 2e-3);
    EXPECT_DOUBLE_EQ(rig.paths.leave_threshold_s(2), 8e-3);
}

/// From 100 Mbit/s on a probe counts once; a path whose throughput is not known is taken for one of those.
TEST(Paths, ProbesOfNarrowPathsCountForMore) {
    BaseTable base(kRigHosts);
    base.set_throughput({0, 1}, 20e6, -1.0);
    base.set_throughput({0, 2}, 200e6, -1.0);
    for (const auto& [peer, bursts] : {std::pair{HostId{1}, 4}, std::pair{HostId{2}, 20}, std::pair{HostId{3}, 20}}) {
        PartsRig rig(rig_job(), base);
        ProbeDesk& probes = rig.paths.probes();
        int sent = 0;
        for (; probes.affordable(peer, rig.now); rig.now += 1e-6, ++sent) {
            probes.burst(peer, rig.now, rig.out.actions());
            probes.expire(rig.now + 1.0);
        }
        EXPECT_EQ(sent, bursts) << peer;
    }
}

TEST(Paths, HalfTheRoundTripStandsInForAnUnknownBaseline) {
    PartsRig rig(rig_job(), BaseTable(kRigHosts));
    EXPECT_DOUBLE_EQ(rig.paths.base_latency_s({0, 1}), 0.0);
    rig.probe(1, 0.0);
    EXPECT_DOUBLE_EQ(rig.paths.base_latency_s({0, 1}), 150e-6);
    EXPECT_DOUBLE_EQ(rig.paths.base_latency_s({1, 0}), 150e-6);
    EXPECT_DOUBLE_EQ(rig.paths.base_latency_s({1, 2}), 0.0);
}

TEST(Paths, ABurstThatQueuedRaisesTheCongestionLevel) {
    PartsRig rig;
    const std::uint32_t burst = rig.paths.probes().burst(1, rig.now, rig.out.actions());
    const auto done = rig.probe(1, 20e-3, burst);
    ASSERT_TRUE(done.has_value());
    rig.out.take();
    rig.paths.judge(*done, rig.now, rig.out);
    const auto changes = only<LevelChanged>(rig.out.take());
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].path, (Pair{0, 1}));
    EXPECT_EQ(changes[0].to, CongestionLevel::high);
    EXPECT_NEAR(changes[0].queue_delay_s, 20e-3, 1e-12);
    EXPECT_EQ(rig.paths.congestion_level(1), CongestionLevel::high);
    EXPECT_NEAR(rig.paths.state(1, 100.0).queue_delay_s, 20e-3, 1e-12);
    EXPECT_FALSE(rig.paths.state(1, rig.now).usable) << "nothing is known of so late";
}

TEST(Paths, ALastingShiftBecomesTheBaseline) {
    Job job = rig_job();
    job.settings.base.shift_window_s = 5.0;
    job.settings.base.shift_samples = 3;
    BaseSettings settings = job.settings.base;
    BaseTable base(kRigHosts, settings);
    base.set_latency({0, 1}, 64, 150e-6, -1.0);
    PartsRig rig(job, base);
    std::vector<BaseShifted> shifts;
    for (int i = 0; i < 12; ++i, rig.now += 1.0) {
        const std::uint32_t burst = rig.paths.probes().burst(1, rig.now, rig.out.actions());
        rig.paths.judge(*rig.probe(1, 5e-3, burst), rig.now, rig.out);
        for (const BaseShifted& shift : only<BaseShifted>(rig.out.take())) shifts.push_back(shift);
    }
    ASSERT_EQ(shifts.size(), 1U);
    EXPECT_NEAR(shifts[0].to_s, 5.15e-3, 1e-9);
    EXPECT_NEAR(rig.paths.base_latency_s({0, 1}), 5.15e-3, 1e-9);
    EXPECT_NEAR(rig.paths.probes().forward(1, rig.now - 1.5).typical_s, 0.0, 1e-9) << "it is no queue any more";
}

TEST(Paths, ARelationOfAnotherNumberOfHostsIsIgnored) {
    PartsRig rig;
    rig.paths.set_sharing(SharingRelation(kRigHosts + 1));
    EXPECT_TRUE(rig.paths.sharing().known());
    rig.paths.set_sharing(SharingRelation(kRigHosts));
    EXPECT_FALSE(rig.paths.sharing().known());
}

TEST(Paths, ALegIsUsableIfMostProbesCameBack) {
    EXPECT_TRUE(leg_of({1, 2, 3, 2, 4e-3, 150e-6, 0.0}).usable);
    EXPECT_FALSE(leg_of({1, 2, 3, 1, 4e-3, 150e-6, 0.0}).usable);
    EXPECT_FALSE(leg_of({1, 2, 0, 0, 4e-3, 150e-6, 0.0}).usable);
    EXPECT_DOUBLE_EQ(leg_of({1, 2, 3, 3, 4e-3, 150e-6, 0.0}).queue_delay_s, 4e-3);
}

}  // namespace
}  // namespace fairlead::core
