// SPDX-License-Identifier: Apache-2.0
#include "reroutes/route_switch.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parts_rig.hpp"

namespace fairlead::core {
namespace {

class Route : public testing::Test {
  protected:
    Route() {
        decision.destination = 1;
        decision.relay = 3;
    }
    DetourSettings settings;
    RouteSwitch route{settings};
    Outbox out;
    Rerouted decision;
};

TEST_F(Route, ARerouteIsAskedAndAnswered) {
    route.reroute(decision, out);
    const auto reroutes = only<Reroute>(out.take());
    ASSERT_EQ(reroutes.size(), 1U);
    EXPECT_EQ(reroutes[0].relay, 3);
    EXPECT_TRUE(route.pending());
    EXPECT_TRUE(route.moves_over(3));
    EXPECT_FALSE(route.leaving());
    EXPECT_FALSE(route.move_answered(4).has_value()) << "nobody asked for that";
    EXPECT_FALSE(route.restored().has_value());
    EXPECT_EQ(route.move_answered(3)->destination, 1);
    EXPECT_FALSE(route.pending());
    EXPECT_FALSE(route.move_answered(3).has_value());
}

TEST_F(Route, ARestorationWaitsForTheReroutesAnswer) {
    route.reroute(decision, out);
    out.take();
    route.restore(1, kNoHost, RestoreReason::relay_dead, out);
    EXPECT_TRUE(out.take().empty());
    EXPECT_TRUE(route.leaving());
    EXPECT_FALSE(route.due_return(100.0).has_value());
    EXPECT_EQ(route.next_return(), HUGE_VAL);
    route.move_answered(3);
    EXPECT_EQ(route.due_return(100.0), RestoreReason::relay_dead);
    route.restore(1, 3, RestoreReason::relay_dead, out);
    EXPECT_EQ(only<Restore>(out.take()).size(), 1U);
    EXPECT_FALSE(route.must_restore().has_value());
    route.restore(1, 3, RestoreReason::idle, out);
    EXPECT_TRUE(out.take().empty()) << "the return that is under way serves this reason as well";
    EXPECT_EQ(route.restored(), RestoreReason::relay_dead);
}

TEST_F(Route, WithoutADetourThereIsNothingToRestore) {
    route.restore(1, kNoHost, RestoreReason::manual, out);
    EXPECT_TRUE(out.take().empty());
    EXPECT_FALSE(route.pending());
}

TEST_F(Route, AFailedRestorationIsTriedAgainMoreAndMoreRarely) {
    Time now = 100.0;
    for (const double wanted_s : {0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.0, 2.0}) {
        route.restore(1, 3, RestoreReason::idle, out);
        EXPECT_EQ(route.return_failed(now), RestoreReason::idle);
        EXPECT_DOUBLE_EQ(route.next_return(), now + wanted_s);
        EXPECT_FALSE(route.due_return(now + wanted_s - 1e-6).has_value());
        now += wanted_s;
        EXPECT_EQ(route.due_return(now), RestoreReason::idle);
    }
    route.restore(1, 3, RestoreReason::idle, out);
    route.return_failed(now);
    route.retry_at_once(now);
    EXPECT_TRUE(route.due_return(now).has_value());
    route.forget_return();
    EXPECT_FALSE(route.due_return(now).has_value());
}

}  // namespace
}  // namespace fairlead::core
