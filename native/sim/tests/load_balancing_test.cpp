// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/load_balancing.hpp"

#include <gtest/gtest.h>

#include <map>

#include "fairlead/sim/knowledge.hpp"
#include "fairlead/sim/network.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {
namespace {

const LinkKind kLink{100e6, 10e-6, 250e3};

Topology tree() {
    return fat_tree({0, 2, 0, kLink, kLink, kLink}, 4);
}

/// Paths of so many labels, and how many labels took each.
std::map<Path, int> paths_of(EqualCostPaths& paths, EndId source, EndId destination, int labels) {
    std::map<Path, int> found;
    for (int label = 0; label < labels; ++label)
        ++found[paths.path(source, destination, static_cast<FlowLabel>(label))];
    return found;
}

TEST(EqualCostPaths, AreAllShortestOnesAboutEquallyOften) {
    const Topology net = tree();
    EqualCostPaths paths(net);
    EXPECT_EQ(paths_of(paths, 0, 1, 50).size(), 1U) << "at one leaf";
    EXPECT_EQ(paths_of(paths, 0, 2, 50).size(), 2U) << "in one pod: two aggregation switches";
    const std::map<Path, int> across = paths_of(paths, 0, 15, 4000);
    EXPECT_EQ(across.size(), 4U) << "four core switches";
    for (const auto& [path, count] : across) {
        EXPECT_EQ(path.size(), 6U);
        EXPECT_NEAR(count, 1000, 120);
        for (std::size_t i = 0; i + 1 < path.size(); ++i)
            EXPECT_EQ(net.links()[path[i]].to, net.links()[path[i + 1]].from);
        EXPECT_EQ(net.links()[path.front()].from, 0U);
        EXPECT_EQ(net.links()[path.back()].to, 15U);
    }
}

TEST(EqualCostPaths, ALabelKeepsItsPath) {
    const Topology net = tree();
    EqualCostPaths paths(net);
    const Path& first = paths.path(3, 12, 7);
    paths_of(paths, 3, 12, 100);
    EXPECT_EQ(&paths.path(3, 12, 7), &first);
}

/// Pairs of a leaf whose flows have one label each do not all meet on the same core switch: each switch has a hash of
/// its own, so that what one has chosen says nothing of the next one's choice.
TEST(EqualCostPaths, SwitchesHashIndependently) {
    const Topology net = tree();
    EqualCostPaths paths(net);
    std::map<std::pair<LinkId, LinkId>, int> choices;
    for (FlowLabel label = 0; label < 4000; ++label) {
        const Path& path = paths.path(0, 15, label);
        ++choices[{path[1], path[2]}];
    }
    EXPECT_EQ(choices.size(), 4U);
    for (const auto& [links, count] : choices) EXPECT_NEAR(count, 1000, 120);
}

TEST(EqualCostPaths, HaveTheLinksOfTheHostsInCommon) {
    const Topology net = tree();
    EqualCostPaths paths(net);
    EXPECT_EQ(paths.common(0, 15), (Path{*net.link(0, *net.find("leaf0")), *net.link(*net.find("leaf7"), 15)}));
    EXPECT_EQ(paths.common(0, 1), net.path(0, 1)) << "there is only one";
}

TEST(EqualCostPaths, EndsThatAreNotConnectedAreRefused) {
    const Topology net({"a", "b"}, {}, {"s"});
    EqualCostPaths paths(net);
    EXPECT_THROW(paths.path(0, 1, 0), std::invalid_argument);
}

/// As without load balancing pairs of different leafs would share the path over the lowest switches.
TEST(Knowledge, OnlyLinksThatAllFlowsTakeAreSharedForCertain) {
    EventQueue events;
    Network fixed(events, tree(), 1, 1);
    Network spread(events, tree(), 1, 1, {LoadBalancing::ecmp});
    EXPECT_TRUE(sharing_relation(fixed).hurts({0, 15}, {1, 14})) << "leaf0, aggregation0, core0";
    const core::SharingRelation sharing = sharing_relation(spread);
    EXPECT_FALSE(sharing.hurts({0, 15}, {1, 14}));
    EXPECT_TRUE(sharing.hurts({0, 15}, {0, 8})) << "h0's link";
}

/// Two hosts of leaf 0 send to two of another pod without a pause.
struct Transfer {
    EventQueue events;
    Network network;
    Tcp tcp;

    Transfer(LoadBalancing kind, std::uint64_t seed, Topology topology = tree())
        : network(events, std::move(topology), 1, seed, {kind}), tcp(events, network) {}

    /// Bytes that two connections deliver in a second.
    double both_B() {
        Connection& a = tcp.open(0, 14, 0);
        Connection& b = tcp.open(1, 15, 0);
        for (Connection* each : {&a, &b}) {
            each->unlimited = true;
            tcp.push(*each);
        }
        events.run_until(1.0);
        return a.delivered_B + b.delivered_B;
    }
};

/// Seeds in which the hashes of two connections meet on a link within the tree, and in which they do not.
TEST(LoadBalancing, ConnectionsThatMeetByTheirHashesShareALink) {
    const double full_B = 2.0 * 100e6 / 8.0;
    int meet = 0;
    int apart = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const double share = Transfer(LoadBalancing::ecmp, seed).both_B() / full_B;
        if (share > 0.8) ++apart;
        if (share < 0.55) ++meet;
    }
    EXPECT_GE(meet, 2);
    EXPECT_GE(apart, 2);
    EXPECT_EQ(meet + apart, 12) << "nothing in between: they keep their paths";
}

/// Another header may meet the other connection again, or on another link: not each, but most find a free path.
TEST(LoadBalancing, AnotherHeaderAfterALossFindsAFreePath) {
    double kept_B = 0.0;
    double changed_B = 0.0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        kept_B += Transfer(LoadBalancing::ecmp, seed).both_B();
        changed_B += Transfer(LoadBalancing::rehash, seed).both_B();
    }
    EXPECT_GT(changed_B, 1.1 * kept_B);
}

TEST(LoadBalancing, PacketsUseAllPathsAndReorderingCostsNothing) {
    const double full_B = 2.0 * 100e6 / 8.0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        EXPECT_GT(Transfer(LoadBalancing::packets, seed).both_B() / full_B, 0.85) << "seed " << seed;
    }
}

/// What follows a pause may take another path; what does not, may not.
TEST(LoadBalancing, AFlowletBeginsAfterAPause) {
    EventQueue events;
    Network network(events, tree(), 1, 1, {LoadBalancing::flowlets, 1e-3});
    Tcp tcp(events, network);
    Connection& c = tcp.open(0, 15, 0);
    const auto send = [&](double at) {
        events.at(at, [&] {
            c.wanted_B += 1000;
            tcp.push(c);
        });
        events.run_until(at + 1e-5);
        return c.label;
    };
    const FlowLabel first = send(0.1);
    EXPECT_EQ(send(0.1009), first);
    EXPECT_EQ(send(0.1018), first) << "the pause is counted from the last segment on";
    EXPECT_NE(send(0.1030), first);
}

/// The label of a connection is a matter of its seed, job, ends and number, not of when others are opened.
TEST(LoadBalancing, LabelsDoNotDependOnTheOrderOfConnections) {
    Transfer one(LoadBalancing::ecmp, 3);
    Transfer two(LoadBalancing::ecmp, 3);
    const FlowLabel label = one.tcp.open(0, 5, 0).label;
    two.tcp.open(4, 5, 0);
    EXPECT_EQ(two.tcp.open(0, 5, 0).label, label);
    EXPECT_NE(two.tcp.open(0, 5, 0).label, label) << "the second of the same pair";
    EXPECT_NE(two.tcp.open(0, 5, kForeign).label, label);
    EXPECT_NE(Transfer(LoadBalancing::ecmp, 4).tcp.open(0, 5, 0).label, label);
}

}  // namespace
}  // namespace fairlead::sim
