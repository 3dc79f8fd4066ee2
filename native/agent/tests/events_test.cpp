// SPDX-License-Identifier: Apache-2.0
// Events and answers as the supervisor gets them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "control/event_lines.hpp"
#include "generated/answers.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

TEST(Events, ARerouteHasHostsByIndexMomentsByTheWallClockAndFlows) {
    core::Rerouted rerouted;
    rerouted.destination = 3;
    rerouted.relay = 5;
    rerouted.queue_delay_s = 0.00413;
    rerouted.foreign_share = 1.0;
    rerouted.present_latency_s = 0.00617;
    rerouted.detour_latency_s = 0.00228;
    rerouted.suspected_at = 1.0;
    rerouted.confirmed_at = 2.0;
    rerouted.decided_at = 3.0;
    rerouted.flows = {{{4, 3}, core::kNoHost, 1e6}};
    const json expected = {
        {"type", "rerouted"},
        {"source", 0},
        {"destination", 3},
        {"relay", 5},
        {"before", nullptr},
        {"manual", false},
        {"ahead", false},
        {"again", false},
        {"reason",
         "4.13 ms of queueing delay, 100 % of it cross-traffic; messages take 6.17 ms, over the relay 2.28 ms"},
        {"queue_delay_s", 0.00413},
        {"foreign_share", 1.0},
        {"present_latency_s", 0.00617},
        {"detour_latency_s", 0.00228},
        {"suspected_t_s", 101.0},
        {"confirmed_t_s", 102.0},
        {"decided_t_s", 103.0},
        {"flows", {{{"source", 4}, {"destination", 3}, {"relay", nullptr}, {"rate_bps", 1e6}}}}};
    EXPECT_EQ(line_of(event_of(rerouted, 0, 100.0)), expected);
}

/// The relay of an equal-cost path is the destination itself.
TEST(Events, AnEqualCostPathIsNamedInWords) {
    core::Rerouted rerouted;
    rerouted.destination = 3;
    rerouted.relay = core::way_of(1);
    rerouted.before = core::way_of(0);
    rerouted.unseen = true;
    rerouted.queue_delay_s = 0.0193;
    rerouted.present_latency_s = 0.0215;
    rerouted.detour_latency_s = 0.0022;
    const json line = line_of(event_of(rerouted, 0, 100.0));
    EXPECT_EQ(line.at("relay"), 3);
    EXPECT_EQ(line.at("before"), 3);
    EXPECT_EQ(line.at("reason"),
              "19.30 ms of queueing delay, met by the connections and not by probes; messages take 21.50 ms, over "
              "equal-cost path 2 2.20 ms");
    rerouted.manual = true;
    EXPECT_EQ(line_of(event_of(rerouted, 0, 100.0)).at("reason"), "by hand: equal-cost path 2");
    rerouted.relay = 5;
    EXPECT_EQ(line_of(event_of(rerouted, 0, 100.0)).at("reason"), "by hand");
    core::Restored restored;
    restored.destination = 3;
    restored.relay = core::way_of(1);
    EXPECT_EQ(line_of(event_of(restored, 0)).at("relay"), 3);
    core::Kept kept;
    kept.destination = 3;
    kept.best = core::way_of(1);
    EXPECT_EQ(line_of(event_of(kept, 0)).at("best"), 3);
    EXPECT_TRUE(line_of(event_of(kept, 0)).at("relay").is_null());
    kept.reason = core::KeepReason::no_better_way;
    kept.detail = "all 3 were measured";
    EXPECT_EQ(line_of(event_of(kept, 0)).at("reason"), "no_better_way: all 3 were measured");
}

TEST(Events, ReasonsAndLevelsAreTexts) {
    core::Kept kept;
    kept.reason = core::KeepReason::reroute_failed;
    kept.detail = "busy";
    const json line = line_of(event_of(kept, 1));
    EXPECT_EQ(line.at("reason"), "reroute_failed: busy");
    EXPECT_TRUE(line.at("best").is_null());
    EXPECT_TRUE(line.at("flows").is_array());
    core::Restored restored;
    restored.reason = core::RestoreReason::peer_stopped;
    EXPECT_EQ(line_of(event_of(restored, 1)).at("reason"), "peer_stopped");
    const json congestion_level =
        line_of(event_of(core::LevelChanged{{1, 2}, core::CongestionLevel::medium, core::CongestionLevel::high, 0.5}));
    EXPECT_EQ(congestion_level, (json{{"type", "level_changed"},
                                      {"source", 1},
                                      {"destination", 2},
                                      {"from", "medium"},
                                      {"congestion_level", "high"},
                                      {"queue_delay_s", 0.5}}));
}

TEST(Events, WhatIsNotThereIsLeftOutOrNull) {
    json line = line_of(StatsEvent{});
    EXPECT_FALSE(line.contains("relay"));
    StatsEvent stats;
    stats.relay.emplace().ranks.relayed = 7;
    line = line_of(stats);
    EXPECT_EQ(line.at("relay").at("ranks").at("relayed"), 7);
    EXPECT_FALSE(line_of(CommunicationEvent{}).contains("latency_median_s"));
    RejectedEvent rejected;
    EXPECT_EQ(line_of(rejected).at("reasons"), json::object());
}

TEST(Answers, HaveTheirCommandsId) {
    EXPECT_EQ(line_of(DoneAnswer{4}), (json{{"type", "done"}, {"id", 4}}));
    EXPECT_EQ(line_of(StoppedAnswer{}), json::object({{"type", "stopped"}}));
    ProbeAnswer probe{5, {}};
    probe.results.emplace_back();
    const json line = line_of(probe);
    EXPECT_EQ(line.at("id"), 5);
    EXPECT_TRUE(line.at("results")[0].at("clock_error_s").is_null());
    EXPECT_EQ(line.at("results")[0].at("forward_s"), json::array());
}

}  // namespace
}  // namespace fairlead::agent
