// SPDX-License-Identifier: Apache-2.0
#include "scenario_json.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace fairlead::sim {
namespace {

using nlohmann::json;

/// A scenario file of its own, and a trace beside it.
class ScenarioFile : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) /
                  ("scenario-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "t.trace") << "fairlead-trace 1\nranks 2\n0 send 1 1000 0 0\n1 recv 0 1000 0 0\n";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path file(const std::string& text) {
        std::ofstream(folder_ / "s.json") << text;
        return folder_ / "s.json";
    }

    std::filesystem::path folder_;
};

const char* const kSmall = R"({
  "seed": 5,
  "topology": {"kind": "graph", "hosts": ["a", "b", "c"], "switches": ["s", "t"], "links": [
    {"from": "a", "to": "s", "rate_bps": 8e6, "queue_s": 1, "delay_s": 0.001},
    {"from": "b", "to": "s", "rate_bps": 8e6, "queue_s": 1, "delay_s": 0.001},
    {"from": "a", "to": "t", "rate_bps": 8e7, "queue_s": 1, "delay_s": 0.001},
    {"from": "t", "to": "b", "rate_bps": 8e7, "queue_s": 1, "delay_s": 0.001, "both": false},
    {"from": "b", "to": "t", "rate_bps": 8e6, "queue_s": 1, "both": false},
    {"from": "c", "to": "t", "rate_bps": 8e7, "queue_s": 1}], "paths": [["a", "t", "b"]]},
  "agents": {"managed": false, "settings": {"congestion_level.medium_factor": 2.0}},
  "programs": [{"trace": "t.trace", "hosts": ["a", "b"], "collectives": {"bcast": "linear"}}]
})";

TEST_F(ScenarioFile, SaysWhatIsSimulated) {
    const Scenario scenario = read_scenario(file(kSmall));
    EXPECT_EQ(scenario.simulation.seed, 5U);
    EXPECT_FALSE(scenario.managed);
    EXPECT_EQ(scenario.simulation.agents.settings.congestion_level.medium_factor, 2.0);
    EXPECT_EQ(scenario.programs[0].replay.algorithms.at(CollectiveKind::bcast), "linear");
    const json outcome = outcome_json(scenario, run(scenario));
    // Over t, whose links are ten times as fast: 1130 B with headers twice, twice 1 ms, and two kernels.
    EXPECT_DOUBLE_EQ(outcome["programs"][0]["makespan_s"].get<double>(), 0.002286);
    const json carried = {{"from", "a"}, {"to", "t"}, {"carried_B", 1130}, {"dropped", 0}, {"lost", 0}};
    EXPECT_EQ(outcome["links"][0], carried);
    EXPECT_EQ(outcome["route_changes"], json::array());
}

TEST_F(ScenarioFile, EveryMistakeIsNamed) {
    const json good = json::parse(kSmall);
    const auto with = [&good](const char* at, const json& value) {
        json changed = good;
        changed[json::json_pointer(at)] = value;
        return changed.dump();
    };
    const json stream = {{"kind", "streams"}, {"from", "a"}, {"to", "b"}, {"streams", 1}, {"periods_s", {{0, 1}}}};
    json backwards = stream;
    backwards["periods_s"] = {{2, 1}};
    json to_switch = stream;
    to_switch["to"] = "s";
    json sizeless = stream;
    sizeless["kind"] = "messages";
    const std::pair<std::string, std::string> cases[] = {
        {"{", "parse error"},
        {"[]", "the scenario must be an object"},
        {R"({"seed": 1, "topology": {"seed": 1, "kind": "star", "kind": "mesh"}})", "the field 'kind' is there twice"},
        {R"({"seed": 1, "programs": [{"hosts": 1}, {"hosts": 1}], "seed": 2})", "the field 'seed' is there twice"},
        {R"({"seed": 1, "seed": 2, )", "the field 'seed' is there twice"},
        {R"({"seed": 1, "limit_s": 1e999})", "number overflow"},
        {with("/nonsense", 1), "the scenario has the unknown field 'nonsense'"},
        {with("/seed", -1), "'seed' must be a whole number"},
        {with("/topology/kind", "tree"), "'kind' must be star, mesh, leaf-spine, fat-tree or graph, not 'tree'"},
        {with("/topology/links/0/to", "z"), "a link's 'to': there is no node \"z\""},
        {with("/topology/links/0/rate_bps", 0), "a link: 'rate_bps' must be a number from 1"},
        {with("/topology/links/0/queue_s", 1e-3), "a link: 'queue_s' must be long enough at this rate for a packet"},
        {with("/topology/links/0/loss", 1), "its loss must be at least 0 and less than 1"},
        {with("/topology/paths/0", {"a", "b"}), "there is no link a -> b"},
        {with("/load_balancing", "magic"), "'load_balancing' must be none, ecmp, rehash, flowlets or packets"},
        {with("/flowlet_gap_s", 0), "'flowlet_gap_s' must be a number from"},
        {with("/agents/settings", {{"congestion_level.none", 1}}), "congestion_level.none"},
        {with("/programs/0/trace", "none.trace"), "none.trace cannot be read"},
        {with("/programs/0/hosts", {"a"}), "a program: 'hosts' must be a host for each of 2 ranks"},
        {with("/programs/0/hosts", {"a", "s"}), "a program's 'hosts': \"s\" is a switch"},
        {with("/programs/0/collectives", {{"bcast", "magic"}}), "bcast has no algorithm 'magic'"},
        {with("/programs/0/pattern", {{"name", "ring"}}), "a program needs either a 'trace' or a 'pattern'"},
        {with("/congestion", json::array({backwards})), "a period's stop must be a number from 2"},
        {with("/congestion", json::array({to_switch})), "a congestion's 'to': \"s\" is a switch"},
        {with("/congestion", json::array({sizeless})), "'message_B'"},
        {with("/routes", {{{"at_s", 0}, {"source", "a"}, {"destination", "b"}, {"relay", "a"}}}),
         "the hosts of a route must differ"},
    };
    for (const auto& [text, message] : cases) {
        const std::string name = file(text).string();
        try {
            read_scenario(name);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const ScenarioError& error) {
            EXPECT_EQ(std::string(error.what()).rfind(name + ": ", 0), 0U) << error.what();
            EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
        }
    }
}

/// With the square of its length it would be minutes.
TEST_F(ScenarioFile, ALongListTakesTimeWithItsLength) {
    std::string text(kSmall);
    text.replace(text.rfind('}'), 1, R"(, "congestion": [{})");
    for (int i = 0; i < 300'000; ++i) text += ",{}";
    const std::filesystem::path long_file = file(text + "]}");
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(read_scenario(long_file), ScenarioError) << "a congestion needs its fields";
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(ScenarioFile, ProgramsWithTheSamePatternDoNotComputeInStep) {
    json text = json::parse(kSmall);
    const json program = json::parse(R"({"pattern":
        {"name": "ring", "ranks": 2, "message_B": 8, "iterations": 1, "compute_s": 1, "spread": 0.5}})");
    text["programs"] = json::array({program, program});
    const Scenario scenario = read_scenario(file(text.dump()));
    EXPECT_NE(scenario.programs[0].trace.events[0][0].operation, scenario.programs[1].trace.events[0][0].operation);
    text["programs"] = json::array({program});
    const Scenario alone = read_scenario(file(text.dump()));
    EXPECT_EQ(alone.programs[0].trace.events[0][0].operation, scenario.programs[0].trace.events[0][0].operation);
}

TEST_F(ScenarioFile, APatternTooLongForATraceIsRefused) {
    json text = json::parse(kSmall);
    text["programs"] = json::array({json::parse(R"({"pattern":
        {"name": "ring", "ranks": 2, "message_B": 8, "iterations": 1, "compute_s": 1e6, "spread": 0.5}})")});
    EXPECT_THROW(read_scenario(file(text.dump())), ScenarioError);
}

TEST_F(ScenarioFile, AMistakeInATraceHasItsLine) {
    std::ofstream(folder_ / "t.trace") << "fairlead-trace 1\nranks 2\n0 send 5 1 0 0\n";
    EXPECT_THROW(read_scenario(file(kSmall)), TraceError);
}

/// The example of docs/guides/simulate.md: what it says there holds.
TEST(Example, ManagementEscapesTheCongestion) {
    Scenario scenario = read_scenario(std::filesystem::path(FAIRLEAD_EXAMPLES) / "simulation" / "mesh8.json");
    const Outcome managed = run(scenario);
    EXPECT_EQ(outcome_json(scenario, run(scenario)), outcome_json(scenario, managed)) << "no other outcome by chance";
    // Of the pairs of two leafs, each way, only as many as necessary.
    ASSERT_GE(managed.changes.size(), 2U);
    ASSERT_LE(managed.changes.size(), 4U);
    EXPECT_LT(managed.changes.front().at_s, 0.8);
    for (const RouteChange& change : managed.changes) {
        EXPECT_GT(change.at_s, 0.5) << "when the congestion begins";
        EXPECT_GE(change.relay, 4) << "on the other two leafs";
    }
    const json diary = diary_json(scenario, managed);
    std::size_t rerouted = 0;
    for (const json& line : diary) {
        if (line["report"] != "rerouted") continue;
        ++rerouted;
        EXPECT_EQ(line["before"], nullptr) << "from the direct path";
        EXPECT_GT(line["foreign_share"], 0.3);
        EXPECT_LT(line["detour_latency_s"], line["present_latency_s"]);
    }
    EXPECT_EQ(rerouted, managed.changes.size());
    const double managed_s = managed.programs[0].makespan_s;
    scenario.managed = false;
    const double plain_s = run(scenario).programs[0].makespan_s;
    scenario.congestion.clear();
    const double clean_s = run(scenario).programs[0].makespan_s;
    EXPECT_GT(plain_s, 2.5 * clean_s);
    EXPECT_LT(managed_s, 1.15 * clean_s);
}

/// All trunks are disturbed a little for a moment, so that the search has no relay to try. Agents have.
TEST(Example, TheOracleIsNeverWorseThanManagement) {
    Scenario scenario = read_scenario(std::filesystem::path(FAIRLEAD_EXAMPLES) / "simulation" / "mesh8.json");
    for (const Topology::Edge& edge : scenario.topology.links()) {
        if (edge.from < scenario.topology.ends() || edge.to < scenario.topology.ends()) continue;
        Disturbance moment;
        moment.kind = Disturbance::Kind::delay;
        moment.from = edge.from;
        moment.to = edge.to;
        moment.added_s = 1e-6;
        moment.periods = {{0.6, 0.601}};
        scenario.congestion.push_back(moment);
    }
    const Comparison found = compare(scenario, 10);
    EXPECT_EQ(found.fixed.routes.size(), 0U) << "there is nothing to choose";
    ASSERT_LT(found.managed_s, 0.8 * found.plain_s) << "agents find a way";
    EXPECT_EQ(found.oracle.makespan_s, found.managed_s);
    EXPECT_FALSE(found.oracle.routes.empty());
    EXPECT_EQ(found.regret_s(), 0.0);
    EXPECT_EQ(found.share(), 1.0);
}

}  // namespace
}  // namespace fairlead::sim
