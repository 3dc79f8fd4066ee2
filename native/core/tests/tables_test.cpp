// SPDX-License-Identifier: Apache-2.0
// Base table, sharing relation, path table, choice.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "fairlead/core/base.hpp"
#include "fairlead/core/choice.hpp"
#include "fairlead/core/path_table.hpp"
#include "fairlead/core/sharing.hpp"

namespace fairlead::core {
namespace {

TEST(BaseTable, InterpolatesBetweenSizes) {
    BaseTable base(4);
    const Pair pair{0, 1};
    EXPECT_FALSE(base.latency_s(pair, 64).has_value());
    base.set_latency(pair, 1024, 1e-3, 0.0);
    base.set_latency(pair, 64, 100e-6, 0.0);
    base.set_latency(pair, 16384, 4e-3, 0.0);
    EXPECT_DOUBLE_EQ(*base.latency_s(pair), 100e-6);
    EXPECT_DOUBLE_EQ(*base.latency_s(pair, 1), 100e-6);
    EXPECT_DOUBLE_EQ(*base.latency_s(pair, 1024), 1e-3);
    EXPECT_NEAR(*base.latency_s(pair, 256), std::sqrt(100e-6 * 1e-3), 1e-9) << "half way on the logarithm of the size";
    EXPECT_NEAR(*base.latency_s(pair, 32768), 4e-3 + 16384 * (3e-3 / 15360), 1e-9) << "last slope";
    base.set_throughput(pair, 8e6, 0.0);
    EXPECT_NEAR(*base.latency_s(pair, 32768), 4e-3 + 16384e-6, 1e-9) << "base throughput";
    EXPECT_FALSE(base.latency_s({1, 0}).has_value()) << "pairs are ordered";
    EXPECT_THROW(base.set_latency({0, 4}, 64, 1.0, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_latency(pair, 64, 0.0, 0.0), std::invalid_argument);
    EXPECT_THROW(base.set_throughput(pair, NAN, 0.0), std::invalid_argument);
}

TEST(BaseTable, AgesAndIsConfirmed) {
    BaseTable base(2);
    EXPECT_FALSE(base.age_s({0, 1}, 0.0).has_value());
    base.set_latency({0, 1}, 64, 1e-3, -50.0);
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 10.0), 60.0);
    EXPECT_FALSE(base.observe({0, 1}, 1.1e-3, 60.0).has_value());
    EXPECT_DOUBLE_EQ(*base.age_s({0, 1}, 60.0), 0.0) << "a latency near the base confirms it";
}

TEST(BaseTable, ALastingShiftIsTheNewBase) {
    BaseSettings settings;
    settings.shift_window_s = 100.0;
    settings.shift_samples = 10;
    BaseTable base(2, settings);
    base.set_latency({0, 1}, 64, 1e-3, 0.0);
    base.set_latency({0, 1}, 65536, 4e-3, 0.0);
    int shifts = 0;
    for (double t = 0.0; t < 99.0; t += 1.0) shifts += base.observe({0, 1}, 6e-3, t).has_value();
    EXPECT_EQ(shifts, 0);
    EXPECT_FALSE(base.observe({0, 1}, 1e-3, 99.5).has_value()) << "one sample near the base: no shift";
    std::optional<BaseTable::Shift> shift;
    for (double t = 100.0; t <= 200.0 && !shift; t += 1.0) shift = base.observe({0, 1}, t == 150.0 ? 5e-3 : 6e-3, t);
    ASSERT_TRUE(shift.has_value());
    EXPECT_DOUBLE_EQ(shift->from_s, 1e-3);
    EXPECT_DOUBLE_EQ(shift->to_s, 5e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}), 5e-3);
    EXPECT_DOUBLE_EQ(*base.latency_s({0, 1}, 65536), 8e-3);
}

/// Two leafs' hosts 0,1 | 2,3 and two more leafs with one host each, 4 | 5: cross traffic shares the link of its leafs.
SharingRelation mesh() {
    SharingRelation sharing(6);
    const auto leaf = [](HostId h) { return h < 4 ? h / 2 : h - 2; };
    for (HostId a = 0; a < 6; ++a)
        for (HostId b = 0; b < 6; ++b)
            for (HostId c = 0; c < 6; ++c)
                for (HostId d = 0; d < 6; ++d) {
                    const bool cross = a != b && c != d && leaf(a) != leaf(b);
                    if (cross && leaf(a) == leaf(c) && leaf(b) == leaf(d)) sharing.set_hurts({a, b}, {c, d});
                }
    return sharing;
}

SharingRelation star(HostId hosts) {
    SharingRelation sharing(hosts);
    for (HostId a = 0; a < hosts; ++a)
        for (HostId b = 0; b < hosts; ++b)
            for (HostId c = 0; c < hosts; ++c)
                for (HostId d = 0; d < hosts; ++d)
                    if (a != b && c != d && (a == c || b == d)) sharing.set_hurts({a, b}, {c, d});
    return sharing;
}

TEST(SharingRelation, KnowsWhoSharesAndWhatAvoids) {
    const SharingRelation sharing = mesh();
    EXPECT_TRUE(sharing.shares({0, 2}, {1, 3}));
    EXPECT_FALSE(sharing.shares({0, 2}, {2, 0}));
    EXPECT_TRUE(sharing.shares({0, 2}, {0, 2}));
    EXPECT_NEAR(sharing.weight({0, 2}), 3.0 / 29.0, 1e-12);
    EXPECT_EQ(sharing.sources_sharing({0, 2}), std::vector<HostId>{1});
    EXPECT_TRUE(sharing.avoids({0, 2}, 4));
    EXPECT_FALSE(sharing.avoids({0, 2}, 1)) << "the same leaf: the second leg is as congested";
    EXPECT_FALSE(sharing.avoids({0, 2}, 3));
    for (HostId relay = 2; relay < 6; ++relay) EXPECT_FALSE(star(6).avoids({0, 1}, relay));
    const SharingRelation nothing(6);
    EXPECT_FALSE(nothing.known());
    EXPECT_TRUE(nothing.avoids({0, 1}, 2));
    EXPECT_FALSE(nothing.avoids({0, 1}, 1));
    EXPECT_TRUE(nothing.shares({0, 1}, {0, 2}));
    EXPECT_FALSE(nothing.shares({0, 1}, {2, 3}));
    SharingRelation small(2);
    EXPECT_THROW(small.set_hurts({0, 0}, {0, 1}), std::invalid_argument);
}

TEST(SharingRelation, NumbersThePathGroupsAround) {
    SharingRelation sharing(8);  // four leafs of two hosts, joined pairwise
    for (HostId a = 0; a < 8; ++a)
        for (HostId b = 0; b < 8; ++b)
            for (HostId c = 0; c < 8; ++c)
                for (HostId d = 0; d < 8; ++d)
                    if (a / 2 == c / 2 && b / 2 == d / 2 && a / 2 != b / 2) sharing.set_hurts({a, b}, {c, d});
    const std::vector<std::size_t> over_leaf_2_or_3 = {0, 0, 0, 0, 0, 0, 1, 1};
    EXPECT_EQ(sharing.path_groups({0, 2}), over_leaf_2_or_3);
    EXPECT_EQ(sharing.path_groups({1, 3}), over_leaf_2_or_3) << "all sources number them alike";
    EXPECT_EQ(sharing.path_groups({0, 6}), (std::vector<std::size_t>{0, 0, 0, 0, 1, 1, 0, 0})) << "over leaf 1 or 2";
    EXPECT_EQ(SharingRelation(6).path_groups({0, 1}), std::vector<std::size_t>(6, 0))
        << "nothing known: the source is shared";
}

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

MeasuredCandidate measured(HostId relay, double latency_s, double load, double first_s = 0.0, double second_s = 0.0) {
    MeasuredCandidate m;
    m.candidate.relay = relay;
    m.candidate.usable = true;
    m.candidate.latency_s = latency_s;
    m.first.queue_delay_s = first_s;
    m.second.queue_delay_s = second_s;
    m.load = load;
    return m;
}

TEST(Choice, ReasonsToKeep) {
    Random random(1);
    const ChoiceSettings settings;
    const PresentPath present{10e-3, 8e-3, 1e-3, false};
    const auto reason = [&](std::vector<MeasuredCandidate> m, PresentPath p) {
        const Choice choice = choose(m, p, 0, settings, random);
        EXPECT_EQ(choice.relay, kNoHost);
        return choice.reason;
    };
    EXPECT_EQ(reason({}, present), KeepReason::no_candidate);
    MeasuredCandidate silent = measured(1, 1e-3, 0.0);
    silent.second.usable = false;
    EXPECT_EQ(reason({silent}, present), KeepReason::no_answer);
    EXPECT_EQ(reason({silent}, {0.0, 0.0, 1e-3, true}), KeepReason::destination_silent);
    EXPECT_EQ(reason({measured(1, 9e-3, 0.0)}, present), KeepReason::not_better);
    EXPECT_EQ(reason({measured(1, 12e-3, 0, 0, 8e-3), measured(2, 11e-3, 0, 0, 7e-3)}, present),
              KeepReason::destination_congested);
    EXPECT_EQ(reason({measured(1, 12e-3, 0, 8e-3, 0), measured(2, 11e-3, 0, 7e-3, 0)}, present),
              KeepReason::source_congested);
    EXPECT_EQ(reason({measured(1, 6e-3, 0, 0, 5e-3)}, present), KeepReason::destination_congested)
        << "a leg that queues as well is the same queue";
    EXPECT_EQ(reason({measured(1, 0.6e-3, 0.0)}, {0.9e-3, 0.5e-3, 1e-3, false}), KeepReason::not_better)
        << "less than the least gain";
    MeasuredCandidate flagged = measured(1, 7e-3, 0.0);
    flagged.candidate.leg_shares = true;
    EXPECT_EQ(reason({flagged}, present), KeepReason::not_better) << "a flagged one needs more";
}

TEST(Choice, SpreadsOverGoodOnesByLoad) {
    Random random(2);
    const PresentPath present{10e-3, 8e-3, 1e-3, false};
    const std::vector<MeasuredCandidate> list = {measured(1, 2.0e-3, 0.9), measured(2, 2.1e-3, 0.1),
                                                 measured(3, 2.2e-3, 0.2), measured(4, 4.0e-3, 0.0)};
    std::map<HostId, int> taken;
    for (int i = 0; i < 3000; ++i) ++taken[choose(list, present, 0, {}, random).relay];
    EXPECT_EQ(taken[1], 0) << "the most loaded loses every draw of two";
    EXPECT_NEAR(taken[2], 2000, 150);
    EXPECT_NEAR(taken[3], 1000, 150);
    EXPECT_EQ(taken[4], 0) << "twice as slow as the best";
    EXPECT_EQ(choose(std::vector{list[3]}, present, 0, {}, random).relay, 4);
}

TEST(Choice, TakesTheWayInTurn) {
    EXPECT_EQ(path_group_in_turn(std::vector<std::size_t>{0, 1, 2}, 4), 1U);
    EXPECT_EQ(path_group_in_turn(std::vector<std::size_t>{0, 2}, 1), 2U) << "the next where that one is not good";
    EXPECT_EQ(path_group_in_turn(std::vector<std::size_t>{1, 0, 1}, 2), 0U);

    Random random(3);
    const PresentPath present{10e-3, 8e-3, 1e-3, false};
    std::vector<MeasuredCandidate> list = {measured(1, 2.0e-3, 0.0), measured(2, 2.0e-3, 0.9), measured(3, 2.1e-3, 0.9),
                                           measured(4, 9.9e-3, 0.0)};
    list[1].candidate.path_group = list[2].candidate.path_group = 1;
    list[3].candidate.path_group = 2;
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(choose(list, present, 0, {}, random).relay, 1);
        EXPECT_NE(choose(list, present, 1, {}, random).relay, 1) << "also where it is less loaded";
        EXPECT_EQ(choose(list, present, 2, {}, random).relay, 1) << "two path_groups are good";
    }
}

}  // namespace
}  // namespace fairlead::core
