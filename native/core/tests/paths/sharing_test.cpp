// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/sharing.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/paths/sharing_examples.hpp"

namespace fairlead::core {
namespace {

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

/// Eight hosts in groups of 2, 3, 1 and 2. The links between groups 0 and 1, 0 and 2 are one; hosts 0 and 3 fill their
/// own links on some pairs.
TEST(SharingRelation, SaysTheSameByGroupsAndByHosts) {
    const std::vector<HostId> group_of = {0, 0, 1, 1, 1, 2, 3, 3};
    const auto hosts = static_cast<HostId>(group_of.size());
    SharingRelation grouped(hosts, group_of);
    const auto same_link = [](Pair a, Pair b) {
        const auto link = [](Pair p) { return p.source == 0 && p.destination == 2 ? Pair{0, 1} : p; };
        return link(a) == link(b);
    };
    for (HostId a = 0; a < 4; ++a)
        for (HostId b = 0; b < 4; ++b)
            for (HostId c = 0; c < 4; ++c)
                for (HostId d = 0; d < 4; ++d)
                    if (a != b && c != d && same_link({a, b}, {c, d})) grouped.set_hurts({a, b}, {c, d});
    const auto between = [&](Pair p) { return group_of[p.source] != group_of[p.destination] && p != Pair{4, 6}; };
    const auto of_source = [](Pair p) { return p.source == 0 && p.destination < 4; };
    const auto of_destination = [](Pair p) { return p.destination == 3; };
    std::vector<Pair> pairs;
    for (HostId i = 0; i < hosts; ++i)
        for (HostId j = 0; j < hosts; ++j) {
            if (i == j) continue;
            pairs.push_back({i, j});
            if (between({i, j})) grouped.set_fills({i, j}, Filled::between_groups);
            if (of_source({i, j})) grouped.set_fills({i, j}, Filled::of_source);
            if (of_destination({i, j})) grouped.set_fills({i, j}, Filled::of_destination);
        }
    SharingRelation apart(hosts);
    for (const Pair injected : pairs)
        for (const Pair hurt : pairs) {
            const auto groups = [&](Pair p) { return Pair{group_of[p.source], group_of[p.destination]}; };
            const bool by_link = between(injected) && groups(hurt).source != groups(hurt).destination &&
                                 same_link(groups(injected), groups(hurt));
            const bool by_source = of_source(injected) && injected.source == hurt.source;
            const bool by_destination = of_destination(injected) && injected.destination == hurt.destination;
            if (by_link || by_source || by_destination) apart.set_hurts(injected, hurt);
        }
    for (const Pair pair : pairs) {
        for (const Pair other : pairs) EXPECT_EQ(grouped.hurts(pair, other), apart.hurts(pair, other));
        EXPECT_DOUBLE_EQ(grouped.weight(pair), apart.weight(pair)) << pair.source << " " << pair.destination;
        EXPECT_EQ(grouped.sources_sharing(pair), apart.sources_sharing(pair));
        EXPECT_EQ(grouped.path_groups(pair), apart.path_groups(pair));
        for (HostId relay = 0; relay < hosts; ++relay)
            EXPECT_EQ(grouped.avoids(pair, relay), apart.avoids(pair, relay));
    }
    EXPECT_TRUE(grouped.known());
    SharingRelation unfilled(3, {0, 1, 1});
    unfilled.set_hurts({0, 1}, {0, 1});
    EXPECT_DOUBLE_EQ(unfilled.weight({0, 1}), 0.0) << "no injection fills anything";
    EXPECT_FALSE(unfilled.shares({0, 1}, {0, 2}));
    EXPECT_THROW(SharingRelation(2, {0}), std::invalid_argument);
    EXPECT_THROW(SharingRelation(2, {0, 2}), std::invalid_argument);
    EXPECT_THROW(grouped.set_hurts({0, 4}, {0, 1}), std::invalid_argument);
    EXPECT_THROW(grouped.set_fills({0, 8}, Filled::of_source), std::invalid_argument);
}

TEST(SharingRelation, OneMayHurtAnotherThatDoesNotHurtIt) {
    SharingRelation sharing(5);
    sharing.set_hurts({0, 1}, {2, 3});
    EXPECT_TRUE(sharing.known());
    EXPECT_TRUE(sharing.hurts({0, 1}, {2, 3}));
    EXPECT_FALSE(sharing.hurts({2, 3}, {0, 1}));
    EXPECT_TRUE(sharing.shares({2, 3}, {0, 1})) << "in either order";
    EXPECT_FALSE(sharing.shares({0, 1}, {0, 2})) << "the same source means nothing where something is known";
    EXPECT_FALSE(sharing.hurts({0, 5}, {0, 5})) << "outside the job";
    EXPECT_DOUBLE_EQ(sharing.weight({2, 3}), 1.0 / 19.0);
    EXPECT_DOUBLE_EQ(sharing.weight({0, 1}), 0.0);
    sharing.set_hurts({0, 1}, {2, 3});
    sharing.set_hurts({2, 3}, {2, 3});
    EXPECT_DOUBLE_EQ(sharing.weight({2, 3}), 1.0 / 19.0) << "once more is no more, nor is a pair itself";
    EXPECT_EQ(sharing.sources_sharing({2, 3}), std::vector<HostId>{0});
    EXPECT_EQ(sharing.sources_sharing({0, 1}), std::vector<HostId>{2});
}

TEST(SharingRelation, WhereNothingIsKnownSourcesOfTheSameDestinationShare) {
    const SharingRelation nothing(4);
    EXPECT_EQ(nothing.sources_sharing({0, 2}), (std::vector<HostId>{1, 3}));
    EXPECT_TRUE(nothing.sources_sharing({0, 4}).empty()) << "outside the job";
    EXPECT_TRUE(nothing.sources_sharing({1, 1}).empty());
    EXPECT_TRUE(nothing.hurts({0, 2}, {1, 2}));
    EXPECT_FALSE(nothing.hurts({0, 2}, {2, 0}));
    EXPECT_DOUBLE_EQ(nothing.weight({0, 2}), 0.0);
}

TEST(SharingRelation, ADetourAvoidsWhatHurtsTheDirectPathAndNeitherLeg) {
    SharingRelation sharing(4);
    sharing.set_hurts({0, 1}, {0, 2});  // the path itself hurts its first leg over 2
    EXPECT_FALSE(sharing.avoids({0, 1}, 2));
    EXPECT_TRUE(sharing.avoids({0, 1}, 3));
    sharing.set_hurts({3, 2}, {0, 1});  // another does not
    EXPECT_TRUE(sharing.avoids({0, 1}, 2));
    sharing.set_hurts({3, 2}, {2, 1});
    EXPECT_FALSE(sharing.avoids({0, 1}, 2)) << "it hurts the second leg";
    EXPECT_FALSE(sharing.avoids({0, 1}, 0)) << "no relay";
    EXPECT_FALSE(sharing.avoids({0, 1}, 4));
}

TEST(SharingRelation, AFilledLinkOfAHostHurtsAllPathsThatPassIt) {
    SharingRelation sharing(5, {0, 0, 1, 1, 1});
    EXPECT_FALSE(sharing.known());
    sharing.set_fills({0, 2}, Filled::of_source);
    sharing.set_fills({1, 3}, Filled::of_destination);
    EXPECT_TRUE(sharing.known());
    EXPECT_TRUE(sharing.hurts({0, 2}, {0, 1}));
    EXPECT_TRUE(sharing.hurts({0, 2}, {0, 4}));
    EXPECT_FALSE(sharing.hurts({0, 2}, {1, 2})) << "from another host";
    EXPECT_FALSE(sharing.hurts({0, 2}, {2, 0}));
    EXPECT_FALSE(sharing.hurts({0, 3}, {0, 2})) << "that injection fills nothing";
    EXPECT_TRUE(sharing.hurts({1, 3}, {4, 3}));
    EXPECT_FALSE(sharing.hurts({1, 3}, {1, 2}));
    EXPECT_DOUBLE_EQ(sharing.weight({0, 3}), 2.0 / 19.0) << "by both of its ends";
    EXPECT_DOUBLE_EQ(sharing.weight({0, 2}), 0.0) << "by itself does not count";
    sharing.set_fills({0, 2}, Filled::of_source);
    EXPECT_DOUBLE_EQ(sharing.weight({0, 3}), 2.0 / 19.0) << "once more is no more";
    EXPECT_EQ(sharing.sources_sharing({4, 3}), std::vector<HostId>{1});
}

TEST(SharingRelation, AnInjectionHurtsByItsGroupsOnlyIfItFillsTheLinkBetweenThem) {
    SharingRelation sharing(4, {0, 0, 1, 1});
    sharing.set_hurts({0, 1}, {0, 1});
    sharing.set_fills({0, 2}, Filled::between_groups);
    EXPECT_TRUE(sharing.hurts({0, 2}, {1, 3}));
    EXPECT_FALSE(sharing.hurts({1, 3}, {0, 2}));
    EXPECT_FALSE(sharing.hurts({0, 2}, {2, 0}));
    EXPECT_DOUBLE_EQ(sharing.weight({1, 3}), 1.0 / 11.0);
    sharing.set_fills({0, 2}, Filled::between_groups);
    EXPECT_DOUBLE_EQ(sharing.weight({1, 3}), 1.0 / 11.0) << "once more is no more";
    EXPECT_THROW(sharing.set_fills({1, 1}, Filled::between_groups), std::invalid_argument);
    SharingRelation apart(4);
    EXPECT_THROW(apart.set_fills({0, 2}, Filled::between_groups), std::invalid_argument) << "it has no groups";
}

}  // namespace
}  // namespace fairlead::core
