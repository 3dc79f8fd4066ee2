// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/path_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sharing_examples.hpp"

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

}  // namespace
}  // namespace fairlead::core
