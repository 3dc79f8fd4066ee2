// SPDX-License-Identifier: Apache-2.0
// Management never costs a program much, whatever others do: what all pairs get with it, over what they get without.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "tests/simulation/leaf_simulation.hpp"

namespace fairlead::core::sim {
namespace {

constexpr double kFrom_s = 2.0;
constexpr double kUntil_s = 20.0;

using Congest = std::function<void(Simulation&)>;

/// A fixed delay on the trunk between two leafs: no queue, and bulk loses little by it.
void delay(Simulation& net) {
    net.at(kFrom_s, [&net] { net.core(0, 1).delay_s += 5e-3, net.core(1, 0).delay_s += 5e-3; });
}

void steady(Simulation& net) {
    net.foreign(0, 1, 4, kFrom_s, kUntil_s);
}

/// Streams between two leafs drawn anew every `period_s`, each for up to twice as long.
Congest bursts(double period_s) {
    return [period_s](Simulation& net) {
        Random random(7);
        for (double t = kFrom_s; t < kUntil_s; t += period_s) {
            const auto from = static_cast<int>(random.below(4));
            const auto to = (from + 1 + static_cast<int>(random.below(3))) % 4;
            net.foreign(from, to, 2, t, t + 2.0 * period_s * random.uniform());
        }
    };
}

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

double delivered_B(const Beside& scenario, std::uint64_t seed, bool managed) {
    Config config;
    config.managed = managed;
    config.seed = seed;
    Simulation net(config);
    for (HostId s = 0; s < net.hosts(); ++s) {
        for (HostId d = 0; d < net.hosts(); ++d) {
            if (s != d) net.exchange(s, d, scenario.message_B, scenario.pause_s);
        }
    }
    scenario.congest(net);
    net.run_until(kUntil_s);
    return net.delivered_B(0);
}

class NeverWorse : public testing::TestWithParam<Beside> {};

TEST_P(NeverWorse, ManagedOverUnmanaged) {
    const Beside& scenario = GetParam();
    const std::uint64_t seeds = std::getenv("FAIRLEAD_SIM_SECONDS") != nullptr ? 4 : 1;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const double ratio = delivered_B(scenario, seed, true) / delivered_B(scenario, seed, false);
        std::printf("%-16s seed %d: managed over unmanaged %.3f\n", scenario.name.c_str(), static_cast<int>(seed),
                    ratio);
        EXPECT_GE(ratio, scenario.least) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, NeverWorse,
                         testing::Values(Beside{"steady", 28e3, 20e-3, steady, 1.03},
                                         Beside{"short bursts", 28e3, 10e-3, bursts(0.25), 0.95},
                                         Beside{"bursts", 28e3, 10e-3, bursts(1.0), 0.98},
                                         Beside{"delay, small", 1e3, 1e-3, delay, 1.05},
                                         Beside{"delay, bulk", 60e3, 5e-3, delay, 0.94}));

}  // namespace
}  // namespace fairlead::core::sim
