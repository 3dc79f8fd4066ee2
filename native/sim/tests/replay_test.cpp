// SPDX-License-Identifier: Apache-2.0
// Makespans that were worked out by hand. A message of M bytes passes two links of a hub, store and forward.
#include "fairlead/sim/replay.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "fairlead/sim/patterns.hpp"
#include "small_networks.hpp"

namespace fairlead::sim {
namespace {

constexpr double kRate_bps = 80e6;  // 10 MB/s
constexpr double kDelay_s = 2e-3;
constexpr double kEnvelope_B = 64;

double on_wire_s(double size_B) {
    return 8 * wire_B(size_B) / kRate_bps;
}
/// Of a small message between two hosts of a hub: one segment over two links, and two kernels.
double message_s(double size_B) {
    return 2 * (on_wire_s(size_B + kEnvelope_B) + kDelay_s) + 2 * kStack_s;
}

struct Played {
    Played(const Trace& trace, Topology topology, std::vector<EndId> hosts, const ReplaySettings& settings = {},
           const TcpSettings& tcp_settings = {})
        : network(events, std::move(topology), 1, 1),
          tcp(events, network, tcp_settings),
          replay(events, tcp, trace, hosts, 0, settings) {
        replay.start(0.5);
        events.run_until(1000.0);
    }

    EventQueue events;
    Network network;
    Tcp tcp;
    Replay replay;
};

std::vector<EndId> one_each(int ranks) {
    std::vector<EndId> hosts(static_cast<std::size_t>(ranks));
    std::iota(hosts.begin(), hosts.end(), EndId{0});
    return hosts;
}

double makespan_s(const Trace& trace, const ReplaySettings& settings = {}) {
    Played program(trace, hub(trace.ranks(), kRate_bps, kDelay_s), one_each(trace.ranks()), settings);
    EXPECT_TRUE(program.replay.finished());
    return program.replay.makespan_s();
}

Trace parsed(const std::string& events) {
    std::istringstream in("fairlead-trace 1\nranks 3\n" + events);
    return read_trace(in, "t");
}

TEST(Replay, AReceiverWaitsForComputingAndTheMessage) {
    const Trace trace = parsed("0 compute 0.25\n0 send 1 1000 0 0\n1 recv 0 1000 0 0\n1 compute 0.5\n");
    Played program(trace, hub(3, kRate_bps, kDelay_s), one_each(3));
    EXPECT_NEAR(program.replay.finished_s()[0], 0.25, 1e-12) << "a small message does not wait for its receiver";
    EXPECT_NEAR(program.replay.finished_s()[1], 0.25 + message_s(1000) + 0.5, 1e-9);
    EXPECT_EQ(program.replay.finished_s()[2], 0.0);
    EXPECT_NEAR(program.replay.waiting_s()[1], 0.25 + message_s(1000), 1e-9);
    EXPECT_DOUBLE_EQ(program.replay.makespan_s(), program.replay.finished_s()[1]);
}

TEST(Replay, ARingTakesAsLongAsItsStepsTogether) {
    // All send at once and have links of their own: each of 10 steps is 1 ms of computing and a message.
    EXPECT_NEAR(makespan_s(ring({5, 1000, 10, 1e-3})), 10 * (1e-3 + message_s(1000)), 1e-9);
}

TEST(Replay, AChainAddsUp) {
    EXPECT_NEAR(makespan_s(parsed("0 send 1 500 0 0\n1 recv 0 500 0 0\n1 send 2 700 0 0\n2 recv 1 700 0 0\n")),
                message_s(500) + message_s(700), 1e-9);
}

TEST(Replay, ALargeMessageWaitsForItsReceiver) {
    // Its question travels at once; asked for after 0.1 s, the answer goes back, and only then 90 000 B and an envelope
    // come, over two links; the window is large enough.
    const Trace trace = parsed("0 send 1 90000 0 0\n1 compute 0.1\n1 recv 0 90000 0 0\n");
    const TcpSettings tcp{.initial_window_B = 1e6};
    Played program(trace, hub(3, kRate_bps, 1e-6), one_each(3), {}, tcp);
    const double envelope_s = 2 * (on_wire_s(kEnvelope_B) + 1e-6) + 2 * kStack_s;
    const double data_s = on_wire_s(90000 + kEnvelope_B) + on_wire_s(tcp.segment_B) + 2e-6 + 2 * kStack_s;
    // The last segment is short, and follows a whole one on the second link.
    EXPECT_NEAR(program.replay.makespan_s(), 0.1 + envelope_s + data_s, 1e-9);
    EXPECT_DOUBLE_EQ(program.replay.finished_s()[0], program.replay.finished_s()[1]) << "and so does its sender";
}

TEST(Replay, MessagesOfAPairMatchInOrderAndByTag) {
    // The second receive takes the first message with its tag; the sizes would not fit otherwise.
    EXPECT_NO_THROW(
        makespan_s(parsed("0 send 1 100 1 0\n0 send 1 200 2 0\n0 send 1 300 2 0\n"
                          "1 recv 0 200 2 0\n1 recv any 300 any 0\n1 recv 0 300 2 0\n")));
    EXPECT_THROW(makespan_s(parsed("0 send 1 200 2 0\n0 send 1 300 2 0\n1 recv 0 199 2 0\n1 recv 0 300 2 0\n")),
                 MessageError);
}

TEST(Replay, CommunicatorsKeepMessagesApart) {
    EXPECT_NO_THROW(
        makespan_s(parsed("communicator 3 0 1\n0 send 1 100 0 3\n0 send 1 50 0 0\n"
                          "1 recv 0 50 0 0\n1 recv any 100 any 3\n")));
}

TEST(Replay, RanksOfOneHostDoNotUseTheNetwork) {
    const Trace trace = parsed("0 send 1 1000000 0 0\n1 recv 0 1000000 0 0\n2 compute 0.001\n");
    ReplaySettings settings;
    settings.messages.eager_B = 1 << 30;
    Played program(trace, hub(2, kRate_bps), {0, 0, 1}, settings);
    EXPECT_NEAR(program.replay.finished_s()[1], 8 * (1e6 + kEnvelope_B) / 40e9 + 1e-6, 1e-12);
    EXPECT_EQ(program.network.link(0).carried_B, 0.0);
}

TEST(Replay, NonBlockingMessagesOverlapWithComputing) {
    const char* trace =
        "0 isend 1 1000 0 0 1\n0 compute 0.2\n0 wait 1\n1 irecv 0 1000 0 0 1\n1 compute 0.3\n1 wait 1\n";
    EXPECT_NEAR(makespan_s(parsed(trace)), 0.3, 1e-12);
}

TEST(Replay, OverheadIsSpentForEachMessage) {
    ReplaySettings settings;
    settings.overhead_s = 1e-3;
    EXPECT_NEAR(
        makespan_s(parsed("0 send 1 500 0 0\n0 send 1 500 0 0\n1 recv 0 500 0 0\n1 recv 0 500 0 0\n"), settings),
        1e-3 + message_s(500) + 1e-3, 1e-9)
        << "the second leaves 1 ms after the first; the receiver's first is over by then";
}

TEST(Replay, CollectivesTakeTheRoundsOfTheirAlgorithm) {
    const auto all_ranks = [](Collective collective, int ranks) {
        Trace trace(ranks);
        for (int rank = 0; rank < ranks; ++rank) trace.add(rank, collective);
        return trace;
    };
    const Collective allreduce{CollectiveKind::allreduce, 4000, kWorld, 0};
    EXPECT_NEAR(makespan_s(all_ranks(allreduce, 8)), 3 * message_s(4000), 1e-9) << "log2(8) exchanges";
    // Ranks 0 and 2 hand over to 1 and 3, which exchange; 4 and 5 did so meanwhile, and what they sent is there. The
    // result for 0 leaves behind what 4 needs, over the same link.
    EXPECT_NEAR(makespan_s(all_ranks(allreduce, 6)), 3 * message_s(4000) + on_wire_s(4000 + kEnvelope_B), 1e-9);
    ReplaySettings by_ring;
    by_ring.algorithms[CollectiveKind::allreduce] = "ring";
    EXPECT_NEAR(makespan_s(all_ranks(allreduce, 8), by_ring), 14 * message_s(500), 1e-9);
    EXPECT_NEAR(makespan_s(all_ranks({CollectiveKind::barrier, 0, kWorld, 0}, 5)), 3 * message_s(0), 1e-9);
    EXPECT_NEAR(makespan_s(all_ranks({CollectiveKind::alltoall, 800, kWorld, 0}, 4)), 3 * message_s(800), 1e-9);
    EXPECT_NEAR(makespan_s(all_ranks({CollectiveKind::scan, 800, kWorld, 0}, 4)), 3 * message_s(800), 1e-9);
    EXPECT_NEAR(makespan_s(all_ranks({CollectiveKind::allgather, 800, kWorld, 0}, 4)), 3 * message_s(800), 1e-9);
    EXPECT_THROW(makespan_s(parsed(""), {{}, {{CollectiveKind::scan, "ring"}}, 0.0}), std::invalid_argument);
}

TEST(Replay, AHangingProgramIsNamed) {
    try {
        makespan_s(parsed("0 recv 1 10 0 0\n1 recv 0 10 0 0\n1 send 0 10 0 0\n2 compute 1\n"));
        ADD_FAILURE();
    } catch (const DeadlockError& error) {
        EXPECT_STREQ(error.what(),
                     "the program hangs; these wait for messages that nobody sends: rank 0 (line 3), rank 1 (line 4)");
    }
    EXPECT_THROW(makespan_s(parsed("0 send 1 10 1 0\n1 recv 0 10 2 0\n")), DeadlockError) << "another tag";
}

TEST(Replay, EveryPatternEndsOnEveryNetworkAlike) {
    for (const char* name : {"ring", "halo", "alltoall", "cg"}) {
        const Trace trace = *make(name, {8, 100000, 3, 1e-3});
        const double once = makespan_s(trace);
        EXPECT_GT(once, 3e-3) << name;
        EXPECT_EQ(makespan_s(trace), once) << name << ": no chance in it";
    }
}

TEST(Collectives, EveryMessageIsReceived) {
    for (int kind = 0; kind <= static_cast<int>(CollectiveKind::scan); ++kind) {
        for (const std::string_view algorithm : algorithms(static_cast<CollectiveKind>(kind))) {
            for (int members = 1; members <= 17; ++members) {
                std::map<std::pair<int, int>, int> open;
                for (int self = 0; self < members; ++self) {
                    for (const Round& round :
                         rounds(static_cast<CollectiveKind>(kind), algorithm, members, self, members / 2, 1000)) {
                        for (const Part& part : round.sends) ++open[{self, part.peer}];
                        for (const int peer : round.receives) --open[{peer, self}];
                    }
                }
                for (const auto& [pair, count] : open) {
                    EXPECT_EQ(count, 0) << algorithm << " of " << members << ": " << pair.first << " -> "
                                        << pair.second;
                }
            }
        }
    }
}

TEST(Collectives, ABinomialTreeHalvesTheDistance) {
    const auto of = [](int self) { return rounds(CollectiveKind::bcast, "binomial", 6, self, 1, 10); };
    ASSERT_EQ(of(1).size(), 3U);
    EXPECT_EQ(of(1)[0].sends, (std::vector<Part>{{5, 10}}));
    EXPECT_EQ(of(1)[1].sends, (std::vector<Part>{{3, 10}}));
    EXPECT_EQ(of(1)[2].sends, (std::vector<Part>{{2, 10}}));
    ASSERT_EQ(of(5).size(), 2U);
    EXPECT_EQ(of(5)[0].receives, std::vector<int>{1});
    EXPECT_EQ(of(5)[1].sends, (std::vector<Part>{{0, 10}}));
}

}  // namespace
}  // namespace fairlead::sim
