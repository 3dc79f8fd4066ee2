// SPDX-License-Identifier: Apache-2.0
#include "detours/avoided_relays.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(AvoidedRelays, EachForItsTime) {
    AvoidedRelays avoided;
    EXPECT_FALSE(avoided.avoids(2, 0.0));
    avoided.avoid(2, 15.0, 10.0);
    avoided.avoid(3, 16.0, 11.0);
    EXPECT_TRUE(avoided.avoids(2, 14.9));
    EXPECT_FALSE(avoided.avoids(2, 15.0));
    EXPECT_TRUE(avoided.avoids(3, 15.0));
    EXPECT_FALSE(avoided.avoids(4, 12.0));
    avoided.avoid(2, 25.0, 20.0);
    EXPECT_TRUE(avoided.avoids(2, 24.0));
}

}  // namespace
}  // namespace fairlead::core
