// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/topology.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fairlead/sim/knowledge.hpp"
#include "fairlead/sim/network.hpp"
#include "small_networks.hpp"

namespace fairlead::sim {
namespace {

const LinkKind kHost{1e9, 10e-6, 1e6};
const LinkKind kTrunk{200e6, 30e-6, 250e3};

/// The nodes of a path in words: "h0 leaf0 leaf1 h2".
std::string told(const Topology& topology, const char* from, const char* to) {
    std::string text = from;
    for (const LinkId id :
         topology.path(static_cast<EndId>(*topology.find(from)), static_cast<EndId>(*topology.find(to)))) {
        text += " " + topology.name(topology.links()[id].to);
    }
    return text;
}

TEST(Topology, AMeshJoinsLeafsPairwise) {
    const Topology net = mesh({4, 2, 1, kHost, kHost, kTrunk});
    EXPECT_EQ(net.hosts(), 8);
    EXPECT_EQ(net.ends(), 12);
    EXPECT_EQ(net.links().size(), 2 * (8 + 4 + 6U));
    EXPECT_EQ(told(net, "h0", "h1"), "h0 leaf0 h1");
    EXPECT_EQ(told(net, "h1", "h6"), "h1 leaf0 leaf3 h6");
    EXPECT_EQ(told(net, "n3", "n0"), "n3 leaf3 leaf0 n0");
}

TEST(Topology, AStarHasOneSwitch) {
    const Topology net = star({4, 3, 0, kHost, kHost, kTrunk});
    EXPECT_EQ(net.hosts(), 3) << "`leafs` does not matter";
    EXPECT_EQ(told(net, "h2", "h0"), "h2 switch h0");
}

/// As src/fairlead/lab/resolve.py has it: leafs 0 and 1 use spine (0+1) % 3 % 2 = 1, 0 and 2 spine 0, 1 and 2 spine 0,
/// and leaf 3 meets leaf i in round 2i % 3: 0 by spine 0, 1 by spine 0, 2 by spine 1.
TEST(Topology, LeafSpineUsesOneSpineForAPairOfLeafs) {
    const Topology net = leaf_spine({4, 2, 0, kHost, kHost, kTrunk}, 2);
    EXPECT_EQ(told(net, "h0", "h2"), "h0 leaf0 spine1 leaf1 h2");
    EXPECT_EQ(told(net, "h2", "h0"), "h2 leaf1 spine1 leaf0 h0");
    EXPECT_EQ(told(net, "h0", "h4"), "h0 leaf0 spine0 leaf2 h4");
    EXPECT_EQ(told(net, "h2", "h4"), "h2 leaf1 spine0 leaf2 h4");
    EXPECT_EQ(told(net, "h0", "h6"), "h0 leaf0 spine0 leaf3 h6");
    EXPECT_EQ(told(net, "h4", "h6"), "h4 leaf2 spine1 leaf3 h6");
    EXPECT_EQ(told(net, "h4", "h5"), "h4 leaf2 h5");
}

/// Four pods: two leafs and two aggregation switches each, and four core switches.
TEST(Topology, AFatTreeHasThreeTiers) {
    const Topology net = fat_tree({0, 2, 0, kHost, kHost, kTrunk}, 4);
    EXPECT_EQ(net.hosts(), 16);
    EXPECT_EQ(net.nodes(), 16 + 8 + 8 + 4U);
    EXPECT_EQ(net.links().size(), 2 * (16 + 16 + 16U));
    EXPECT_EQ(told(net, "h0", "h1"), "h0 leaf0 h1");
    EXPECT_EQ(told(net, "h0", "h2"), "h0 leaf0 aggregation0 leaf1 h2") << "within a pod";
    EXPECT_EQ(told(net, "h0", "h4"), "h0 leaf0 aggregation0 core0 aggregation2 leaf2 h4");
    EXPECT_TRUE(net.link(*net.find("aggregation1"), *net.find("core2")));
    EXPECT_FALSE(net.link(*net.find("aggregation1"), *net.find("core0"))) << "that is aggregation0's";
    EXPECT_THROW(fat_tree({0, 2, 0, kHost, kHost, kTrunk}, 3), std::invalid_argument);
}

TEST(Topology, PathsThatNobodySetHaveTheFewestLinks) {
    // a - s - t - b and a - u - b; c behind b's switch u. No path leads through an end.
    Topology net({"a", "b"}, {"c"}, {"s", "t", "u"});
    for (const auto& [from, to] : {std::pair{"a", "s"}, {"s", "t"}, {"t", "b"}, {"a", "u"}, {"u", "b"}, {"u", "c"}}) {
        net.connect(*net.find(from), *net.find(to), kHost);
    }
    net.set_path({*net.find("b"), *net.find("t"), *net.find("s"), *net.find("a")});
    net.complete_paths();
    EXPECT_EQ(told(net, "a", "b"), "a u b");
    EXPECT_EQ(told(net, "b", "a"), "b t s a") << "as it was set";
    EXPECT_EQ(told(net, "c", "a"), "c u a");
}

TEST(Topology, RefusesWhatCannotBe) {
    EXPECT_THROW(Topology({}, {}, {"s"}), std::invalid_argument);
    EXPECT_THROW(Topology({"a", "a"}, {}, {}), std::invalid_argument);
    Topology net({"a", "b"}, {}, {"s"});
    net.connect(0, 2, kHost);
    EXPECT_THROW(net.add_link(0, 2, kHost), std::invalid_argument) << "twice";
    EXPECT_THROW(net.add_link(0, 0, kHost), std::invalid_argument);
    EXPECT_THROW(net.add_link(1, 2, {0.0, 0.0, 1e6}), std::invalid_argument);
    EXPECT_THROW(net.add_link(1, 2, {1e9, 0.0, 1e6, 1.0}), std::invalid_argument);
    EXPECT_THROW(net.set_path({0, 2, 1}), std::invalid_argument) << "no link s -> b";
    EXPECT_THROW(net.complete_paths(), std::invalid_argument);
}

TEST(Knowledge, BaseIsTheFreeNetworkAndBottlenecksAreTheNarrowestLinks) {
    const Topology net = mesh({4, 2, 1, kHost, kHost, kTrunk});
    const core::BaseTable base = base_table(net);
    // Two kernels, two host links of 10 us, a trunk of 30 us, and 64 B with headers at 200 Mbit/s.
    EXPECT_NEAR(*base.latency_s({0, 2}), 60e-6 + 20e-6 + 30e-6 + 8 * wire_B(64) / 200e6, 1e-12);
    EXPECT_DOUBLE_EQ(*base.throughput_bps({0, 2}), 200e6 * 1448 / 1514);
    EXPECT_DOUBLE_EQ(*base.throughput_bps({0, 1}), 1e9 * 1448 / 1514);
    EventQueue events;
    Network network(events, net, 1, 1);
    const core::SharingRelation sharing = sharing_relation(network);
    EXPECT_TRUE(sharing.hurts({0, 2}, {1, 3})) << "the trunk from leaf 0 to leaf 1";
    EXPECT_FALSE(sharing.hurts({0, 2}, {2, 0})) << "the other direction";
    EXPECT_FALSE(sharing.hurts({0, 2}, {0, 4})) << "h0's own link is not what limits";
    EXPECT_TRUE(sharing.hurts({0, 1}, {0, 4})) << "there it is";
}

TEST(Network, ADetourPassesTheLinksOfBothLegs) {
    EventQueue events;
    Network net(events, mesh({3, 1, 0, kHost, kHost, kTrunk}), 1, 1);
    net.set_relay(0, 0, 1, 2);
    double arrived_at = 0.0;
    net.send(net.route(0, 0, 1, 0), 1000, [&] { arrived_at = events.now(); }, {});
    EXPECT_EQ(net.route(kForeign, 0, 1, 0).hops(), 3U) << "detours are the job's";
    events.run_until(1.0);
    // The relay's kernel, and twice: host link, trunk, host link; 8 us and 40 us for 1000 B, delays of 10, 30 and 10
    // us.
    EXPECT_NEAR(arrived_at, kStack_s + 2 * (8e-6 + 10e-6 + 40e-6 + 30e-6 + 8e-6 + 10e-6), 1e-12);
}

}  // namespace
}  // namespace fairlead::sim
