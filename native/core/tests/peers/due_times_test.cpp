// SPDX-License-Identifier: Apache-2.0
#include "peers/due_times.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

using Hosts = std::vector<HostId>;

TEST(DueTimes, NobodysTurnComesUntilItIsSet) {
    DueTimes times(4);
    EXPECT_EQ(times.next(), HUGE_VAL);
    EXPECT_EQ(times.at(2), HUGE_VAL);
    EXPECT_EQ(times.due(1e9), Hosts{});
    times.set(2, 5.0);
    EXPECT_EQ(times.next(), 5.0);
    EXPECT_EQ(times.due(4.9), Hosts{});
    EXPECT_EQ(times.due(5.0), Hosts{2});
}

TEST(DueTimes, OfAllOthersBeginAtOnce) {
    const DueTimes times(3, 1);
    EXPECT_EQ(times.due(0.0), (Hosts{0, 2}));
    EXPECT_EQ(times.at(1), HUGE_VAL);
}

TEST(DueTimes, AreToldByNumberAndNextByTime) {
    DueTimes times(4);
    times.set(3, 1.0);
    times.set(0, 2.0);
    times.set(1, 3.0);
    EXPECT_EQ(times.next(), 1.0);
    EXPECT_EQ(times.due(2.0), (Hosts{0, 3}));
    times.set(3, 4.0);
    EXPECT_EQ(times.next(), 2.0) << "the earlier time does not count any more";
    times.set(0, HUGE_VAL);
    EXPECT_EQ(times.next(), 3.0);
    EXPECT_EQ(times.due(9.0), (Hosts{1, 3}));
}

}  // namespace
}  // namespace fairlead::core
