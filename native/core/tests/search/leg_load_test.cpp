// SPDX-License-Identifier: Apache-2.0
#include "search/leg_load.hpp"

#include <gtest/gtest.h>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

/// The pair from host 2 to host 1 shares the second leg of the detour 0 -> 3 -> 1, that from 4 to 1 the direct path.
SharingRelation shared_legs() {
    SharingRelation sharing = rig_sharing();
    for (const auto& [a, b] : {std::pair{Pair{3, 1}, Pair{2, 1}}, {Pair{0, 1}, Pair{4, 1}}}) {
        sharing.set_hurts(a, b);
        sharing.set_hurts(b, a);
    }
    return sharing;
}

class Legs : public testing::Test {
  protected:
    Legs() {
        rig.greet();
        // 25 kB in 40 ms: 625 kB/s.
        for (int i = 0; i < 3; ++i) rig.sample(1, 25000);
        const HostId relays[] = {3};
        legs.ask(relays, count, rig.out);
        asked = messages<wire::LoadQuery>(rig.out.take());
    }
    void take(HostId source, HostId destination, std::uint32_t rate_kBps, HostId relay = kNoHost,
              std::uint32_t burst_B = 0) {
        const std::vector<wire::LoadEntry> entries{{destination, relay, 1, 1, 0, rate_kBps, burst_B}};
        legs.take(source, asked.at(0).second.token, false, entries, rig.now);
    }
    PartsRig rig{rig_job(), rig_base(), shared_legs()};
    LoadCount count{rig.parts, 1};
    LegLoad legs{rig.parts, 1};
    std::vector<std::pair<HostId, wire::LoadQuery>> asked;
};

TEST_F(Legs, AsksThoseWhosePairsUseThem) {
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].first, 2);
    EXPECT_FALSE(asked[0].second.fresh);
}

/// Hosts that share the direct path are asked by the count, and their answers serve twice.
TEST_F(Legs, NobodyIsAskedTwice) {
    PartsRig shared(rig_job(), rig_base(), [] {
        SharingRelation sharing = shared_legs();
        sharing.set_hurts({0, 1}, {2, 1});
        return sharing;
    }());
    shared.greet();
    for (int i = 0; i < 3; ++i) shared.sample(1, 25000);
    LoadCount counted(shared.parts, 1);
    counted.begin(shared.now, shared.out);
    const auto asked_by_count = messages<wire::LoadQuery>(shared.out.take());
    LegLoad other(shared.parts, 1);
    const HostId relays[] = {3};
    other.ask(relays, counted, shared.out);
    EXPECT_TRUE(messages<wire::LoadQuery>(shared.out.take()).empty());
    const std::vector<wire::LoadEntry> entries{{4, 3, 1, 1, 0, 625}};
    const std::uint32_t token = asked_by_count.at(0).second.token;
    EXPECT_TRUE(counted.take(2, token, entries, shared.now));
    EXPECT_FALSE(counted.take(2, token + 100, entries, shared.now));
}

TEST_F(Legs, APairThatSendsAsMuchHalvesTheLeg) {
    EXPECT_FALSE(legs.crowd(3)) << "nobody has answered";
    take(2, 1, 625);
    EXPECT_NEAR(legs.crowd(3).value().expected_bps, 100e6, 1.0);
    EXPECT_NEAR(legs.crowd(3).value().longer_s, 8 * 20000 / 200e6, 1e-9) << "20 kB of its own were under way";
}

TEST_F(Legs, OneThatSendsMoreCountsNoMoreAndOneThatSendsLessCountsLess) {
    take(2, 1, 6250);
    EXPECT_NEAR(legs.crowd(3).value().expected_bps, 100e6, 1.0);
    LegLoad other(rig.parts, 1);
    const HostId relays[] = {3};
    other.ask(relays, count, rig.out);
    const std::uint32_t token = messages<wire::LoadQuery>(rig.out.take()).at(0).second.token;
    const std::vector<wire::LoadEntry> entries{{1, kNoHost, 1, 1, 0, 375}};
    other.take(2, token, false, entries, rig.now);
    EXPECT_NEAR(other.crowd(3).value().expected_bps, 200e6 / 1.6, 1.0);
}

/// A short message waits for all that another pair has under way.
TEST_F(Legs, OneThatSendsMoreAtOnceIsWaitedForLonger) {
    take(2, 1, 625, kNoHost, 180000);
    EXPECT_NEAR(legs.crowd(3).value().expected_bps, 200e6 * 20000 / 200000, 1.0);
    EXPECT_NEAR(legs.crowd(3).value().longer_s, 8 * 180000 / 200e6, 1e-9);
}

TEST_F(Legs, ALegNoMoreCrowdedThanTheDirectPathIsNone) {
    take(2, 1, 625);
    take(4, 1, 625);
    EXPECT_FALSE(legs.crowd(3));
}

TEST_F(Legs, APairOnADetourLoadsItsLegs) {
    take(2, 4, 625, 1);  // 2 -> 1 -> 4
    EXPECT_NEAR(legs.crowd(3).value().expected_bps, 100e6, 1.0);
}

TEST_F(Legs, AnswersToAnotherQuestionAreIgnored) {
    const std::vector<wire::LoadEntry> entries{{1, kNoHost, 1, 1, 0, 625}};
    legs.take(2, asked.at(0).second.token + 1, false, entries, rig.now);
    EXPECT_FALSE(legs.crowd(3));
}

}  // namespace
}  // namespace fairlead::core
