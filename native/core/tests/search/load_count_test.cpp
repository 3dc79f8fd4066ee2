// SPDX-License-Identifier: Apache-2.0
#include "search/load_count.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

/// Pairs of hosts 0 and 2 to host 1 share a bottleneck.
SharingRelation two_share() {
    SharingRelation sharing = rig_sharing();
    sharing.set_hurts({0, 1}, {2, 1});
    sharing.set_hurts({2, 1}, {0, 1});
    return sharing;
}

class Count : public testing::Test {
  protected:
    Count() {
        rig.greet();
        found.since = rig.now;
        begun = rig.now;
        count.begin(rig.now, rig.out);
        token = messages<wire::LoadQuery>(rig.out.take()).at(0).second.token;
    }
    void take(HostId source, std::uint64_t delivered_B, Time at) {
        const std::vector<wire::LoadEntry> entries{{1, kNoHost, delivered_B, delivered_B, 0}};
        count.take(source, token, entries, at);
    }
    void begin_second(Time at) {
        count.begin_second(at, rig.out);
        token = messages<wire::LoadQuery>(rig.out.take()).at(0).second.token;
    }
    /// A queue of 10 ms stands all the time, and the two send so many bytes within 100 ms.
    void run(std::uint64_t own_B, std::uint64_t other_B) {
        take(0, 1000000, begun);
        take(2, 1000000, begun);
        rig.now = begun;
        for (int i = 0; i < 11; ++i) rig.probe(1, 10e-3);
        begin_second(begun + 0.1);
        take(0, 1000000 + own_B, begun + 0.1);
        take(2, 1000000 + other_B, begun + 0.1);
    }
    PartsRig rig{rig_job(), rig_base(), two_share()};
    LoadCount count{rig.parts, 1};
    Evidence found;
    Time begun = 0.0;
    std::uint32_t token = 0;
    std::uint32_t sent = 0;
};

TEST_F(Count, AsksHostsThatShareTheBottleneckTwiceAndWaitsForThem) {
    take(0, 1000, begun);
    EXPECT_FALSE(count.second_due(begun + 0.001)) << "too short to tell";
    EXPECT_DOUBLE_EQ(count.next_due(begun + 0.001), begun + 0.015);
    EXPECT_TRUE(count.second_due(begun + 0.015)) << "host 2's first answer may come as late as the queue is long";
    const std::uint32_t first = token;
    begin_second(begun + 0.015);
    EXPECT_FALSE(count.second_due(begun + 0.016));
    take(0, 2000, begun + 0.015);
    EXPECT_FALSE(count.complete(begun + 0.015));
    take(2, 2000, begun + 0.030);
    EXPECT_FALSE(count.complete(begun + 0.030)) << "its first answer was overtaken";
    token = first;
    take(2, 1000, begun + 0.031);
    EXPECT_TRUE(count.complete(begun + 0.031));
    EXPECT_TRUE(count.missing().empty());
}

TEST_F(Count, WaitsNoLongerThanTheTimeout) {
    take(0, 1000, begun);
    begin_second(begun + 0.015);
    take(0, 1000, begun + 0.015);
    EXPECT_FALSE(count.complete(begun + 0.074));
    EXPECT_TRUE(count.complete(begun + 0.076));
    EXPECT_EQ(count.missing(), std::vector<HostId>{2});
}

TEST_F(Count, AnswersToAnotherQuestionAreIgnored) {
    count.take(0, token + 1, {}, begun);
    count.take(2, token + 1, {}, begun);
    EXPECT_FALSE(count.complete(begun));
}

TEST_F(Count, TheRestOfTheQueueIsOthers) {
    run(500000, 250000);  // 750 kB take 30 ms at 200 Mbit/s
    EXPECT_TRUE(count.missing().empty());
    EXPECT_NEAR(count.counted_s(), 0.1, 1e-9);
    EXPECT_NEAR(count.foreign_share(found), 0.7, 0.02);
    const auto flows = count.largest_flows();
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_EQ(flows[0].pair, (Pair{0, 1}));
    EXPECT_NEAR(flows[0].rate_bps, 40e6, 1.0);
    EXPECT_EQ(flows[1].pair, (Pair{2, 1}));
    EXPECT_NEAR(flows[1].rate_bps, 20e6, 1.0);
    EXPECT_FALSE(count.count_again(found, begun + 0.1, rig.out)) << "it is clear";
}

TEST_F(Count, OwnBytesThatFillTheLinkAreNoCongestion) {
    run(1500000, 1000000);
    EXPECT_NEAR(count.foreign_share(found), 0.0, 1e-9);
    EXPECT_TRUE(count.count_again(found, begun + 0.1, rig.out)) << "100 ms are not enough to be certain";
    EXPECT_FALSE(count.complete(begun + 0.11));
    EXPECT_FALSE(count.second_due(begun + 0.11));
    EXPECT_TRUE(count.second_due(begun + 0.116));
}

/// A count of so long over a queue of 10 ms, in which the two sent so many bytes, some of them again: whether it is
/// repeated.
TEST_F(Count, AShortOneProvesLittle) {
    const auto repeated = [&](double counted_s, std::uint64_t own_B, std::uint32_t sent_again, std::uint64_t flight_B) {
        const auto sample = [&](std::uint32_t again) {
            sent += again;
            rig.delivered_B[1] += 1000;
            rig.traffic.on_sample({1, 5e-3, 3e-4, 20000, rig.delivered_B[1], 0, sent, false, 0.0, 0.0}, rig.now);
        };
        LoadCount brief{rig.parts, 1};
        rig.now += 1.0;
        sample(0);
        found.since = rig.now;
        brief.begin(rig.now, rig.out);
        const std::uint32_t first = messages<wire::LoadQuery>(rig.out.take()).at(0).second.token;
        for (const HostId source : {HostId{0}, HostId{2}}) {
            const std::vector<wire::LoadEntry> entries{{1, kNoHost, 1000000, 1000000, 0}};
            brief.take(source, first, entries, rig.now);
        }
        const Time from = rig.now;
        for (int i = 0; i < 9; ++i) rig.probe(1, 10e-3);
        rig.now = from + counted_s;
        sample(sent_again);
        brief.begin_second(rig.now, rig.out);
        const std::uint32_t second = messages<wire::LoadQuery>(rig.out.take()).at(0).second.token;
        for (const HostId source : {HostId{0}, HostId{2}}) {
            const std::vector<wire::LoadEntry> entries{{1, kNoHost, 1000000 + own_B / 2, 1000000, flight_B}};
            brief.take(source, second, entries, rig.now);
        }
        return brief.count_again(found, rig.now, rig.out);
    };
    EXPECT_FALSE(repeated(0.016, 50000, 0, 0)) << "2 ms of 16 are own";
    EXPECT_TRUE(repeated(0.016, 150000, 0, 0)) << "6 ms of 16 are: a burst may just begin";
    EXPECT_FALSE(repeated(0.022, 200000, 0, 0)) << "8 ms of 22 are";
    EXPECT_TRUE(repeated(0.016, 50000, 3, 0)) << "what was sent again is in the queue, too";
    EXPECT_FALSE(repeated(0.022, 50000, 3, 0));
    EXPECT_TRUE(repeated(0.022, 0, 0, 20000)) << "it waits behind a lost segment";
    EXPECT_FALSE(repeated(0.080, 0, 0, 20000));
}

TEST_F(Count, AHostThatDidNotAnswerIsAskedAnewAndTheCountBeginsAgain) {
    take(0, 1000000, begun);
    take(2, 1000000, begun);
    for (int i = 0; i < 3; ++i) rig.probe(1, 10e-3);
    begin_second(begun + 0.02);
    take(0, 1000000, begun + 0.02);
    EXPECT_TRUE(count.count_again(found, begun + 0.09, rig.out));
    const auto anew = messages<wire::LoadQuery>(rig.out.take());
    ASSERT_EQ(anew.size(), 1U);
    token = anew[0].second.token;
    EXPECT_DOUBLE_EQ(count.counted_s(), 0.0);
    take(0, 2000000, begun + 0.09);
    begin_second(begun + 0.12);
    take(0, 3000000, begun + 0.12);
    take(2, 3000000, begun + 0.12);
    EXPECT_EQ(count.missing(), std::vector<HostId>{2}) << "what it said of the time before does not count";
    EXPECT_NEAR(count.counted_s(), 0.03, 1e-9);
}

TEST_F(Count, NothingIsCountedAgainOfASilentPath) {
    take(0, 1000000, begun);
    found.silent = true;
    EXPECT_FALSE(count.count_again(found, begun + 0.1, rig.out));
}

TEST(LoadCount, SourcesOfDetoursOverThisHostAreAsked) {
    PartsRig rig;
    rig.greet();
    rig.relay_role.answer(3, wire::RelayRequest{1, 1, 0.0}, rig.now, rig.out);
    rig.out.take();
    LoadCount count(rig.parts, 1);
    count.begin(rig.now, rig.out);
    const auto asked = messages<wire::LoadQuery>(rig.out.take());
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].first, 3);
}

}  // namespace
}  // namespace fairlead::core
