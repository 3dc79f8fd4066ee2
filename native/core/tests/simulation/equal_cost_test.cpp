// SPDX-License-Identifier: Apache-2.0
// Equal-cost paths in a leaf-spine network whose leafs spread connections by a hash, where one of two spines is
// congested between two leafs: what a program gets with and without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "fairlead/sim/simulation.hpp"

namespace fairlead::core::sim {
namespace {

namespace net = fairlead::sim;

constexpr int kLeafCount = 4;
constexpr int kHostsPerLeaf = 2;
constexpr double kBegin_s = 2.0;
constexpr double kOver_s = 20.0;
constexpr std::uint64_t kSeedCount = 4;

using net::EndId;

enum class Kind : std::uint8_t { plain, relays, ways };

net::Topology two_spines() {
    net::Leafs kind;
    kind.leafs = kLeafCount;
    kind.hosts_per_leaf = kHostsPerLeaf;
    kind.host = {1e9, 10e-6, 500e3};
    kind.neighbour = {1e9, 10e-6, 500e3};
    kind.trunk = {200e6, 30e-6, 500e3};
    return leaf_spine(kind, 2);
}

net::SimulationSettings settings_of(Kind kind, std::uint64_t seed) {
    net::SimulationSettings settings;
    settings.seed = seed;
    settings.load_balancing.kind = net::LoadBalancing::ecmp;
    settings.agents.managed = kind != Kind::plain;
    settings.agents.settings.ways.count = kind == Kind::ways ? 3 : 0;
    settings.agents.seed = seed;
    settings.agents.processor = {20.0, 3e-3};
    return settings;
}

class Network {
  public:
    Network(Kind kind, std::uint64_t seed) : sim_(two_spines(), settings_of(kind, seed)) {}

    bool crosses(EndId source, EndId destination, net::FlowLabel label, const std::string& spine) {
        const net::Topology& topology = sim_.network.topology();
        const net::Path& path = *sim_.network.direct(source, destination, label).first;
        return std::ranges::any_of(path,
                                   [&](net::LinkId id) { return topology.name(topology.links()[id].to) == spine; });
    }
    /// Streams of the neighbours of two leafs, whose headers lead them over this spine.
    void congest(int from_leaf, int to_leaf, const std::string& spine, int streams, double from_s, double until_s) {
        const HostId hosts = sim_.network.topology().hosts();
        const auto from = static_cast<EndId>(hosts + from_leaf);
        const auto to = static_cast<EndId>(hosts + to_leaf);
        for (int i = 0; i < streams; ++i) {
            net::Connection& stream = sim_.tcp.open(from, to, net::kForeign);
            while (!crosses(from, to, stream.label, spine)) stream.label = net::relabelled(stream.label);
            sim_.events.at(from_s + 1e-3 * i, [this, &stream] {
                stream.unlimited = true;
                sim_.tcp.push(stream);
            });
            sim_.events.at(until_s, [&stream] { stream.unlimited = false; });
        }
    }
    void everybody_exchanges(double message_B, double pause_s) {
        const HostId hosts = sim_.network.topology().hosts();
        for (HostId s = 0; s < hosts; ++s) {
            for (HostId d = 0; d < hosts; ++d) {
                if (s != d) sim_.exchanges.always(s, d, message_B, pause_s);
            }
        }
    }
    void run_until(double when_s) { sim_.events.run_until(when_s); }
    /// What has arrived of the program's messages from one leaf to another.
    double delivered_B(int from_leaf, int to_leaf) const {
        double sum_B = 0.0;
        for (const net::Connection& c : sim_.tcp.connections()) {
            const bool between = c.source / kHostsPerLeaf == from_leaf && c.destination / kHostsPerLeaf == to_leaf;
            if (c.job == 0 && between) sum_B += c.delivered_B;
        }
        return sum_B;
    }
    template <typename T>
    std::vector<std::pair<double, T>> reports() const {
        return net::reports<T>(sim_.agents.diary());
    }

  private:
    net::Simulation sim_;
};

double delivered_of(Kind kind, std::uint64_t seed) {
    Network network(kind, seed);
    network.everybody_exchanges(28e3, 30e-3);
    network.congest(0, 1, "spine0", 6, kBegin_s, kOver_s);
    network.run_until(kOver_s);
    return network.delivered_B(0, 1);
}

TEST(EqualCostSimulation, PairsOfACongestedSpineGetMoreThanOverRelays) {
    double plain_B = 0.0;
    double relays_B = 0.0;
    double ways_B = 0.0;
    for (std::uint64_t seed = 1; seed <= kSeedCount; ++seed) {
        const double plain = delivered_of(Kind::plain, seed);
        const double relays = delivered_of(Kind::relays, seed);
        const double ways = delivered_of(Kind::ways, seed);
        std::printf("seed %d: with relays %.2f, with equal-cost paths %.2f times what pairs get unmanaged\n",
                    static_cast<int>(seed), relays / plain, ways / plain);
        plain_B += plain;
        relays_B += relays;
        ways_B += ways;
    }
    EXPECT_GT(ways_B, 1.1 * plain_B);
    EXPECT_GT(ways_B, 1.02 * relays_B);
}

TEST(EqualCostSimulation, NobodyLeavesAFreeNetwork) {
    for (std::uint64_t seed = 1; seed <= kSeedCount; ++seed) {
        Network network(Kind::ways, seed);
        network.everybody_exchanges(28e3, 30e-3);
        network.run_until(kOver_s);
        EXPECT_TRUE(network.reports<Rerouted>().empty()) << "seed " << seed;
    }
}

/// Pairs whose probes take the free spine leave as well, and all are back once the congestion is over.
TEST(EqualCostSimulation, PairsLeaveByWhatTheirConnectionsMeetAndReturn) {
    std::size_t unseen = 0;
    for (std::uint64_t seed = 1; seed <= kSeedCount; ++seed) {
        Network network(Kind::ways, seed);
        network.everybody_exchanges(28e3, 30e-3);
        network.congest(0, 1, "spine0", 6, kBegin_s, 12.0);
        network.run_until(30.0);
        std::size_t left = 0;
        for (const auto& [at, moved] : network.reports<Rerouted>()) {
            EXPECT_GE(at, kBegin_s) << "seed " << seed;
            EXPECT_LT(at, 13.0) << "seed " << seed;
            unseen += moved.unseen;
            left += moved.before == kNoHost;
        }
        // Who had to leave again and again may be held away for up to a minute.
        EXPECT_LE(network.reports<Restored>().size(), left) << "seed " << seed;
        EXPECT_GE(2 * network.reports<Restored>().size(), left) << "seed " << seed;
    }
    EXPECT_GT(unseen, 0U);
}

}  // namespace
}  // namespace fairlead::core::sim
