// SPDX-License-Identifier: Apache-2.0
// Several jobs on the same hosts, none of which knows of another: they settle, and each gains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/simulation/leaf_simulation.hpp"

namespace fairlead::core::sim {
namespace {

constexpr double kSettled_s = 5.0;
constexpr double kEnd_s = 30.0;
constexpr double kRevisit_s = 5.0;
/// A pair oscillates if so many changes of its route, one after another, are revisits: it left a route, returned, left
/// it again and returned again, each time within kRevisit_s.
constexpr int kOscillates = 3;
/// In 25 s. One that chases others changes its route every second or two, for as long as they do.
constexpr int kMostChanges = 8;

struct Scenario {
    std::string name;
    int jobs = 2;
    double message_B = 0.0;
    double pause_s = 0.0;
    int foreign = 0;  ///< streams on the same bottleneck
};

void PrintTo(const Scenario& scenario, std::ostream* out) {
    *out << scenario.name;
}

struct Result {
    int reroutes = 0;
    int most_changes = 0;   ///< of one pair's route, after kSettled_s
    int most_revisits = 0;  ///< of one pair: changes back to a route that it left less than kRevisit_s before
    int most_in_a_row = 0;  ///< of these, with no other change between them
    std::vector<double> delivered_B;
};

/// Counts the changes of routes that a simulation's agents told.
Result count_changes(const Simulation& net) {
    Result result;
    std::map<std::tuple<int, HostId, HostId>, int> changes;
    std::map<std::tuple<int, HostId, HostId>, int> revisits;
    std::map<std::tuple<int, HostId, HostId>, int> in_a_row;
    std::map<std::tuple<int, HostId, HostId, HostId>, double> left;  // when a pair's route was left
    const auto change = [&](const Entry& entry, HostId destination, HostId from, HostId to) {
        left[{entry.job, entry.host, destination, from}] = entry.at;
        if (entry.at < kSettled_s) return;
        const std::tuple pair{entry.job, entry.host, destination};
        result.most_changes = std::max(result.most_changes, ++changes[pair]);
        const auto before = left.find({entry.job, entry.host, destination, to});
        if (before == left.end() || entry.at - before->second >= kRevisit_s) {
            in_a_row[pair] = 0;
            return;
        }
        result.most_revisits = std::max(result.most_revisits, ++revisits[pair]);
        result.most_in_a_row = std::max(result.most_in_a_row, ++in_a_row[pair]);
    };
    for (const Entry& entry : net.diary()) {
        if (const auto* rerouted = std::get_if<Rerouted>(&entry.action)) {
            ++result.reroutes;
            change(entry, rerouted->destination, rerouted->before, rerouted->relay);
        } else if (const auto* back = std::get_if<Restored>(&entry.action)) {
            change(entry, back->destination, back->relay, kNoHost);
        }
    }
    return result;
}

/// Each job's hosts of leaf 0 send to those of leaf 1: all meet on one link between the leafs.
Result run(const Scenario& scenario, bool managed, std::uint64_t seed) {
    Config config;
    config.jobs = scenario.jobs;
    config.managed = managed;
    config.seed = seed;
    Simulation net(config);
    for (int job = 0; job < scenario.jobs; ++job) {
        for (HostId host = 0; host < config.hosts_per_leaf; ++host) {
            const auto there = static_cast<HostId>(config.hosts_per_leaf + host);
            net.exchange(host, there, scenario.message_B, scenario.pause_s, job);
            net.exchange(there, host, 1e3, scenario.pause_s, job);
        }
    }
    if (scenario.foreign > 0) net.foreign(0, 1, scenario.foreign, 1.0, kEnd_s);
    net.run_until(kEnd_s);
    Result result = count_changes(net);
    for (int job = 0; job < scenario.jobs; ++job) result.delivered_B.push_back(net.delivered_B(job));
    return result;
}

/// The least value that at least this share of all does not exceed.
int quantile(std::vector<int> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()))) - 1];
}

class Jobs : public testing::TestWithParam<Scenario> {};

TEST_P(Jobs, SettleAndEachIsFasterThanUnmanaged) {
    const Scenario& scenario = GetParam();
    const bool thorough = std::getenv("FAIRLEAD_SIM_SECONDS") != nullptr;
    if (!thorough && scenario.name != "two, bulk") GTEST_SKIP() << "in `make verify`";
    std::vector<int> changes;
    std::vector<int> revisits;
    for (std::uint64_t seed = 1; seed <= (thorough ? 20U : 5U); ++seed) {
        const Result plain = run(scenario, false, seed);
        const Result managed = run(scenario, true, seed);
        std::printf("%-20s seed %d: %d changes of a pair at most, %d revisits, %d in a row; managed over plain",
                    scenario.name.c_str(), static_cast<int>(seed), managed.most_changes, managed.most_revisits,
                    managed.most_in_a_row);
        for (std::size_t job = 0; job < plain.delivered_B.size(); ++job) {
            const double ratio = managed.delivered_B[job] / plain.delivered_B[job];
            std::printf(" %.2f", ratio);
            EXPECT_GE(ratio, 1.2) << "job " << job;
        }
        std::printf("\n");
        EXPECT_GT(managed.reroutes, 0) << "nothing was managed";
        EXPECT_LT(managed.most_in_a_row, kOscillates) << "a pair oscillates";
        EXPECT_LE(managed.most_changes, kMostChanges);
        changes.push_back(managed.most_changes);
        revisits.push_back(managed.most_revisits);
    }
    // Below these bounds a single run is a matter of chance: of four jobs beside streams half come back twice with any
    // rules, and the median of twenty runs of four bulk jobs is 3 or 4 with any.
    EXPECT_LE(quantile(changes, 0.35), 3) << "in 25 s";
    EXPECT_LE(quantile(revisits, 0.35), 1) << "there and back again is no oscillation yet; twice is";
    EXPECT_LE(quantile(changes, 0.8), 5);
    EXPECT_LE(quantile(revisits, 0.9), 2);
}

INSTANTIATE_TEST_SUITE_P(
    OnOneBottleneck, Jobs,
    testing::Values(Scenario{"two, bulk", 2, 500e3, 15e-3, 0}, Scenario{"two, heavy", 2, 1e6, 5e-3, 0},
                    Scenario{"two beside streams", 2, 200e3, 15e-3, 8}, Scenario{"four, light", 4, 100e3, 15e-3, 0},
                    Scenario{"four, bulk", 4, 500e3, 30e-3, 0}, Scenario{"four beside streams", 4, 100e3, 15e-3, 8}));

}  // namespace
}  // namespace fairlead::core::sim
