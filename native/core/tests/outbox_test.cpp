// SPDX-License-Identifier: Apache-2.0
#include "outbox.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(Outbox, KeepsTheOrderAndGivesEachActionOnce) {
    Outbox out;
    out.emit(Reroute{1, 3});
    out.send(2, wire::RelayRelease{1});
    out.actions().emplace_back(std::in_place_type<Restore>, Restore{4});
    const std::vector<Action> actions = out.take();
    ASSERT_EQ(actions.size(), 3U);
    EXPECT_EQ(std::get<Reroute>(actions[0]).relay, 3);
    const Send& sent = std::get<Send>(actions[1]);
    EXPECT_EQ(sent.to, 2);
    EXPECT_EQ(std::get<wire::RelayRelease>(sent.message), wire::RelayRelease{1});
    EXPECT_EQ(std::get<Restore>(actions[2]).destination, 4);
    EXPECT_TRUE(out.take().empty());
}

TEST(Outbox, TokensAreNeverZeroAndNeverAgainTheSame) {
    Outbox out;
    EXPECT_EQ(out.token(), 1U);
    EXPECT_EQ(out.token(), 2U);
    out.emit(Restore{1});
    out.take();
    EXPECT_EQ(out.token(), 3U);
}

}  // namespace
}  // namespace fairlead::core
