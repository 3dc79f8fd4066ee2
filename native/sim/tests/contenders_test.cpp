// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/contenders.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "scenario_json.hpp"

namespace fairlead::sim {
namespace {

using nlohmann::ordered_json;

TEST(Quantile, IsAValueThatThereIs) {
    EXPECT_EQ(quantile({}, 0.99), 0.0);
    EXPECT_EQ(quantile({3.0}, 0.5), 3.0);
    EXPECT_EQ(quantile({1.0, 2.0, 3.0, 4.0}, 0.5), 2.0);
    EXPECT_EQ(quantile({1.0, 2.0, 3.0, 4.0}, 0.99), 4.0);
}

/// The example of docs/guides/simulate.md. Streams fill links of a fat tree.
TEST(Contenders, EachSpreadsTheSameTrafficInItsWay) {
    const Scenario scenario =
        read_scenario(std::filesystem::path(FAIRLEAD_EXAMPLES) / "simulation" / "fat-tree16.json");
    EXPECT_EQ(scenario.topology.hosts(), 16);
    const std::vector<Standing> standings = compare_contenders(scenario);
    const ordered_json told = contenders_json(scenario, standings);
    ASSERT_EQ(told["contenders"].size(), 5U);
    EXPECT_EQ(told["contenders"][0]["name"], "ecmp");
    EXPECT_EQ(told["contenders"][0]["over_ecmp"], 1.0);
    EXPECT_EQ(told["contenders"][4]["name"], "fairlead");
    for (std::size_t i = 0; i < standings.size(); ++i) {
        const bool managed = standings[i].name == "fairlead";
        EXPECT_EQ(standings[i].outcome.probes > 0, managed) << standings[i].name;
        EXPECT_GT(standings[i].message_p99_s, 0.0);
        EXPECT_GT(standings[i].foreign_bps, 0.0);
    }
    EXPECT_LT(standings[3].makespan_s, standings[0].makespan_s) << "packets use what hashes leave free";
    EXPECT_EQ(contenders_json(scenario, compare_contenders(scenario)), told) << "the same seed, the same outcome";
}

TEST(Contenders, TheOracleNeedsFixedPaths) {
    Scenario scenario = read_scenario(std::filesystem::path(FAIRLEAD_EXAMPLES) / "simulation" / "fat-tree16.json");
    scenario.simulation.load_balancing.kind = LoadBalancing::ecmp;
    EXPECT_THROW(compare(scenario, 10), std::invalid_argument);
}

}  // namespace
}  // namespace fairlead::sim
