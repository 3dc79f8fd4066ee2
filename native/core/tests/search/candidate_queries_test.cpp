// SPDX-License-Identifier: Apache-2.0
#include "search/candidate_queries.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class Candidates : public testing::Test {
  protected:
    Candidates() { rig.greet(); }

    std::vector<std::pair<HostId, wire::PathQuery>> ask() {
        queries.ask(0, avoided, rig.now, random, rig.out);
        actions = rig.out.take();
        return messages<wire::PathQuery>(actions);
    }
    /// Each relay asked reports its leg, and the probes to it are answered.
    void answer(const std::vector<std::pair<HostId, wire::PathQuery>>& asked, double first_s, double second_s) {
        for (const SendProbes& probes : only<SendProbes>(actions)) rig.probe(probes.peer, first_s, probes.burst);
        for (const auto& [relay, query] : asked) {
            queries.take(relay, {query.token, query.destination, 3, 3, second_s, 150e-6, 0.25}, rig.now);
        }
    }
    PartsRig rig;
    AvoidedRelays avoided;
    Random random{1};
    CandidateQueries queries{rig.parts, 1};
    std::vector<Action> actions;
};

TEST_F(Candidates, AreAskedAndProbed) {
    const auto asked = ask();
    ASSERT_EQ(asked.size(), 3U);
    for (const auto& [relay, query] : asked) {
        EXPECT_NE(relay, 1);
        EXPECT_EQ(query.destination, 1);
    }
    EXPECT_EQ(only<SendProbes>(actions).size(), 3U);
    EXPECT_FALSE(queries.complete(rig.now));
}

TEST_F(Candidates, AreMeasuredOnBothLegs) {
    const auto asked = ask();
    answer(asked, 1e-3, 0.5e-3);
    EXPECT_TRUE(queries.complete(rig.now));
    const std::vector<MeasuredCandidate> measured = queries.measure({.since = 100.0, .silent = true});
    ASSERT_EQ(measured.size(), 3U);
    for (const MeasuredCandidate& m : measured) {
        EXPECT_TRUE(m.candidate.usable && m.first.usable && m.second.usable);
        EXPECT_NEAR(m.first.queue_delay_s, 1e-3, 1e-12);
        EXPECT_NEAR(m.second.queue_delay_s, 0.5e-3, 1e-12);
        EXPECT_GT(m.candidate.latency_s, 1.5e-3 + 300e-6);
        EXPECT_DOUBLE_EQ(m.load, 0.25);
    }
}

TEST_F(Candidates, OnesThatAreAvoidedShunnedOrDownAreNotAsked) {
    avoided.lost(2, 5.0, rig.now);
    rig.peers.shun(3, rig.now);
    auto asked = ask();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].first, 4);
    rig.peers.lose(4);
    CandidateQueries none(rig.parts, 1);
    none.ask(0, avoided, rig.now, random, rig.out);
    EXPECT_TRUE(none.empty());
}

TEST_F(Candidates, NoneIfTheDestinationCannotBeReachedByADetour) {
    rig.peers.on_hello(1, {kRigHosts, false}, true, rig.out);
    EXPECT_TRUE(ask().empty());
}

TEST_F(Candidates, ThePresentRelayComesFirst) {
    rig.traffic.lead_over(1, 4);
    const auto asked = ask();
    ASSERT_EQ(asked.size(), 3U);
    EXPECT_EQ(asked[0].first, 4);
}

TEST_F(Candidates, NoMoreThanTheLimit) {
    rig.job.settings.choice.max_queries = 2;
    EXPECT_EQ(ask().size(), 2U);
}

TEST_F(Candidates, LateOnesAreNotWaitedForIfAnyAnswered) {
    auto asked = ask();
    EXPECT_FALSE(queries.complete(100.079));
    EXPECT_TRUE(queries.complete(100.081)) << "nobody answered";
    asked.resize(1);
    answer(asked, 0.0, 0.0);
    EXPECT_FALSE(queries.complete(100.029));
    EXPECT_TRUE(queries.complete(100.031));
    const auto measured = queries.measure({.since = 100.0, .silent = true});
    EXPECT_EQ(std::ranges::count_if(measured, [](const auto& m) { return m.second.usable; }), 1);
}

TEST_F(Candidates, AnswersAfterTheLastProbeOfTheDirectPathDoNotCount) {
    const auto asked = ask();
    rig.probe(1, 5e-3);
    answer(asked, 0.0, 0.0);  // 27 ms later
    EXPECT_FALSE(queries.any_in_time({.since = 100.0}));
    EXPECT_FALSE(queries.measure({.since = 100.0})[0].second.usable);
    rig.probe(1, 5e-3);
    EXPECT_TRUE(queries.any_in_time({.since = 100.0}));
    EXPECT_TRUE(queries.measure({.since = 100.0})[0].second.usable);
}

}  // namespace
}  // namespace fairlead::core
