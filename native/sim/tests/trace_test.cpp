// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "fairlead/sim/patterns.hpp"

namespace fairlead::sim {
namespace {

Trace read(const std::string& text) {
    std::istringstream in(text);
    return read_trace(in, "t");
}

std::string written(const Trace& trace) {
    std::ostringstream out;
    write_trace(trace, out);
    return out.str();
}

const std::string kHead = "fairlead-trace 1\nranks 3\n";

const std::string kEverything = kHead +
                                "communicator 7 2 0\n"
                                "0 compute 0.00125\n"
                                "0 isend 2 65536 5 7 1\n"
                                "0 wait 1\n"
                                "0 allreduce 8 0\n"
                                "0 bcast 1024 7 2\n"
                                "1 send 2 10 0 0\n"
                                "1 barrier 0\n"
                                "2 recv any 20 any 0\n"
                                "2 irecv 0 65536 5 7 4\n"
                                "2 waitall\n";

TEST(Trace, IsReadAsItIsWritten) {
    const Trace trace = read(kEverything);
    EXPECT_EQ(written(trace), kEverything);
    ASSERT_EQ(trace.ranks(), 3);
    EXPECT_EQ(trace.communicators.at(7), (std::vector<int>{2, 0}));
    const auto& first = trace.events[0];
    EXPECT_EQ(std::get<Compute>(first[0].operation).duration_s, 0.00125);
    EXPECT_EQ(static_cast<const Transfer&>(std::get<Send>(first[1].operation)), (Transfer{2, 65536, 5, 7, 1}));
    EXPECT_EQ(std::get<Collective>(first[4].operation), (Collective{CollectiveKind::bcast, 1024, 7, 2}));
    EXPECT_EQ(first[4].line, 8U);
    EXPECT_EQ(static_cast<const Transfer&>(std::get<Receive>(trace.events[2][0].operation)),
              (Transfer{kAny, 20, kAny, kWorld, {}}));
}

TEST(Trace, RemarksAndEmptyLinesSayNothing) {
    const Trace trace = read("# made by hand\n\nfairlead-trace 1 # version\nranks 1\r\n  0   compute 1e-3  # slow\n");
    EXPECT_EQ(std::get<Compute>(trace.events[0][0].operation).duration_s, 1e-3);
    EXPECT_EQ(trace.events[0][0].line, 5U);
}

TEST(Trace, EveryMistakeHasItsPlace) {
    const std::pair<std::string, std::string> cases[] = {
        {"", "t:0: expected 'fairlead-trace NUMBER'"},
        {"fairlead-trace 2\n", "t:1: fairlead-trace must be a whole number from 1 to 1, not '2'"},
        {"fairlead-trace 1\nranks 0\n", "t:2: ranks must be a whole number from 1 to 4096, not '0'"},
        {"fairlead-trace 1\nranks 2 3\n", "t:2: expected 'ranks NUMBER'"},
        {kHead + "3 compute 1\n", "t:3: a rank must be a whole number from 0 to 2, not '3'"},
        {kHead + "0\n", "t:3: rank 0 has no operation"},
        {kHead + "0 sleep 1\n", "t:3: unknown operation 'sleep'"},
        {kHead + "0 compute -1\n", "t:3: a duration must be seconds from 0 to 1000000, not '-1'"},
        {kHead + "0 compute nan\n", "t:3: a duration must be seconds from 0 to 1000000, not 'nan'"},
        {kHead + "0 compute 1 2\n", "t:3: expected 'RANK compute DURATION_S'"},
        {kHead + "0 send 1 8 0\n", "t:3: expected 'RANK send PEER SIZE_B TAG COMMUNICATOR'"},
        {kHead + "0 send any 8 0 0\n", "t:3: only a receive may name 'any'"},
        {kHead + "0 send 1 8x 0 0\n", "t:3: a size in bytes must be a whole number from 0 to 1099511627776, not '8x'"},
        {kHead + "0 send 1 8 0 4\n", "t:3: communicator 4 was not declared"},
        {kHead + "communicator 4 0 1\n0 send 2 8 0 4\n", "t:4: rank 2 is not in communicator 4"},
        {kHead + "communicator 4 0 1\n2 barrier 4\n", "t:4: rank 2 is not in communicator 4"},
        {kHead + "communicator 4 0 0\n", "t:3: rank 0 is a member twice"},
        {kHead + "communicator 4 0\ncommunicator 4 1\n", "t:4: communicator 4 was declared before"},
        {kHead + "communicator 0 1\n", "t:3: a communicator must be a whole number from 1 to 4294967295, not '0'"},
        {kHead + "0 isend 1 8 0 0 5\n0 isend 1 8 0 0 5\n", "t:4: request 5 of rank 0 is open already"},
        {kHead + "0 wait 5\n", "t:3: rank 0 has no open request 5"},
        {kHead + "0 isend 1 8 0 0 5\n", "t:3: rank 0 never waits for its request 5"},
        {kHead + "0 bcast 8 0\n", "t:3: expected 'RANK bcast SIZE_B COMMUNICATOR ROOT'"},
    };
    for (const auto& [text, message] : cases) {
        try {
            read(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const TraceError& error) {
            EXPECT_EQ(error.what(), message);
        }
    }
}

/// Messages that one rank sends another in a trace, by size.
int sent(const Trace& trace, int from, int to, std::uint64_t size_B) {
    int count = 0;
    for (const TraceEvent& event : trace.events[static_cast<std::size_t>(from)]) {
        const Send* send = std::get_if<Send>(&event.operation);
        count += send != nullptr && send->peer == to && send->size_B == size_B;
    }
    return count;
}

TEST(Patterns, CgSumsAlongRowsAndExchangesWithItsTranspose) {
    const Trace square = cg({16, 1000, 3, 1e-3});  // 4 rows of 4
    EXPECT_EQ(sent(square, 5, 4, 1000), 3) << "one column away, each iteration";
    EXPECT_EQ(sent(square, 5, 7, 1000), 3) << "two columns away";
    EXPECT_EQ(sent(square, 5, 6, 1000), 0);
    EXPECT_EQ(sent(square, 5, 4, 8), 6);
    EXPECT_EQ(sent(square, 1, 4, 1000), 3) << "row 0, column 1: its transpose";
    EXPECT_EQ(square.events[5].size(), 3 * (1 + 3 * (2 + 0 + 2 + 2U))) << "rank 5 is its own transpose";
    const Trace wide = cg({8, 1000, 1, 0.0});  // 2 rows of 4
    EXPECT_EQ(sent(wide, 2, 4, 1000), 1) << "row 0, second pair of columns: row 1, first pair";
    EXPECT_EQ(sent(wide, 3, 5, 1000), 1);
    EXPECT_EQ(sent(wide, 0, 1, 1000), 1) << "along the row only";
    EXPECT_THROW(cg({6, 1, 1, 0.0}), std::invalid_argument);
}

TEST(Patterns, HaloHasFourNeighbours) {
    const Trace trace = halo({12, 500, 2, 0.0});  // 3 rows of 4
    for (const int peer : {4, 6, 1, 9}) EXPECT_EQ(sent(trace, 5, peer, 500), 2) << peer;
    EXPECT_EQ(trace.events[5].size(), 2 * 9U);
}

TEST(Patterns, ComputingIsDrawnWithinItsSpread) {
    const auto computing = [](std::uint64_t seed) {
        Pattern pattern{2, 10, 500, 0.01};
        pattern.spread = 0.2;
        pattern.seed = seed;
        std::vector<double> found;
        for (const auto& events : ring(pattern).events) {
            for (const TraceEvent& event : events) {
                if (const auto* compute = std::get_if<Compute>(&event.operation)) found.push_back(compute->duration_s);
            }
        }
        return found;
    };
    const std::vector<double> drawn = computing(1);
    ASSERT_EQ(drawn.size(), 1000U);
    EXPECT_GE(*std::ranges::min_element(drawn), 0.008);
    EXPECT_LT(*std::ranges::min_element(drawn), 0.0081);
    EXPECT_GT(*std::ranges::max_element(drawn), 0.0119);
    EXPECT_LE(*std::ranges::max_element(drawn), 0.012);
    EXPECT_EQ(computing(1), drawn);
    EXPECT_NE(computing(2), drawn);
}

TEST(Patterns, AreTracesThatCanBeReadAgain) {
    for (const char* name : {"ring", "halo", "alltoall", "cg"}) {
        const std::string text = written(*make(name, {8, 100000, 2, 0.001}));
        EXPECT_EQ(written(read(text)), text) << name;
    }
    EXPECT_FALSE(make("tree", {8, 1, 1, 0.0}));
    EXPECT_THROW(make("ring", {1, 1, 1, 0.0}), std::invalid_argument);
    EXPECT_THROW(make("ring", {2, kMaxSize_B + 1, 1, 0.0}), std::invalid_argument);
    for (const double compute_s : {-1.0, kMaxCompute_s, std::nan("")}) {
        EXPECT_THROW(make("ring", {2, 1, 1, compute_s, 0.5}), std::invalid_argument) << compute_s;
    }
    EXPECT_THROW(make("ring", {2, 1, 1, 1.0, std::nan("")}), std::invalid_argument);
}

}  // namespace
}  // namespace fairlead::sim
