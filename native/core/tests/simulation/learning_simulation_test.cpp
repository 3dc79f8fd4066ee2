// SPDX-License-Identifier: Apache-2.0
// Agents that know nothing of the network before, against a simulated one: they learn, reroute what is congested, and
// cost a program next to nothing where they should not reroute.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include "tests/simulation/leaf_simulation.hpp"

namespace fairlead::core::sim::learning {
namespace {

void everybody_exchanges(Simulation& net, double message_B, double pause_s) {
    for (HostId s = 0; s < net.hosts(); ++s) {
        for (HostId d = 0; d < net.hosts(); ++d) {
            if (s != d) net.exchange(s, d, message_B, pause_s);
        }
    }
}

Config learning(std::uint64_t seed) {
    Config config;
    config.seed = seed;
    config.learns = true;
    return config;
}

/// Pairs that were rerouted, all of them from leaf 0 to leaf 1 and over another leaf, or the test fails.
std::set<std::pair<HostId, HostId>> moved_pairs(const Simulation& net) {
    std::set<std::pair<HostId, HostId>> pairs;
    for (const Entry& entry : net.diary()) {
        const auto* rerouted = std::get_if<Rerouted>(&entry.action);
        if (rerouted == nullptr) continue;
        EXPECT_EQ(net.leaf(entry.host) + net.leaf(rerouted->destination), 1) << "not on the congested trunk";
        EXPECT_GE(net.leaf(rerouted->relay), 2) << "a relay on the congested leafs does not help";
        pairs.emplace(entry.host, rerouted->destination);
    }
    return pairs;
}

TEST(LearningSimulation, ReroutesWhatOthersCongestAndRestores) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Simulation net(learning(seed));
        everybody_exchanges(net, 28e3, 20e-3);
        net.foreign(0, 1, 8, 6.0, 14.0);
        net.run_until(6.0);
        EXPECT_TRUE(moved_pairs(net).empty()) << "seed " << seed;
        net.run_until(9.0);
        const std::size_t rerouted = moved_pairs(net).size();
        std::printf("seed %d: %zu of 4 pairs rerouted within 3 s\n", static_cast<int>(seed), rerouted);
        EXPECT_GE(rerouted, 3U) << "seed " << seed;
        net.run_until(22.0);
        for (const auto& [source, destination] : moved_pairs(net)) {
            EXPECT_EQ(net.relay_of(source, destination), kNoHost) << "seed " << seed;
        }
    }
}

/// Even the fastest probe meets a queue. What detours take shows it.
TEST(LearningSimulation, SeesCongestionThatWasThereFromTheStart) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Simulation net(learning(seed));
        net.foreign(0, 1, 16, 0.0, 15.0);
        net.run_until(0.5);
        everybody_exchanges(net, 28e3, 20e-3);
        net.run_until(10.0);
        const std::size_t rerouted = moved_pairs(net).size();
        std::printf("seed %d: %zu pairs rerouted\n", static_cast<int>(seed), rerouted);
        EXPECT_GE(rerouted, 3U) << "seed " << seed;
        net.run_until(25.0);
        for (const auto& [source, destination] : moved_pairs(net)) {
            EXPECT_EQ(net.relay_of(source, destination), kNoHost) << "seed " << seed;
        }
    }
}

TEST(LearningSimulation, OnAStarNothingReroutes) {
    Config config = learning(2);
    config.leafs = 1;
    config.hosts_per_leaf = 6;
    Simulation net(config);
    everybody_exchanges(net, 28e3, 20e-3);
    net.foreign_into(3, 0, 8, 5.0, 12.0);
    net.run_until(15.0);
    EXPECT_TRUE(net.reports<Rerouted>().empty());
}

/// A ring that fills the trunks by itself: trials are few, and what the program gets is what it gets unmanaged.
double ring_delivered_B(std::uint64_t seed, bool managed) {
    Config config = learning(seed);
    config.managed = managed;
    Simulation net(config);
    for (HostId host = 0; host < net.hosts(); ++host) {
        net.exchange(host, static_cast<HostId>((host + 1) % net.hosts()), 1e6, 20e-3);
    }
    net.run_until(20.0);
    return net.delivered_B(0);
}

TEST(LearningSimulation, ARingOfItsOwnBulkLosesNothing) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const double ratio = ring_delivered_B(seed, true) / ring_delivered_B(seed, false);
        std::printf("ring, seed %d: managed over unmanaged %.3f\n", static_cast<int>(seed), ratio);
        EXPECT_GE(ratio, 0.98) << "seed " << seed;
    }
}

using Congest = std::function<void(Simulation&)>;

struct Beside {
    std::string name;
    double message_B = 0.0;
    double pause_s = 0.0;
    Congest congest;
    double least = 0.0;  ///< managed over unmanaged
};

void PrintTo(const Beside& scenario, std::ostream* out) {
    *out << scenario.name;
}

void nobody(Simulation&) {}

void steady(Simulation& net) {
    net.foreign(0, 1, 4, 3.0, 20.0);
}

void from_the_start(Simulation& net) {
    net.foreign(0, 1, 4, 0.0, 20.0);
}

/// A fixed delay on the trunk between two leafs: no queue, and bulk loses little by it.
void delay(Simulation& net) {
    net.at(3.0, [&net] { net.core(0, 1).delay_s += 5e-3, net.core(1, 0).delay_s += 5e-3; });
}

void bursts_of(Simulation& net, double period_s) {
    Random random(7);
    for (double t = 2.0; t < 20.0; t += period_s) {
        const auto from = static_cast<int>(random.below(4));
        const auto to = (from + 1 + static_cast<int>(random.below(3))) % 4;
        net.foreign(from, to, 2, t, t + 2.0 * period_s * random.uniform());
    }
}

void bursts(Simulation& net) {
    bursts_of(net, 1.0);
}

void short_bursts(Simulation& net) {
    bursts_of(net, 0.25);
}

double delivered_B(const Beside& scenario, std::uint64_t seed, bool managed) {
    Config config = learning(seed);
    config.managed = managed;
    Simulation net(config);
    everybody_exchanges(net, scenario.message_B, scenario.pause_s);
    scenario.congest(net);
    net.run_until(20.0);
    return net.delivered_B(0);
}

class LearningNeverWorse : public testing::TestWithParam<Beside> {};

TEST_P(LearningNeverWorse, ManagedOverUnmanaged) {
    const Beside& scenario = GetParam();
    const double ratio = delivered_B(scenario, 1, true) / delivered_B(scenario, 1, false);
    std::printf("%-20s managed over unmanaged %.3f\n", scenario.name.c_str(), ratio);
    EXPECT_GE(ratio, scenario.least);
}

INSTANTIATE_TEST_SUITE_P(Of, LearningNeverWorse,
                         testing::Values(Beside{"clean", 28e3, 10e-3, nobody, 0.99},
                                         Beside{"own alltoall", 512e3, 1e-3, nobody, 0.98},
                                         Beside{"own bursts", 256e3, 100e-3, nobody, 0.98},
                                         Beside{"steady", 28e3, 20e-3, steady, 1.02},
                                         Beside{"from the start", 28e3, 20e-3, from_the_start, 1.02},
                                         Beside{"bursts", 28e3, 10e-3, bursts, 0.98},
                                         Beside{"short bursts", 28e3, 10e-3, short_bursts, 0.96},
                                         Beside{"delay, bulk", 60e3, 5e-3, delay, 0.96}));

}  // namespace
}  // namespace fairlead::core::sim::learning
