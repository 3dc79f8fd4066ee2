// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/congestion_level.hpp"

#include <gtest/gtest.h>

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

TEST(CongestionLevels, TheFloorIsStretchedLikeTheFactors) {
    const CongestionLevelSettings settings;  // factors 1.5 and 3, 1 ms
    EXPECT_DOUBLE_EQ(level_threshold_s(CongestionLevel::low, 1.0, settings), 0.0);
    EXPECT_DOUBLE_EQ(level_threshold_s(CongestionLevel::medium, 0.0, settings), 1e-3);
    EXPECT_DOUBLE_EQ(level_threshold_s(CongestionLevel::high, 0.0, settings), 4e-3);
    EXPECT_DOUBLE_EQ(level_threshold_s(CongestionLevel::medium, 10e-3, settings), 5e-3);
    EXPECT_DOUBLE_EQ(level_threshold_s(CongestionLevel::high, 10e-3, settings), 20e-3);
}

TEST(CongestionLevels, WithoutAQueueAPathIsLowWhateverTheFloor) {
    CongestionLevelSettings settings;
    settings.floor_s = 0.0;
    EXPECT_EQ(level_of(0.0, 0.0, settings), CongestionLevel::low);
    EXPECT_EQ(level_of(-1e-3, 0.0, settings), CongestionLevel::low);
    EXPECT_EQ(level_of(1e-9, 0.0, settings), CongestionLevel::high);
}

TEST(CongestionLevels, TellsTheLevelBeforeOnlyWhenItChanges) {
    const CongestionLevelSettings settings;
    LevelTracker tracker;
    const auto judge = [&](double queue_s, Time now) {
        return tracker.judge({3, 0.006, queue_s, queue_s, queue_s, now}, 150e-6, settings, now);
    };
    EXPECT_FALSE(tracker.low_since()) << "not judged yet";
    EXPECT_FALSE(judge(0.0, 1.0));
    EXPECT_FALSE(judge(0.0, 2.0));
    EXPECT_EQ(tracker.low_since(), 1.0) << "without a break";
    EXPECT_EQ(judge(2e-3, 3.0), CongestionLevel::low);
    EXPECT_FALSE(judge(2e-3, 4.0));
    EXPECT_EQ(judge(9e-3, 5.0), CongestionLevel::medium);
    EXPECT_EQ(judge(0.0, 6.0), CongestionLevel::high) << "two levels at once";
    EXPECT_EQ(tracker.congestion_level(), CongestionLevel::low);
    EXPECT_EQ(tracker.low_since(), 6.0);
}

TEST(DelayWindow, KeepsTheLastOnes) {
    const auto kept = static_cast<int>(DelayWindow::kCapacity);
    DelayWindow window;
    for (int i = 0; i < kept + 1; ++i) window.add(i == 0 ? 1.0 : 1e-3, 0.01 * i);
    const DelayWindow::Summary all = window.summary(0.0, {});
    EXPECT_EQ(all.samples, kept);
    EXPECT_DOUBLE_EQ(all.most_s, 1e-3) << "the first is gone";
    EXPECT_NEAR(all.span_s, 0.01 * (kept - 1), 1e-12);
}

TEST(DelayWindow, SamplesMayComeInAnyOrder) {
    DelayWindow window;
    for (const double at : {5.0, 3.0, 4.0}) window.add(at * 1e-3, at);
    const DelayWindow::Summary all = window.summary(0.0, judged_by(0.5));
    EXPECT_DOUBLE_EQ(all.span_s, 2.0);
    EXPECT_DOUBLE_EQ(all.newest_sent_at, 5.0);
    EXPECT_DOUBLE_EQ(all.typical_s, 4e-3);
    EXPECT_EQ(window.summary(4.0, {}).samples, 2) << "those sent at that time are among them";
    EXPECT_EQ(window.summary(5.1, {}).samples, 0);
}

TEST(DelayWindow, TimeIsProvedOnce) {
    DelayWindow window;  // each meets more than the time until the next: one queue of 12 ms, not of 30
    for (int i = 0; i < 3; ++i) window.add(10e-3, 1e-3 * i);
    EXPECT_NEAR(window.standing_s(0.0, 1.0, 0.0, 0.0), 12e-3, 1e-12);
    EXPECT_NEAR(window.standing_s(0.0, 5e-3, 0.0, 0.0), 5e-3, 1e-12);
    EXPECT_DOUBLE_EQ(window.standing_s(0.5, 1.0, 0.0, 0.0), 0.0) << "after all of them";
    EXPECT_DOUBLE_EQ(window.standing_s(0.0, 1.0, 0.0, 10e-3), 0.0) << "a shift of the base";
    EXPECT_DOUBLE_EQ(DelayWindow().standing_s(0.0, 1.0, 1.0, 0.0), 0.0);
}

TEST(DelayWindow, AProbeThatMetNoQueueEndsIt) {
    DelayWindow window;
    window.add(2e-3, 0.000);
    window.add(0.0, 0.003);
    window.add(2e-3, 0.006);
    EXPECT_NEAR(window.standing_s(0.0, 1.0, 0.0045, 0.0), 3e-3 + 2e-3, 1e-12) << "bridged to it, not beyond";
}

}  // namespace
}  // namespace fairlead::core
