// SPDX-License-Identifier: Apache-2.0
// Searches of pairs that share a bottleneck: what they tell each other, and how they part (reroute_searches.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/reroutes/reroutes_rig.hpp"

namespace fairlead::core {
namespace {

/// Pairs 0 -> 1 and 0 -> 2 share a bottleneck, with each other and with 3 -> 1.
class RerouteSearchesOfSiblings : public ReroutesRig {
  protected:
    static SharingRelation sharing() {
        SharingRelation sharing = rig_sharing();
        const Pair pairs[] = {{0, 1}, {0, 2}, {3, 1}};
        for (const Pair a : pairs) {
            for (const Pair b : pairs) sharing.set_hurts(a, b);
        }
        return sharing;
    }
    RerouteSearchesOfSiblings() : ReroutesRig(rig_job(), rig_base(), sharing()) {}
};

TEST_F(RerouteSearchesOfSiblings, TellThoseOnTheSameBottleneck) {
    queue_s[1] = queue_s[2] = 20e-3;
    others_B[3] = 1000;
    use(2);
    suspect(1);
    rig.traffic.hear_foreign(1, 0.0, rig.now);
    const std::vector<Action> actions = steps(10);
    ASSERT_FALSE(messages<wire::RelayRequest>(actions).empty());
    const std::vector<HostId> looked = looks(actions);
    EXPECT_NE(std::ranges::find(looked, 2), looked.end()) << "the sibling's path is searched, too";
    EXPECT_GT(rig.traffic.told_foreign(2, rig.now), 0.8);
    EXPECT_TRUE(rig.traffic.uses(2).was_congested());
    const auto told = messages<wire::Notice>(actions);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told[0].first, 3);
    EXPECT_EQ(told[0].second.source, 3);
    EXPECT_EQ(told[0].second.destination, 1);
    EXPECT_EQ(told[0].second.congestion_level, CongestionLevel::high);
    EXPECT_GT(told[0].second.foreign_share, 0.8);
}

TEST_F(RerouteSearchesOfSiblings, ThatAreNotInUseAreOnlyNoted) {
    queue_s[1] = queue_s[2] = 20e-3;
    use(2);
    at(rig.now + 1.0);
    suspect(1);
    const std::vector<HostId> looked = looks(steps(10));
    EXPECT_TRUE(rig.traffic.uses(2).was_congested());
    EXPECT_DOUBLE_EQ(rig.traffic.told_foreign(2, rig.now), 0.0);
    // As a relay, and not in a search of its own.
    EXPECT_LE(std::ranges::count(looked, 2), 1);
}

TEST_F(RerouteSearchesOfSiblings, ThePairThatCarriesLessGivesWay) {
    queue_s[1] = queue_s[2] = 5e-3;
    use(1);
    for (int i = 0; i < 4; ++i) {
        at(rig.now + 0.04);
        sample(2, 300e-6, 150000);
    }
    step_B[2] = 25000;  // a sixth of the link: without it, the queue drains within 30 ms
    sample(1, 20e-3);
    std::vector<Action> actions;
    while (only<Kept>(actions).empty() && rig.now < 102.0) {
        for (Action& action : step()) actions.push_back(std::move(action));
    }
    ASSERT_EQ(only<Kept>(actions).size(), 1U);
    EXPECT_EQ(only<Kept>(actions)[0].destination, 1);
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::gives_way);
    for (const auto& [relay, request] : messages<wire::RelayRequest>(actions)) EXPECT_EQ(request.destination, 2);
}

TEST_F(RerouteSearchesOfSiblings, AHostThatDoesNotTellWhatItSendsIsWaitedForThreeTimes) {
    queue_s[1] = 10e-3;
    silent = 3;
    step_B[1] = 2000;
    suspect(1);
    std::vector<Action> actions;
    while (only<Rerouted>(actions).empty() && rig.now < 120.0) {
        for (Action& action : step()) actions.push_back(std::move(action));
    }
    EXPECT_EQ(only<Rerouted>(actions).size(), 1U);
    ASSERT_EQ(only<Kept>(actions).size(), 1U);
    EXPECT_EQ(only<Kept>(actions)[0].reason, KeepReason::no_answer);
    EXPECT_FALSE(rig.peers.answers_loads(3));
}

/// Detours over the relays 2, 3 and 4 have nothing in common. A test compares several sources.
class Source : public ReroutesRig {
  public:
    explicit Source(std::size_t salt, bool shares)
        : ReroutesRig(job(salt), rig_base(), shares ? shared() : rig_sharing()) {}
    void TestBody() override {}
    HostId relay_to(HostId destination, std::uint64_t size_B = 2000) {
        queue_s[destination] = 10e-3;
        suspect(destination, size_B);
        const auto rerouted = only<Rerouted>(steps(60));
        queue_s[destination] = 0.0;
        return rerouted.empty() ? kNoHost : rerouted[0].relay;
    }
    static Job job(std::size_t salt) {
        Job job = rig_job();
        job.salt = salt;
        return job;
    }
    static SharingRelation shared() {
        SharingRelation sharing = rig_sharing();
        sharing.set_hurts({0, 1}, {0, 2});
        return sharing;
    }
};

TEST(RerouteSearchesOfSources, BeginEachAtItsOwnPlace) {
    EXPECT_EQ(Source(0, false).relay_to(1), 2);
    EXPECT_EQ(Source(1, false).relay_to(1), 3);
    EXPECT_EQ(Source(2, false).relay_to(1), 4);
    EXPECT_EQ(Source(3, false).relay_to(1), 2);
    Source apart(0, false);
    EXPECT_EQ(apart.relay_to(2), 1);
    EXPECT_EQ(apart.relay_to(1), 2);
    Source together(0, true);
    EXPECT_EQ(together.relay_to(2), 1);
    EXPECT_EQ(together.relay_to(1), 4) << "the next for a further detour";
    EXPECT_EQ(Source(0, true).relay_to(1), 3) << "relay 2 avoids nothing";
    Source unlike(0, true);
    EXPECT_EQ(unlike.relay_to(2), 1);
    EXPECT_EQ(unlike.relay_to(1, 20000), 3) << "the other carries much less";
}

}  // namespace
}  // namespace fairlead::core
