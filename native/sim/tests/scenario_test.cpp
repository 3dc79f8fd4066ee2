// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/scenario.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "fairlead/sim/oracle.hpp"
#include "fairlead/sim/patterns.hpp"

namespace fairlead::sim {
namespace {

constexpr double kTrunk_bps = 80e6;
constexpr double kHop_s = 1e-3;
constexpr double kBig_B = 1000 + 64;  // messages of 1000 B and of 0 B, with their envelopes
constexpr double kSmall_B = 64;

/// Over so many links of that rate and delay.
double over_links_s(int links, double size_B) {
    return links * (8 * wire_B(size_B) / kTrunk_bps + kHop_s) + 2 * kStack_s;
}
const double kDirect_s = over_links_s(3, kBig_B);
const double kDetour_s = over_links_s(6, kBig_B) + kStack_s;
const double kBack_s = over_links_s(3, kSmall_B);

/// Three leafs with a host and a neighbour each. Host 0 sends 1000 B to host 1, which answers; so often.
Scenario exchanges(int rounds) {
    std::string text = "fairlead-trace 1\nranks 2\n";
    for (int i = 0; i < rounds; ++i) text += "0 send 1 1000 0 0\n0 recv 1 0 0 0\n1 recv 0 1000 0 0\n1 send 0 0 0 0\n";
    std::istringstream in(text);
    const LinkKind link{kTrunk_bps, kHop_s, 1e6};
    Scenario scenario{mesh({3, 1, 1, link, link, link}), {}, false, 1.0, 100.0, {}, {}, {}};
    scenario.programs.push_back({read_trace(in, "t"), {0, 1}, {}});
    return scenario;
}

/// The trunk from leaf 0 to leaf 1 is slower for that long.
Disturbance slow_trunk(const Topology& topology, double added_s, double stop_s) {
    Disturbance delay;
    delay.kind = Disturbance::Kind::delay;
    delay.from = *topology.find("leaf0");
    delay.to = *topology.find("leaf1");
    delay.added_s = added_s;
    delay.periods = {{-1.0, stop_s}};
    return delay;
}

double makespan_s(const Scenario& scenario) {
    return run(scenario).programs.front().makespan_s;
}

/// A torus of 4 x 4 ranks, whose columns fill the narrow trunks by themselves both ways: acknowledgements wait behind
/// the data of the other direction, and come in bunches.
TEST(Scenario, AProgramThatFillsItsPathsStaysOnThem) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Leafs kind;
        kind.leafs = 4;
        kind.hosts_per_leaf = 4;
        kind.host = kind.neighbour = {106e6, 20e-6, 133e3};
        kind.trunk = {21.3e6, 30e-6, 94e3};
        Scenario scenario{mesh(kind), {}, true, 2.0, 100.0, {}, {}, {}};
        scenario.simulation.seed = scenario.simulation.agents.seed = seed;
        const Pattern torus{16, 4945, 400, 2.1e-3, 0.05, seed};
        scenario.programs.push_back({*make("halo", torus), {}, {}});
        for (EndId host = 0; host < 16; ++host) scenario.programs[0].hosts.push_back(host);
        const Outcome managed = run(scenario);
        EXPECT_TRUE(managed.changes.empty()) << managed.changes.size() << " reroutes, seed " << seed;
        EXPECT_GE(managed.kept.at("own_load"), 1) << "the queue was seen";
    }
}

TEST(Scenario, AProgramTakesTheTimeOfItsMessages) {
    const Outcome outcome = run(exchanges(20));
    EXPECT_NEAR(outcome.programs[0].makespan_s, 20 * (kDirect_s + kBack_s), 1e-9);
    EXPECT_NEAR(outcome.programs[0].waiting_s[0], 20 * (kDirect_s + kBack_s), 1e-9) << "rank 0 only waits";
    EXPECT_EQ(outcome.used, (std::vector<core::Pair>{{0, 1}, {1, 0}}));
    EXPECT_EQ(outcome.probes, 0U) << "no agents";
}

TEST(Scenario, ADelayCountsForEachMessageWhileItLasts) {
    Scenario scenario = exchanges(20);
    const double slow_s = kDirect_s + 5e-3 + kBack_s;
    // The tenth exchange begins before the delay ends, and its message is on the trunk after 1 ms.
    scenario.congestion.push_back(slow_trunk(scenario.topology, 5e-3, 9 * slow_s + 2e-3));
    EXPECT_NEAR(makespan_s(scenario), 10 * slow_s + 10 * (kDirect_s + kBack_s), 1e-9);
}

/// Two neighbours exchange messages of the same size on the same links, with a question and an answer before each: they
/// are under way as often, and the links carry both ways alike.
TEST(Scenario, MessagesOfAnMpiProgramGoBothWaysOneAfterTheOther) {
    Scenario scenario = exchanges(1);
    Disturbance messages;
    messages.kind = Disturbance::Kind::messages;
    messages.from = *scenario.topology.find("n0");
    messages.to = *scenario.topology.find("n1");
    messages.message_B = 100'000;
    messages.periods = {{-0.9, -0.5}, {-0.5, -0.1}};
    scenario.congestion.push_back(messages);
    const Outcome outcome = run(scenario);
    const auto carried_B = [&](const char* from, const char* to) {
        return outcome.links[*scenario.topology.link(*scenario.topology.find(from), *scenario.topology.find(to))]
            .carried_B;
    };
    EXPECT_NEAR(carried_B("n0", "leaf0"), carried_B("n1", "leaf1"), 0.01 * carried_B("n0", "leaf0"));
    // Alone on the links: each takes 10 ms at their rate, 3 ms of links for itself, and 6 ms for question and answer.
    const double most = 0.8 / (8 * 100'000 / kTrunk_bps + 9e-3);
    EXPECT_LT(carried_B("n0", "leaf0"), (most + 2) * wire_B(100'000 + 3 * 64));
    EXPECT_GT(carried_B("n0", "leaf0"), 0.5 * most * wire_B(100'000));
    EXPECT_EQ(carried_B("h0", "leaf0"), wire_B(kBig_B)) << "the program's own is done without them";
    const Path links = affected(scenario.topology, messages);
    EXPECT_EQ(links.size(), 6U) << "three each way";
}

TEST(Scenario, RoutesByHandLeadOverTheirRelay) {
    Scenario scenario = exchanges(20);
    scenario.routes.push_back({0.0, 0, 0, 1, 2, {}});
    const Outcome outcome = run(scenario);
    EXPECT_NEAR(outcome.programs[0].makespan_s, 20 * (kDetour_s + kBack_s), 1e-9);
    const auto carried_B = [&](const char* from, const char* to) {
        return outcome.links[*scenario.topology.link(*scenario.topology.find(from), *scenario.topology.find(to))]
            .carried_B;
    };
    EXPECT_EQ(carried_B("leaf0", "leaf1"), 0.0);
    EXPECT_EQ(carried_B("leaf0", "leaf2"), 20 * wire_B(kBig_B));
    EXPECT_EQ(carried_B("leaf2", "h2"), 20 * wire_B(kBig_B));
    EXPECT_EQ(carried_B("leaf1", "leaf0"), 20 * wire_B(kSmall_B)) << "the way back is direct";
}

TEST(Scenario, TwoProgramsShareTheNetworkAndHaveRoutesOfTheirOwn) {
    Scenario scenario = exchanges(20);
    scenario.programs.push_back(scenario.programs.front());
    scenario.routes.push_back({0.0, 1, 0, 1, 2, {}});
    const Outcome outcome = run(scenario);
    EXPECT_LT(outcome.programs[0].makespan_s, 20 * (kDirect_s + kBack_s) + 21 * 8 * wire_B(kBig_B) / kTrunk_bps);
    EXPECT_GT(outcome.programs[1].makespan_s, 20 * (kDetour_s + kBack_s) - 1e-9);
}

/// Nobody needs to know which of 68 billion pairs of pairs share a link.
TEST(Scenario, LargeNetworksTakeNoTimeWithoutAgents) {
    Scenario scenario = exchanges(2);
    const LinkKind link{kTrunk_bps, kHop_s, 1e6};
    scenario.topology = leaf_spine({32, 16, 0, link, link, link}, 16);
    scenario.programs[0].hosts = {0, 511};
    EXPECT_NEAR(makespan_s(scenario), 2 * (over_links_s(4, kBig_B) + over_links_s(4, kSmall_B)), 1e-9);
}

TEST(Scenario, EndsAtItsLimit) {
    Scenario scenario = exchanges(20);
    scenario.limit_s = 0.05;
    EXPECT_THROW(run(scenario), LimitError);
}

TEST(Oracle, ReroutesWhatIsSlowAndOnlyThen) {
    Scenario scenario = exchanges(40);
    // Ten exchanges fit over the detour while the trunk is slow.
    scenario.congestion.push_back(slow_trunk(scenario.topology, 0.5, 9.5 * (kDetour_s + kBack_s)));
    const Comparison found = compare(scenario, 10);
    EXPECT_NEAR(found.clean_s, 40 * (kDirect_s + kBack_s), 1e-9);
    EXPECT_NEAR(found.plain_s, 40 * (kDirect_s + kBack_s) + 0.5, 1e-9) << "one message, then it is over";
    EXPECT_NEAR(found.fixed.makespan_s, 40 * (kDetour_s + kBack_s), 1e-9);
    EXPECT_NEAR(found.oracle.makespan_s, 10 * (kDetour_s + kBack_s) + 30 * (kDirect_s + kBack_s), 1e-9);
    EXPECT_TRUE(found.oracle.exhaustive) << "one pair with one relay";
    EXPECT_EQ(found.oracle.tried, 1);
    ASSERT_EQ(found.oracle.routes.size(), 2U);
    EXPECT_EQ(found.oracle.routes[0].relay, 2);
    EXPECT_EQ(found.oracle.routes[1].relay, core::kNoHost);
    EXPECT_NEAR(found.regret_s(), found.managed_s - found.oracle.makespan_s, 1e-12);
    EXPECT_NEAR(*found.share(), (found.plain_s - found.managed_s) / (found.plain_s - found.oracle.makespan_s), 1e-12);
}

/// Forty exchanges; the direct path is slow during the first ten of them, the detour's first leg from then on.
Scenario slow_by_turns() {
    Scenario scenario = exchanges(40);
    const double stop_s = 9.5 * (kDetour_s + kBack_s);
    scenario.congestion.push_back(slow_trunk(scenario.topology, 0.5, stop_s));
    Disturbance later = slow_trunk(scenario.topology, 0.5, 0.0);
    later.to = *scenario.topology.find("leaf2");
    later.periods = {{stop_s + 0.1, 100.0}};
    scenario.congestion.push_back(later);
    return scenario;
}

/// What comes to the detour's links when the direct path is free again is no reason to do without it.
TEST(Oracle, UsesRelaysThatAreFreeMeanwhile) {
    Scenario scenario = slow_by_turns();
    const Comparison found = compare(scenario, 10);
    EXPECT_EQ(found.oracle.tried, 1);
    EXPECT_NEAR(found.oracle.makespan_s, 10 * (kDetour_s + kBack_s) + 30 * (kDirect_s + kBack_s), 1e-9);
    // Both are slow at the same time, but only when the program has ended on the direct path, after 20 s.
    scenario.congestion[0].periods = {{-1.0, 200.0}};
    scenario.congestion[1].periods = {{100.0, 200.0}};
    const Comparison ended = compare(scenario, 10);
    EXPECT_EQ(ended.oracle.tried, 1);
    EXPECT_NEAR(ended.oracle.makespan_s, 40 * (kDetour_s + kBack_s), 1e-9);
}

TEST(Oracle, HasNothingToDoAboutWhatBeginsAfterTheEnd) {
    Scenario scenario = exchanges(10);
    scenario.congestion.push_back(slow_trunk(scenario.topology, 0.5, 0.0));
    scenario.congestion[0].periods = {{50.0, 60.0}};
    const Comparison found = compare(scenario, 10);
    EXPECT_EQ(found.oracle.tried, 0);
    EXPECT_DOUBLE_EQ(found.plain_s, found.clean_s);
}

/// The fixed choice meets the later delay again and again, and does not end in time.
TEST(Oracle, AChoiceThatDoesNotEndIsNotTheBest) {
    Scenario scenario = slow_by_turns();
    scenario.limit_s = 5.0;
    const Comparison found = compare(scenario, 10);
    EXPECT_DOUBLE_EQ(found.fixed.makespan_s, found.plain_s);
    EXPECT_LT(found.oracle.makespan_s, found.plain_s);
}

TEST(Oracle, StaysWhereADetourCostsMore) {
    Scenario scenario = exchanges(10);
    scenario.congestion.push_back(slow_trunk(scenario.topology, 1e-4, 10.0));  // a detour takes 3 ms more
    const Comparison found = compare(scenario, 10);
    EXPECT_DOUBLE_EQ(found.oracle.makespan_s, found.plain_s);
    EXPECT_TRUE(found.oracle.routes.empty());
    EXPECT_FALSE(found.share()) << "there is nothing to gain";
}

/// A star has no way around: nothing to choose.
TEST(Oracle, HasNoChoiceOnAStar) {
    Scenario scenario = exchanges(5);
    const LinkKind link{kTrunk_bps, kHop_s, 1e6};
    scenario.topology = star({1, 3, 1, link, link, link});
    Disturbance streams;
    streams.from = 2;
    streams.to = 1;
    streams.periods = {{0.0, 1.0}};
    scenario.congestion.push_back(streams);
    const Comparison found = compare(scenario, 10);
    EXPECT_GT(found.plain_s, found.clean_s);
    EXPECT_EQ(found.oracle.tried, 0);
    EXPECT_EQ(found.oracle.makespan_s, found.plain_s);
}

TEST(Oracle, SearchesPairAfterPairWhereThereAreTooManyChoices) {
    // Four leafs: two relays for each of the two directions, 9 choices.
    const LinkKind link{kTrunk_bps, kHop_s, 1e6};
    Scenario scenario = exchanges(10);
    scenario.topology = mesh({4, 1, 1, link, link, link});
    for (const auto& [from, to] : {std::pair{"leaf0", "leaf1"}, {"leaf1", "leaf0"}}) {
        Disturbance delay = slow_trunk(scenario.topology, 0.1, 10.0);
        delay.from = *scenario.topology.find(from);
        delay.to = *scenario.topology.find(to);
        scenario.congestion.push_back(delay);
    }
    const Comparison all = compare(scenario, 9);
    EXPECT_TRUE(all.oracle.exhaustive);
    EXPECT_EQ(all.oracle.tried, 8);
    EXPECT_NEAR(all.oracle.makespan_s, 10 * (kDetour_s + (over_links_s(6, kSmall_B) + kStack_s)), 1e-9);
    const Comparison some = compare(scenario, 8);
    EXPECT_FALSE(some.oracle.exhaustive);
    EXPECT_LE(some.oracle.tried, 8);
    EXPECT_NEAR(some.oracle.makespan_s, all.oracle.makespan_s, 1e-9);
}

}  // namespace
}  // namespace fairlead::sim
