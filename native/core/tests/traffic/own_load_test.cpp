// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/own_load.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace fairlead::core {
namespace {

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

TEST(LoadSnapshot, TakesTheFirstAnswerOfEachSource) {
    LoadSnapshot snapshot;
    EXPECT_EQ(snapshot.find(2), nullptr);
    snapshot.add(2, std::vector<wire::LoadEntry>{{1, kNoHost, 100, 0}}, 1.0);
    snapshot.add(2, std::vector<wire::LoadEntry>{{1, kNoHost, 200, 0}}, 2.0);
    snapshot.add(3, {}, 3.0);
    ASSERT_EQ(snapshot.sources().size(), 2U);
    ASSERT_NE(snapshot.find(2), nullptr);
    EXPECT_DOUBLE_EQ(snapshot.find(2)->at, 1.0);
    EXPECT_EQ(snapshot.find(2)->entries[0].delivered_B, 100U);
    EXPECT_TRUE(snapshot.find(3)->entries.empty());
    snapshot.clear();
    EXPECT_TRUE(snapshot.sources().empty());
    EXPECT_EQ(snapshot.find(2), nullptr);
}

TEST(OwnLoad, ACounterThatFellSentNothing) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 5000, 5000}}, 1.0);
    after.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 4000, 4000}}, 1.02);
    EXPECT_TRUE(own_flows(shared_with_0_2, before, after, 1.0, 0.004).empty());
}

TEST(OwnLoad, APairThatChangedItsRouteMayHaveUsedBoth) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 0, 0}}, 1.0);
    after.add(0, std::vector<wire::LoadEntry>{{2, 3, 25000, 0}}, 1.02);  // 0 -> 3 and 3 -> 2 share nothing
    const std::vector<OwnFlow> flows = own_flows(shared_with_0_2, before, after, 1.0, 0.004);
    ASSERT_EQ(flows.size(), 1U);
    EXPECT_EQ(flows[0].relay, 3);
    EXPECT_EQ(flows[0].before, kNoHost);
    EXPECT_DOUBLE_EQ(flows[0].occupied_s, 1e-3);
}

TEST(OwnLoad, ADetourCountsOnceOnTheSlowerLegThatShares) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, std::vector<wire::LoadEntry>{{3, 1, 0, 0}}, 1.0);
    after.add(0, std::vector<wire::LoadEntry>{{3, 1, 25000, 0}}, 1.02);  // 0 -> 1 at 1 Gbit/s, 1 -> 3 at 200 Mbit/s
    EXPECT_DOUBLE_EQ(own_load_s(own_flows(shared_with_0_2, before, after, 1.0, 0.004)), 1e-3);
}

TEST(OwnLoad, AnAnswerIsLateAfterItsTimeOnly) {
    LoadSnapshot before;
    LoadSnapshot after;
    before.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 25000, 0}}, 1.25);
    after.add(0, std::vector<wire::LoadEntry>{{2, kNoHost, 50000, 0}}, 2.0);
    EXPECT_DOUBLE_EQ(own_load_s(own_flows(shared_with_0_2, before, after, 1.0, 0.25)), 1e-3);
    EXPECT_DOUBLE_EQ(own_load_s(own_flows(shared_with_0_2, before, after, 1.0, 0.24)), 2e-3);
}

}  // namespace
}  // namespace fairlead::core
