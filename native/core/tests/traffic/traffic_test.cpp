// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

TEST(Traffic, CountsPairsInUse) {
    PartsRig rig;
    EXPECT_EQ(rig.traffic.pairs_in_use(rig.now), 0);
    rig.sample(1, 0);
    rig.sample(1, 2000);
    rig.sample(2, 0);
    rig.sample(2, 2000);
    EXPECT_EQ(rig.traffic.pairs_in_use(rig.now), 2);
    EXPECT_EQ(rig.traffic.pairs_in_use(rig.now + 0.6), 0);
    EXPECT_GT(rig.traffic.uses(1).begun(), 100.0) << "a use began";
}

TEST(Traffic, FillsAPathWhenItsOwnBytesOccupyTheLink) {
    PartsRig rig;
    for (int i = 0; i < 5; ++i) rig.sample(1, 500000);  // 100 Mbit/s of 200
    EXPECT_NEAR(rig.traffic.own_share(1, rig.now), 0.5, 1e-9);
    EXPECT_FALSE(rig.traffic.fills_path(1, rig.now));
    EXPECT_NEAR(rig.traffic.own_share(2, rig.now), 0.0, 1e-9) << "they share nothing";
    for (int i = 0; i < 5; ++i) rig.sample(1, 750000);  // 150
    EXPECT_TRUE(rig.traffic.fills_path(1, rig.now));
    rig.traffic.lead_over(1, 3);
    EXPECT_TRUE(rig.traffic.detoured(1));
    EXPECT_FALSE(rig.traffic.fills_path(1, rig.now)) << "its bytes take another path now";
}

TEST(Traffic, PairsThatOnlyHurtAPathDoSoAtAWiderLink) {
    SharingRelation sharing = rig_sharing();
    sharing.set_hurts({0, 2}, {0, 1});  // 0-2 hurts 0-1, not the other way round
    BaseTable base = rig_base();
    base.set_throughput({0, 2}, 800e6, -1.0);
    const PartsRig rig(rig_job(), base, sharing);
    EXPECT_DOUBLE_EQ(*rig.traffic.shared_bps(1, {0, 1}), 200e6);
    EXPECT_DOUBLE_EQ(*rig.traffic.shared_bps(1, {0, 2}), 800e6);
    EXPECT_DOUBLE_EQ(*rig.traffic.shared_bps(2, {0, 1}), 800e6) << "its own bottleneck";
    EXPECT_FALSE(rig.traffic.shared_bps(1, {0, 3}).has_value());
}

TEST(Traffic, LearnsRatesWhereNothingIsKnown) {
    Job job = rig_job();
    job.learns = true;
    PartsRig rig(job, BaseTable(kRigHosts), SharingRelation(kRigHosts));
    rig.traffic.on_sample({1, 1e-3, 0.0, 0, 2000, 0, 0, false, 0.0, 90e6}, rig.now);
    EXPECT_DOUBLE_EQ(rig.traffic.bottleneck_bps(1), 90e6);
    EXPECT_DOUBLE_EQ(rig.traffic.link_bps(), 90e6);
    rig.traffic.lead_over(1, 3);
    rig.traffic.on_sample({1, 1e-3, 0.0, 0, 4000, 0, 0, false, 0.0, 500e6}, rig.now + 0.04);
    EXPECT_DOUBLE_EQ(rig.traffic.bottleneck_bps(1), 90e6) << "that was the detour's";
    for (std::uint64_t i = 1; i <= 4; ++i) {
        rig.now += 0.04;
        for (const HostId host : {HostId{2}, HostId{3}}) {
            rig.traffic.on_sample({host, 1e-3, 0.0, 0, 625000 * i, 0, 0, false, 0.0, 0.0}, rig.now);
        }
    }
    rig.traffic.on_tick(rig.now);
    EXPECT_NEAR(rig.traffic.link_bps(), 250e6, 1e6) << "of all pairs together, each 125";
}

TEST(Traffic, ReportsWhatIsSentOnWhichPath) {
    PartsRig rig;
    rig.sample(1, 4000);
    rig.sample(1, 4000);
    rig.traffic.lead_over(1, 3);
    const auto entries = rig.traffic.load_entries(rig.now);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0], (wire::LoadEntry{1, 3, 8000, 4000, 20000, 100, 20000})) << "4 kB in 40 ms";
    EXPECT_EQ(rig.traffic.load_entries(rig.now + 10.0)[0].in_flight_B, 0U) << "not under way any more";
}

TEST(Traffic, WhatOthersCountedIsBelievedForASecond) {
    PartsRig rig;
    rig.traffic.hear_foreign(1, 0.4, 100.0);
    rig.traffic.hear_foreign(1, 0.0, 100.5);
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(1, 101.0), 0.4);
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(1, 101.1), 0.0);
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(2, 100.5), 0.0);
}

TEST(Traffic, SmallAndLargeMessagesStandForAnUnknownMix) {
    PartsRig rig;
    EXPECT_EQ(rig.traffic.mix(1).size(), default_mix().size());
    rig.traffic.set_mix(1, {{4096, 1.0}});
    ASSERT_EQ(rig.traffic.mix(1).size(), 1U);
    EXPECT_EQ(rig.traffic.mix(1)[0].size_B, 4096U);
}

}  // namespace
}  // namespace fairlead::core
