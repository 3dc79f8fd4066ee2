// SPDX-License-Identifier: Apache-2.0
#include "control/command.hpp"

#include <gtest/gtest.h>

namespace fairlead::agent {
namespace {

template <typename T>
T parse(const char* line) {
    return std::get<T>(parse_command(line, 0, 4));
}

CommandError refusal(const std::string& line) {
    try {
        parse_command(line, 0, 4);
    } catch (const CommandError& error) {
        return error;
    }
    throw std::logic_error("accepted: " + line);
}

TEST(Command, FieldsAreRead) {
    const auto pingpong = parse<PingpongCommand>(
        R"({"type":"pingpong","id":1,"peer":3,"sizes_B":[64,4194304],"exchanges":30,"warmup":5,"timeout_s":90.5})");
    EXPECT_EQ(pingpong.id, 1);
    EXPECT_EQ(pingpong.peer, 3);
    EXPECT_EQ(pingpong.sizes_B, (std::vector<std::uint64_t>{64, 4194304}));
    EXPECT_EQ(pingpong.exchanges, 30U);
    EXPECT_EQ(pingpong.warmup, 5U);
    EXPECT_EQ(pingpong.timeout_s, 90.5);
    const auto bulk = parse<BulkCommand>(R"({"type":"bulk","id":2,"peer":3,"duration_s":0.2,"streams":4})");
    EXPECT_EQ(bulk.duration_s, 0.2);
    EXPECT_EQ(bulk.streams, 4);
    EXPECT_EQ(bulk.timeout_s, 25.0);
    const auto probe = parse<ProbeCommand>(R"({"type":"probe","id":3,"peers":[1,2],"count":5,"interval_s":0.02})");
    EXPECT_EQ(probe.peers, (std::vector<core::HostId>{1, 2}));
    EXPECT_EQ(probe.count, 5);
    EXPECT_EQ(probe.interval_s, 0.02);
    const auto reroute = parse<RerouteCommand>(R"({"type":"reroute","id":4,"peer":3,"relay":2})");
    EXPECT_EQ(reroute.peer, 3);
    EXPECT_EQ(reroute.relay, 2);
    const auto by_way = parse<RerouteByWayCommand>(R"({"type":"reroute_by_way","id":10,"peer":3,"way":7})");
    EXPECT_EQ(by_way.id, 10);
    EXPECT_EQ(by_way.peer, 3);
    EXPECT_EQ(by_way.way, 7U);
    parse<LeaseCommand>(R"({"type":"lease"})");
    EXPECT_EQ(parse<RestoreCommand>(R"({"type":"restore","id":5,"peer":3})").peer, 3);
    EXPECT_DOUBLE_EQ(parse<PauseCommand>(R"({"type":"pause","id":8,"for_s":2.5})").for_s, 2.5);
    EXPECT_EQ(parse<ProgressCommand>(R"({"type":"progress","id":9})").id, 9);
    const auto shares = parse<SharesCommand>(R"({"type":"shares","id":6,"shares":[[1,2,[[3,2],[1,0]]]]})");
    EXPECT_EQ(shares.id, 6);
    EXPECT_TRUE(shares.shares.hurts({1, 2}, {3, 2}));
    EXPECT_TRUE(shares.shares.hurts({1, 2}, {1, 0}));
    EXPECT_FALSE(shares.shares.hurts({3, 2}, {1, 2}));
    EXPECT_EQ(parse<StepClockCommand>(R"({"type":"step_clock","id":7,"offset_s":-10.5})").offset_s, -10.5);
    EXPECT_NO_THROW(parse<StopCommand>(R"({"type":"stop","id":0})"));
    EXPECT_NO_THROW(parse<StopCommand>(R"({"type":"stop"})"));
}

TEST(Command, MistakesNameTheFieldAndTheCommand) {
    const std::vector<std::pair<const char*, const char*>> cases{
        {R"({"type":"pingpong","id":7,"peer":0,"sizes_B":[1],"exchanges":1,"warmup":0})", "'peer'"},
        {R"({"type":"step_clock","id":7,"offset_s":2e6})", "'offset_s'"},
        {R"({"type":"pingpong","id":7,"peer":4,"sizes_B":[1],"exchanges":1,"warmup":0})", "'peer'"},
        {R"({"type":"pingpong","id":7,"peer":1,"sizes_B":[],"exchanges":1,"warmup":0})", "'sizes_B'"},
        {R"({"type":"pingpong","id":7,"peer":1,"sizes_B":[0],"exchanges":1,"warmup":0})", "'sizes_B'"},
        {R"({"type":"pingpong","id":7,"peer":1,"sizes_B":[67108865],"exchanges":1,"warmup":0})", "'sizes_B'"},
        {R"({"type":"pingpong","id":7,"peer":1,"sizes_B":[1],"exchanges":0,"warmup":0})", "'exchanges'"},
        {R"({"type":"pingpong","id":7,"peer":1,"sizes_B":[1],"exchanges":1})", "'warmup'"},
        {R"({"type":"pingpong","id":7,"peer":1,"sizes_B":[1],"exchanges":1,"warmup":0,"x":1})", "'x'"},
        {R"({"type":"bulk","id":7,"peer":1,"duration_s":0,"streams":1})", "'duration_s'"},
        {R"({"type":"bulk","id":7,"peer":1,"duration_s":1e999,"streams":1})", "JSON"},
        {R"({"type":"bulk","id":7,"peer":1,"duration_s":1,"streams":65})", "'streams'"},
        {R"({"type":"probe","id":7,"peers":[0],"count":1,"interval_s":0})", "'peers'"},
        {R"({"type":"probe","id":7,"peers":[1],"count":0,"interval_s":0})", "'count'"},
        {R"({"type":"reroute","id":7,"peer":1,"relay":1})", "'relay'"},
        {R"({"type":"reroute","id":7,"peer":1,"relay":0})", "'relay'"},
        {R"({"type":"reroute_by_way","id":7,"peer":1,"way":0})", "'way'"},
        {R"({"type":"reroute_by_way","id":7,"peer":1,"way":8})", "'way'"},
        {R"({"type":"pause","id":7})", "'for_s'"},
        {R"({"type":"pause","id":7,"for_s":-1})", "'for_s'"},
        {R"({"type":"shares","id":7})", "'shares'"},
        {R"({"type":"shares","id":7,"shares":{}})", "'groups' is missing"},
        {R"({"type":"shares","id":7,"shares":1})", "'shares' must be a list"},
        {R"({"type":"shares","id":7,"shares":[[1,2]]})", "an entry"},
        {R"({"type":"shares","id":7,"shares":[[1,1,[]]]})", "itself"},
        {R"({"type":"shares","id":7,"shares":[[1,2,[[0,4]]]]})", "index"},
        {R"({"type":"fly","id":7})", "'fly'"},
        {R"({"id":7})", "'type'"},
    };
    for (const auto& [line, expected] : cases) {
        const CommandError error = refusal(line);
        EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << line << ": " << error.what();
        if (std::string(expected) != "JSON") {
            EXPECT_EQ(error.id, 7) << line;
        }
    }
}

TEST(Command, GarbageHasNoId) {
    for (const char* line : {"", "x", "[]", "7", R"({"type":"stop")", R"({"id":"a","type":"fly"})"}) {
        EXPECT_EQ(refusal(line).id, std::nullopt) << line;
    }
}

}  // namespace
}  // namespace fairlead::agent
