// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/path_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/paths/sharing_examples.hpp"

namespace fairlead::core {
namespace {

BaseTable equal_base(HostId hosts, double latency_s = 200e-6) {
    BaseTable base(hosts);
    for (HostId a = 0; a < hosts; ++a)
        for (HostId b = 0; b < hosts; ++b) {
            if (a == b) continue;
            base.set_latency({a, b}, 64, latency_s, 0.0);
            base.set_latency({a, b}, 65536, latency_s + 2.6e-3, 0.0);
            base.set_throughput({a, b}, 200e6, 0.0);
        }
    return base;
}

TEST(PathTable, OrdersByLatencyThenRobustness) {
    BaseTable base = equal_base(6);
    base.set_latency({0, 5}, 64, 150e-6, 0.0);
    base.set_latency({0, 5}, 65536, 2.7e-3, 0.0);
    const auto state = [](Pair leg) {
        LegState known;
        if (leg == Pair{3, 2}) known.usable = false;
        return known;
    };
    const std::vector<bool> all(6, true);
    const auto list = candidates({0, 2}, base, mesh(), state, default_mix(), all, {});
    ASSERT_EQ(list.size(), 4U);
    EXPECT_EQ(list[0].relay, 5) << "fastest";
    EXPECT_EQ(list[1].relay, 4);
    EXPECT_TRUE(list[0].usable && list[1].usable);
    EXPECT_FALSE(list[2].usable || list[3].usable) << "those of the two leafs are kept, behind";
    EXPECT_TRUE(list[2].leg_shares);
    EXPECT_FALSE(list[0].leg_shares);
    EXPECT_LT(list[1].weight, list[2].weight);

    const auto none = candidates({0, 1}, equal_base(6), star(6), state, default_mix(), all, {});
    EXPECT_EQ(none.size(), 4U);
    for (const Candidate& candidate : none) {
        EXPECT_FALSE(candidate.usable);
        EXPECT_TRUE(candidate.leg_shares);
    }
    EXPECT_TRUE(candidates({0, 2}, base, mesh(), state, default_mix(), std::vector<bool>(6, false), {}).empty());
    EXPECT_TRUE(candidates({0, 0}, base, mesh(), state, default_mix(), all, {}).empty());
}

TEST(PathTable, SizesDecide) {
    const BaseTable base = equal_base(3, 1e-3);
    const ChoiceSettings settings;
    const LegState idle;
    const LegState queued{1.2e-3, 0.0, true};
    const SizeShare small[] = {{64, 1.0}};
    const SizeShare large[] = {{1 << 20, 1.0}};
    // 64 B: 2.2 ms direct, 2.06 ms over the relay.
    EXPECT_NEAR(*direct_latency_s(base, {0, 2}, queued, small), 2.2e-3, 1e-9);
    EXPECT_NEAR(*detour_latency_s(base, {0, 2}, 1, idle, idle, small, settings), 2.06e-3, 1e-9);
    // 1 MiB: the outer headers cost more than the queue.
    EXPECT_GT(*detour_latency_s(base, {0, 2}, 1, idle, idle, large, settings),
              *direct_latency_s(base, {0, 2}, queued, large));
    // A pair held down to a tenth of the throughput gains from any detour.
    EXPECT_GT(*direct_latency_s(base, {0, 2}, idle, large, 20e6), 0.4);
    EXPECT_FALSE(direct_latency_s(BaseTable(3), {0, 2}, idle, small).has_value());
    EXPECT_NEAR(*direct_latency_s(BaseTable(3), {0, 2}, LegState{0.0, 5e-4, true}, small), 5e-4, 1e-12);
}

constexpr SizeShare kSmallest[] = {{64, 1.0}};

TEST(PathTable, ADetourTakesBothLegsAndTheirQueuesAndTheRelay) {
    BaseTable base = equal_base(3, 1e-3);
    base.set_latency({1, 2}, 64, 3e-3, 0.0);
    ChoiceSettings settings;
    settings.relay_cost_s = 1e-4;
    const LegState first{2e-3, 0.0, true};
    const LegState second{5e-3, 0.0, true};
    EXPECT_NEAR(*detour_latency_s(base, {0, 2}, 1, first, second, kSmallest, settings), 11.1e-3, 1e-12);
}

TEST(PathTable, TheSizeCountsOnceAtTheSlowerLegAndWithItsHeaders) {
    BaseTable base(3);
    base.set_latency({0, 1}, 64, 1e-3, 0.0);
    base.set_latency({0, 1}, 65536, 3e-3, 0.0);  // 2 ms for the size
    base.set_latency({1, 2}, 64, 1e-3, 0.0);
    base.set_latency({1, 2}, 65536, 6e-3, 0.0);  // 5 ms
    ChoiceSettings settings;
    settings.relay_cost_s = 0.0;
    settings.overlay_share = 0.1;
    const SizeShare large[] = {{65536, 1.0}};
    EXPECT_NEAR(*detour_latency_s(base, {0, 2}, 1, {}, {}, large, settings), 2e-3 + 5e-3 * 1.1, 1e-12);
}

TEST(PathTable, WhatWasNeverMeasuredHasHalfItsRoundTripOrNothing) {
    const BaseTable base(3);
    const LegState measured{1e-3, 2e-3, true};
    ChoiceSettings settings;
    settings.relay_cost_s = 0.0;
    EXPECT_NEAR(*detour_latency_s(base, {0, 2}, 1, measured, measured, kSmallest, settings), 6e-3, 1e-12);
    EXPECT_FALSE(detour_latency_s(base, {0, 2}, 1, measured, {}, kSmallest, settings).has_value());
    EXPECT_FALSE(detour_latency_s(base, {0, 2}, 1, {}, measured, kSmallest, settings).has_value());
    BaseTable rate_only(3);
    rate_only.set_throughput({0, 2}, 8e6, 0.0);
    const SizeShare sizes[] = {{1000, 1.0}};
    EXPECT_NEAR(*direct_latency_s(rate_only, {0, 2}, measured, sizes), 3e-3 + 1e-3, 1e-12) << "1 us a byte";
}

TEST(PathTable, AMixIsAveragedByItsWeights) {
    BaseTable base(2);
    base.set_latency({0, 1}, 64, 1e-3, 0.0);
    base.set_latency({0, 1}, 1024, 2e-3, 0.0);
    base.set_latency({0, 1}, 65536, 5e-3, 0.0);
    const SizeShare mix[] = {{1024, 3.0}, {65536, 1.0}};
    EXPECT_NEAR(*direct_latency_s(base, {0, 1}, {}, mix), 1e-3 + (3 * 1e-3 + 4e-3) / 4, 1e-12);
    EXPECT_NEAR(*direct_latency_s(base, {0, 1}, {}, {}), 1e-3, 1e-12) << "of no size";
    ASSERT_EQ(default_mix().size(), 2U);
    EXPECT_NEAR(*direct_latency_s(base, {0, 1}, {}, default_mix()), 1e-3 + (1e-3 + 4e-3) / 2, 1e-12);
}

TEST(PathTable, APairIsNotChargedForARateThatIsEnough) {
    const BaseTable base = equal_base(2, 1e-3);  // 65536 B take 2.6 ms more
    const SizeShare mix[] = {{65536, 1.0}};
    EXPECT_NEAR(*direct_latency_s(base, {0, 1}, {}, mix, 1e9), 3.6e-3, 1e-12);
    EXPECT_NEAR(*direct_latency_s(base, {0, 1}, {}, mix, 65536 * 8 / 0.01), 11e-3, 1e-12);
}

TEST(PathTable, EqualLatenciesAreOrderedByWeightThenByIndex) {
    SharingRelation sharing(5);
    sharing.set_hurts({4, 3}, {0, 2});  // over 2: a leg that others hurt
    const auto list = candidates({0, 1}, equal_base(5), sharing, [](Pair) { return LegState{}; }, default_mix(),
                                 std::vector<bool>(5, true), {});
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list[0].relay, 3);
    EXPECT_EQ(list[1].relay, 4);
    EXPECT_EQ(list[2].relay, 2);
    EXPECT_DOUBLE_EQ(list[2].weight, 1.0 / 19.0) << "of the worse leg";
}

TEST(PathTable, WhoIsNotListedAsEligibleIsNoCandidate) {
    const auto list = candidates({0, 1}, equal_base(5), SharingRelation(5), [](Pair) { return LegState{}; },
                                 default_mix(), {true, true, true, false}, {});
    ASSERT_EQ(list.size(), 1U) << "3 is not, and nothing is said of 4";
    EXPECT_EQ(list[0].relay, 2);
    EXPECT_FALSE(list[0].leg_shares) << "nothing is known of what is shared";
}

TEST(PathTable, ALegThatNothingIsKnownOfIsNotRuledOut) {
    const auto list = candidates({0, 1}, BaseTable(3), SharingRelation(3), [](Pair) { return LegState{}; },
                                 default_mix(), std::vector<bool>(3, true), {});
    ASSERT_EQ(list.size(), 1U);
    EXPECT_TRUE(list[0].usable);
    EXPECT_DOUBLE_EQ(list[0].latency_s, 0.0);
}

}  // namespace
}  // namespace fairlead::core
