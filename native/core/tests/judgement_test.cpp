// SPDX-License-Identifier: Apache-2.0
// Congestion levels, own load, settings.
#include <gtest/gtest.h>

#include <cmath>

#include "fairlead/core/congestion_level.hpp"
#include "fairlead/core/own_load.hpp"
#include "fairlead/core/settings.hpp"

namespace fairlead::core {
namespace {

CongestionLevelSettings judged_by(double quantile) {
    CongestionLevelSettings settings;
    settings.quantile = quantile;
    return settings;
}

TEST(CongestionLevels, FactorsAndFloor) {
    const CongestionLevelSettings settings;
    struct Case {
        double queue_s, base_s;
        CongestionLevel congestion_level;
    };
    for (const Case& c : {Case{0.0, 150e-6, CongestionLevel::low}, Case{0.9e-3, 150e-6, CongestionLevel::low},
                          Case{1.0e-3, 150e-6, CongestionLevel::medium}, Case{3.9e-3, 150e-6, CongestionLevel::medium},
                          Case{4.0e-3, 150e-6, CongestionLevel::high}, Case{4.9e-3, 10e-3, CongestionLevel::low},
                          Case{5.0e-3, 10e-3, CongestionLevel::medium}, Case{20e-3, 10e-3, CongestionLevel::high}}) {
        EXPECT_EQ(level_of(c.queue_s, c.base_s, settings), c.congestion_level) << c.queue_s << " on " << c.base_s;
    }
}

TEST(CongestionLevels, OneSlowProbeIsNoiseAStandingQueueIsNot) {
    const CongestionLevelSettings settings;
    DelayWindow window;
    LevelTracker tracker;
    for (int i = 0; i < 5; ++i) window.add(i == 2 ? 0.0 : 20e-3, 0.003 * i);
    EXPECT_FALSE(tracker.judge(window.summary(0.0, judged_by(0.0)), 150e-6, settings, 0.02).has_value());
    EXPECT_EQ(tracker.congestion_level(), CongestionLevel::low);
    EXPECT_EQ(tracker.low_since(), 0.02);
    for (int i = 0; i < 3; ++i) window.add(8e-3, 1.0 + 0.003 * i);
    EXPECT_EQ(tracker.judge(window.summary(1.0, judged_by(0.0)), 150e-6, settings, 1.02), CongestionLevel::low);
    EXPECT_EQ(tracker.congestion_level(), CongestionLevel::high);
    EXPECT_FALSE(tracker.low_since().has_value());
}

TEST(CongestionLevels, ComesBackOnlyWellBelow) {
    const CongestionLevelSettings settings;
    LevelTracker tracker;
    const auto judge = [&](double queue_s, int samples = 3, double span_s = 0.006) {
        tracker.judge({samples, span_s, queue_s, queue_s, 0.0}, 150e-6, settings, 0.0);
        return tracker.congestion_level();
    };
    EXPECT_EQ(judge(1.5e-3), CongestionLevel::medium);
    EXPECT_EQ(judge(0.7e-3), CongestionLevel::medium) << "below the threshold, not below half of it";
    EXPECT_EQ(judge(0.4e-3), CongestionLevel::low);
    EXPECT_EQ(judge(9e-3), CongestionLevel::high);
    EXPECT_EQ(judge(3e-3), CongestionLevel::high);
    EXPECT_EQ(judge(1.5e-3), CongestionLevel::medium);
    EXPECT_EQ(judge(0.0, 2), CongestionLevel::medium) << "too few samples";
    EXPECT_EQ(judge(0.0, 3, 0.001), CongestionLevel::medium) << "too bunched";
    EXPECT_EQ(judge(0.0), CongestionLevel::low);
}

TEST(DelayWindow, SummariesAndProof) {
    DelayWindow window;
    EXPECT_EQ(window.summary(0.0, {}).samples, 0);
    for (int i = 0; i < 100; ++i) window.add(1e-3 * i, 0.1 * i);
    const DelayWindow::Summary last = window.summary(9.55, judged_by(0.0));
    EXPECT_EQ(last.samples, 4);
    EXPECT_NEAR(last.span_s, 0.3, 1e-9);
    EXPECT_NEAR(last.typical_s, 0.096, 1e-9);
    EXPECT_NEAR(last.newest_sent_at, 9.9, 1e-9);
    const DelayWindow::Summary half = window.summary(9.55, judged_by(0.5));
    EXPECT_NEAR(half.typical_s, 0.097, 1e-9) << "of four the second";
    EXPECT_NEAR(half.low_s, 0.096, 1e-9);
    EXPECT_NEAR(half.most_s, 0.099, 1e-9);
    EXPECT_EQ(window.summary(0.0, judged_by(0.5)).samples, static_cast<int>(DelayWindow::kCapacity));

    DelayWindow queue;  // at 0, 3 and 6 ms, each meeting 2 ms; then one at 20 ms meeting 5 ms
    for (const double at : {0.006, 0.000, 0.003}) queue.add(2e-3, at);
    queue.add(5e-3, 0.020);
    EXPECT_NEAR(queue.standing_s(0.0, 1.0, 0.0045, 0.0), 8e-3 + 5e-3, 1e-9) << "bridged up to 8 ms, then the last";
    EXPECT_NEAR(queue.standing_s(0.0, 1.0, 0.001, 0.0), 3 * 2e-3 + 5e-3, 1e-9) << "nothing bridged";
    EXPECT_NEAR(queue.standing_s(0.004, 0.022, 0.0045, 0.0), 4e-3 + 2e-3, 1e-9) << "cut at both ends";
    EXPECT_NEAR(queue.standing_s(0.0, 1.0, 0.0045, 2e-3), 3e-3, 1e-9) << "a shift of the base is no queue";
}

// Seen from the path 0 -> 2 over a trunk of 200 Mbit/s: 1 -> 3 passes the trunk too, 0 -> 1 only the first link.
std::optional<double> shared_with_0_2(Pair pair) {
    if (pair == Pair{0, 2} || pair == Pair{1, 3} || pair == Pair{0, 5}) return 200e6;
    if (pair == Pair{0, 1}) return 1e9;
    return std::nullopt;
}

TEST(OwnLoad, CountsHowLongOwnBytesOccupiedTheLink) {
    LoadSnapshot first;
    LoadSnapshot second;
    first.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 1000, 900}, {4, kNoHost, 0, 0}}, 1.0);
    second.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 51000, 1000}, {4, kNoHost, 70000, 0}}, 1.02);
    const auto own_s = [&](double late_s) {
        return own_load_s(own_flows(shared_with_0_2, first, second, 1.0, late_s));
    };
    EXPECT_DOUBLE_EQ(own_s(0.004), 2e-3) << "50 kB; 0 -> 4 shares nothing";
    first.add(1, std::vector<wire::LoadEntry>{{3, kNoHost, 20000, 10000}}, 1.010);
    EXPECT_DOUBLE_EQ(own_s(0.004), 2e-3) << "answered only once";
    second.add(1, std::vector<wire::LoadEntry>{{3, kNoHost, 30000, 20000}}, 1.03);
    EXPECT_DOUBLE_EQ(own_s(0.004), 2.8e-3) << "late: earlier counters, 20 kB";
    EXPECT_DOUBLE_EQ(own_s(0.020), 2.4e-3);
}

TEST(OwnLoad, NamesThePairsThatShareTheLink) {
    LoadSnapshot first;
    LoadSnapshot second;
    first.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 1000, 900}, {4, kNoHost, 0, 0}, {5, 3, 0, 0}}, 1.0);
    second.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 51000, 1000}, {4, kNoHost, 70000, 0}, {5, 3, 9000, 0}},
               1.02);
    first.add(1, std::vector<wire::LoadEntry>{{3, kNoHost, 7, 7}, {0, kNoHost, 0, 0}}, 1.0);
    second.add(1, std::vector<wire::LoadEntry>{{3, kNoHost, 100007, 7}, {0, kNoHost, 5, 0}}, 1.02);
    const std::vector<OwnFlow> flows = own_flows(shared_with_0_2, first, second, 1.0, 0.004);
    ASSERT_EQ(flows.size(), 2U) << "0 -> 4 and 1 -> 0 share nothing; nor do the legs of 0 -> 3 -> 5";
    EXPECT_EQ(flows[0].pair, (Pair{0, 2}));
    EXPECT_EQ(flows[0].size_B, 50000U);
    EXPECT_DOUBLE_EQ(flows[0].occupied_s, 2e-3);
    EXPECT_EQ(flows[1].pair, (Pair{1, 3}));
    EXPECT_EQ(flows[1].size_B, 100000U);
    EXPECT_EQ(flows[1].relay, kNoHost);
    EXPECT_DOUBLE_EQ(own_load_s(flows), 6e-3);
}

TEST(OwnLoad, AWiderLinkIsOccupiedForLess) {
    LoadSnapshot first;
    LoadSnapshot second;
    first.add(0, std::vector<wire::LoadEntry>{{1, kNoHost, 0, 0}}, 1.0);
    second.add(0, std::vector<wire::LoadEntry>{{1, kNoHost, 1000000, 0}}, 1.02);
    EXPECT_DOUBLE_EQ(own_load_s(own_flows(shared_with_0_2, first, second, 1.0, 0.004)), 8e-3) << "1 MB at 1 Gbit/s";
}

TEST(OwnLoad, ADetourLoadsItsLegs) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, std::vector<wire::LoadEntry>{{4, 5, 0, 0}}, 1.0);
    after.add(0, std::vector<wire::LoadEntry>{{4, 5, 7000, 0}}, 1.02);
    EXPECT_DOUBLE_EQ(own_load_s(own_flows(shared_with_0_2, before, after, 1.0, 0.004)), 8 * 7000 / 200e6);
}

TEST(OwnLoad, APairThatCameIntoUseCountsFromItsBegin) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, {}, 1.0);
    after.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 25000, 25000}}, 1.02);
    EXPECT_DOUBLE_EQ(own_load_s(own_flows(shared_with_0_2, before, after, 1.0, 0.004)), 1e-3);
}

/// Acknowledgements wait behind the data of the other direction.
TEST(OwnLoad, WhatIsUnderWayAtTheEndMayHavePassed) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 1000, 900, 20000}, {4, kNoHost, 0, 0}}, 1.0);
    after.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 51000, 1000, 25000}, {4, kNoHost, 0, 0, 9000}}, 1.02);
    const std::vector<OwnFlow> flows = own_flows(shared_with_0_2, before, after, 1.0, 0.004);
    ASSERT_EQ(flows.size(), 1U);
    EXPECT_DOUBLE_EQ(flows[0].occupied_s, 2e-3) << "50 kB were acknowledged";
    EXPECT_DOUBLE_EQ(own_load_s(flows), 3e-3) << "and 25 kB are under way";
}

TEST(OwnLoad, BytesOnALinkOfUnknownRateExplainAnyQueue) {
    LoadSnapshot before;
    LoadSnapshot idle;
    LoadSnapshot used;
    before.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 10, 0}}, 1.0);
    idle.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 10, 0}}, 1.02);
    used.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 20, 0}}, 1.02);
    const auto unknown = [](Pair) { return std::optional(0.0); };
    EXPECT_DOUBLE_EQ(foreign_share(own_load_s(own_flows(unknown, before, idle, 1.0, 0.004)), 0.02), 1.0);
    EXPECT_DOUBLE_EQ(foreign_share(own_load_s(own_flows(unknown, before, used, 1.0, 0.004)), 0.02), 0.0);
}

TEST(OwnLoad, ForeignShare) {
    EXPECT_DOUBLE_EQ(foreign_share(0.0, 0.020), 1.0);
    EXPECT_DOUBLE_EQ(foreign_share(0.005, 0.020), 0.75);
    EXPECT_DOUBLE_EQ(foreign_share(0.024, 0.020), 0.0);
    EXPECT_DOUBLE_EQ(foreign_share(1e-6, 0.0), 0.0);
}

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
