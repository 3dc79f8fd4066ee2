// SPDX-License-Identifier: Apache-2.0
#include "reroutes/give_way.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class GiveWayOf : public testing::Test {
  protected:
    GiveWayOf() { sharing.set_hurts(path, other); }

    /// Another pair carried so much, this one 100 kB, on a link that drains a queue of 5 ms within 50 ms or not.
    std::optional<Pair> to(std::uint64_t size_B, double occupied_s = 0.05, HostId before = kNoHost) {
        const std::vector<OwnFlow> flows{{path, kNoHost, kNoHost, 100000, 0.05, 0.05},
                                         {other, kNoHost, before, size_B, occupied_s, occupied_s}};
        return give_way.to(flows, path, 5e-3, 0.1, sharing, settings);
    }
    SharingRelation sharing = rig_sharing();
    ChoiceSettings settings;
    OwnLoadSettings own_load;
    Pair path{2, 1};
    Pair other{0, 1};
    GiveWay give_way;
};

TEST_F(GiveWayOf, APairThatCarriesMoreGoesFirst) {
    EXPECT_EQ(to(300000), other);
    EXPECT_EQ(to(60000), other) << "about as much, and it comes first by number";
    EXPECT_FALSE(to(40000).has_value()) << "much less";
}

TEST_F(GiveWayOf, APairOfAHigherNumberOnlyIfItCarriesMuchMore) {
    std::swap(path, other);
    sharing.set_hurts(path, other);
    EXPECT_FALSE(to(150000).has_value());
    EXPECT_EQ(to(250000), other);
}

TEST_F(GiveWayOf, NobodyIsWaitedForIfTheQueueWouldStand) {
    EXPECT_FALSE(to(300000, 0.009).has_value());
    EXPECT_EQ(to(300000, 0.011), other);
}

TEST_F(GiveWayOf, APairThatIsOnADetourWasThereBefore) {
    EXPECT_FALSE(to(300000, 0.05, 3).has_value());
}

TEST_F(GiveWayOf, EachPairIsWaitedForOnce) {
    give_way.waits_for(other, 100.0);
    EXPECT_FALSE(to(300000).has_value());
    give_way.forget(own_load, 100.9);
    EXPECT_FALSE(to(300000).has_value());
    give_way.forget(own_load, 101.1);
    EXPECT_EQ(to(300000), other);
}

TEST_F(GiveWayOf, WhereNothingIsKnownOrCountedNobodyIsWaitedFor) {
    const std::vector<OwnFlow> flows{{other, kNoHost, kNoHost, 300000, 0.05, 0.05}};
    EXPECT_FALSE(give_way.to(flows, path, 5e-3, 0.0, sharing, settings).has_value());
    EXPECT_FALSE(give_way.to(flows, path, 5e-3, 0.1, SharingRelation(kRigHosts), settings).has_value());
}

}  // namespace
}  // namespace fairlead::core
