// SPDX-License-Identifier: Apache-2.0
#include "benchmark/requests/request.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace fairlead::benchmark {
namespace {

std::string refusal(const std::string& line, int ranks = 4) {
    try {
        parse_request(line, ranks);
    } catch (const std::invalid_argument& mistake) {
        return mistake.what();
    }
    return "";
}

TEST(Request, HasWhatTheLineSays) {
    const Request request = parse_request(
        R"({"pairs":[[0,2],[3,1]],"size_B":64,"least":2,"most":9,"limit_s":0.5,"warmup":3,"window":8,"both":true,"one_way":true})",
        4);
    ASSERT_EQ(request.pairs.size(), 2U);
    EXPECT_EQ(request.pairs[1].first, 3);
    EXPECT_EQ(request.pairs[1].second, 1);
    EXPECT_EQ(request.size_B, 64);
    EXPECT_EQ(request.stop.least, 2);
    EXPECT_EQ(request.stop.most, 9);
    EXPECT_EQ(request.stop.limit_s, 0.5);
    EXPECT_EQ(request.warmup, 3);
    EXPECT_EQ(request.window, 8);
    EXPECT_TRUE(request.both);
    EXPECT_TRUE(request.one_way);
    EXPECT_TRUE(request.pauses_s.empty());
}

TEST(Request, HasThePausesOfBursts) {
    const Request request = parse_request(
        R"({"pairs":[[0,1]],"size_B":1,"pauses_s":[1,1e-9,0],"train":100,"asleep":true,"both_pause":true})", 2);
    EXPECT_EQ(request.pauses_s, (std::vector<double>{1.0, 1e-9, 0.0}));
    EXPECT_EQ(request.train, 100);
    EXPECT_TRUE(request.asleep);
    EXPECT_TRUE(request.both_pause);
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,1]],"pauses_s":[-1]})"), "pauses_s: must be a time in seconds");
}

TEST(Request, MayBeOfACollectiveOperation) {
    const Request request = parse_request(R"({"collective":"reduce-scatter","ranks":3,"size_B":8})", 4);
    EXPECT_EQ(request.collective, Collective::kReduceScatter);
    EXPECT_EQ(request.taking_part(), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(request.reporting(), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(parse_request(R"({"collective":"bcast","size_B":8})", 4).ranks, 4);
    EXPECT_FALSE(request.agreed);
    EXPECT_TRUE(parse_request(R"({"collective":"bcast","size_B":8,"agreed":true})", 4).agreed);
    EXPECT_EQ(refusal(R"({"collective":"gossip","size_B":8})"), "collective: is unknown");
    EXPECT_EQ(refusal(R"({"collective":"bcast","ranks":5,"size_B":8})"), "ranks: must be a whole number from 2 to 4");
}

TEST(Request, MayBeOfVictimsBesideCongestors) {
    const Request request =
        parse_request(R"({"victims":[3,0],"victim":"bandwidth","congestor_size_B":9,"exchanges_before":5,"size_B":8,)"
                      R"("congestors":[{"kind":"incast","ranks":[2,1]},{"kind":"bcast","ranks":[5,4]}]})",
                      6);
    EXPECT_EQ(request.kind, Kind::kImpact);
    EXPECT_EQ(request.victim, VictimTest::kBandwidth);
    ASSERT_EQ(request.congestors.size(), 2U);
    EXPECT_EQ(request.congestors[0].kind, Congestion::kIncast);
    EXPECT_EQ(request.congestors[1].kind, Congestion::kBcast);
    EXPECT_EQ(request.congestors[1].ranks, (std::vector<int>{5, 4}));
    EXPECT_EQ(request.congestor_size_B, 9);
    EXPECT_EQ(request.exchanges_before, 5);
    EXPECT_EQ(request.taking_part(), (std::vector<int>{3, 0, 2, 1, 5, 4}));
    EXPECT_EQ(request.reporting(), (std::vector<int>{3, 0}));
    EXPECT_TRUE(parse_request(R"({"victims":[3,0],"victim":"latency","size_B":8})", 4).congestors.empty());
    EXPECT_EQ(refusal(R"({"victims":[3],"victim":"latency","size_B":8})"), "victims: there must be at least two");
    const std::string beside = R"({"victims":[3,0],"victim":"latency","size_B":8,"congestors":)";
    EXPECT_EQ(refusal(beside + R"([{"kind":"bcast","ranks":[1]}]})"), "congestors: each needs at least two ranks");
    EXPECT_EQ(refusal(beside + R"([{"kind":"bcast","ranks":[0,1]}]})"),
              "ranks: each rank must be below 4, and occur once");
    EXPECT_EQ(refusal(beside + R"([{"kind":"gossip","ranks":[1,2]}]})"), "kind: is unknown");
    EXPECT_EQ(refusal(beside + "[1,2]}"), "congestors: each entry must be an object");
    EXPECT_EQ(refusal(R"({"victims":[3,0],"victim":"pain","size_B":8})"), "victim: is unknown");
}

TEST(Request, OfPairsHasSamplesOfTheFirstRanks) {
    const Request request = parse_request(R"({"pairs":[[0,2],[3,1]],"size_B":64})", 4);
    EXPECT_EQ(request.taking_part(), (std::vector<int>{0, 2, 3, 1}));
    EXPECT_EQ(request.reporting(), (std::vector<int>{0, 3}));
}

TEST(Request, HasDefaultsForWhatTheLineLeavesAway) {
    const Request request = parse_request(R"({"pairs":[[0,1]],"size_B":0})", 2);
    EXPECT_EQ(request.stop.most, 100);
    EXPECT_EQ(request.stop.least, 1);
    EXPECT_TRUE(std::isinf(request.stop.limit_s));
    EXPECT_EQ(request.warmup, 0);
    EXPECT_EQ(request.window, 1);
    EXPECT_FALSE(request.both);
}

TEST(Request, IsRefusedByTheNameOfTheKey) {
    EXPECT_EQ(refusal("no json"), "request: is not a JSON object");
    EXPECT_EQ(refusal(R"({"pairs":[[0,1]]})"), "size_B: is missing");
    EXPECT_EQ(refusal(R"({"size_B":1})"), "pairs: must be a list of pairs of ranks");
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,1,2]]})"), "pairs: each entry must be a pair");
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,4]]})"), "pairs: each rank must be below 4, and occur once");
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,1],[2,1]]})"), "pairs: each rank must be below 4, and occur once");
    EXPECT_EQ(refusal(R"({"size_B":-1,"pairs":[[0,1]]})"), "size_B: must be a whole number from 0 to 1073741824");
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,1]],"most":2,"least":3})"),
              "least: must be a whole number from 1 to 2");
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,1]],"limit_s":-1})"), "limit_s: must be a time in seconds");
    EXPECT_EQ(refusal(R"({"size_B":1,"pairs":[[0,1]],"both":1})"), "both: must be true or false");
}

}  // namespace
}  // namespace fairlead::benchmark
