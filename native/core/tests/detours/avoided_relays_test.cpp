// SPDX-License-Identifier: Apache-2.0
#include "detours/avoided_relays.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(AvoidedRelays, EachForItsTime) {
    AvoidedRelays avoided;
    EXPECT_FALSE(avoided.avoids(2, 0.0));
    avoided.lost(2, 5.0, 10.0);
    avoided.lost(3, 5.0, 11.0);
    EXPECT_TRUE(avoided.avoids(2, 14.9));
    EXPECT_FALSE(avoided.avoids(2, 15.0));
    EXPECT_TRUE(avoided.avoids(3, 15.0));
    EXPECT_FALSE(avoided.avoids(4, 12.0));
}

TEST(AvoidedRelays, LongerEachTimeThatSomethingIsLost) {
    AvoidedRelays avoided;
    Time now = 10.0;
    for (const double expected_s : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0}) {
        avoided.lost(2, 1.0, now);
        EXPECT_TRUE(avoided.avoids(2, now + expected_s - 0.01));
        EXPECT_FALSE(avoided.avoids(2, now + expected_s));
        now += expected_s + 1.0;
    }
    now += 60.0;  // it was good for long
    avoided.lost(2, 1.0, now);
    EXPECT_FALSE(avoided.avoids(2, now + 1.0));
}

TEST(AvoidedRelays, OneThatIsReplacedIsForgotten) {
    AvoidedRelays avoided;
    avoided.lost(2, 5.0, 10.0);
    avoided.lost(3, 5.0, 10.0);
    avoided.forget(2);
    EXPECT_FALSE(avoided.avoids(2, 10.0));
    EXPECT_TRUE(avoided.avoids(3, 10.0));
    avoided.lost(2, 1.0, 10.0);
    EXPECT_FALSE(avoided.avoids(2, 11.0)) << "its losses begin anew";
}

TEST(AvoidedRelays, AWayThatIsNotProvenIsTriedAgainSoon) {
    AvoidedRelays avoided;
    for (Time now = 10.0; now < 30.0; now += 2.0) {
        avoided.unproven(2, now);
        EXPECT_TRUE(avoided.avoids(2, now + AvoidedRelays::kSoon_s - 0.01));
        EXPECT_FALSE(avoided.avoids(2, now + AvoidedRelays::kSoon_s));
    }
    avoided.lost(2, 5.0, 40.0);
    avoided.unproven(2, 41.0);
    EXPECT_TRUE(avoided.avoids(2, 44.9)) << "what was lost weighs more";
    EXPECT_FALSE(avoided.avoids(2, 45.0));
}

}  // namespace
}  // namespace fairlead::core
