// SPDX-License-Identifier: Apache-2.0
// Events and answers as the supervisor gets them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "control/event_lines.hpp"
#include "generated/answers.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

TEST(Events, AMoveHasHostsByIndexMomentsByTheWallClockAndFlows) {
    core::Moved moved;
    moved.destination = 3;
    moved.relay = 5;
    moved.queue_delay_s = 0.00413;
    moved.foreign_share = 1.0;
    moved.present_latency_s = 0.00617;
    moved.detour_latency_s = 0.00228;
    moved.suspected_at = 1.0;
    moved.confirmed_at = 2.0;
    moved.decided_at = 3.0;
    moved.flows = {{{4, 3}, core::kNoHost, 1e6}};
    const json expected = {
        {"type", "moved"},
        {"source", 0},
        {"destination", 3},
        {"relay", 5},
        {"before", nullptr},
        {"manual", false},
        {"ahead", false},
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
    EXPECT_EQ(line_of(event_of(moved, 0, 100.0)), expected);
}

TEST(Events, ReasonsAndZonesAreTexts) {
    core::Stayed stayed;
    stayed.reason = core::StayReason::move_failed;
    stayed.detail = "busy";
    const json line = line_of(event_of(stayed, 1));
    EXPECT_EQ(line.at("reason"), "move_failed: busy");
    EXPECT_TRUE(line.at("best").is_null());
    EXPECT_TRUE(line.at("flows").is_array());
    core::Returned returned;
    returned.reason = core::ReturnReason::peer_stopped;
    EXPECT_EQ(line_of(event_of(returned, 1)).at("reason"), "peer_stopped");
    const json zone = line_of(event_of(core::ZoneChanged{{1, 2}, core::Zone::medium, core::Zone::high, 0.5}));
    EXPECT_EQ(zone, (json{{"type", "zone"},
                          {"source", 1},
                          {"destination", 2},
                          {"from", "medium"},
                          {"zone", "high"},
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
