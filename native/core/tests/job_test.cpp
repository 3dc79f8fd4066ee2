// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include <gtest/gtest.h>

namespace fairlead::core {
namespace {

TEST(Job, OthersAreItsHostsWithoutThisOne) {
    Job job;
    job.self = 1;
    job.hosts = 3;
    EXPECT_TRUE(job.other(0));
    EXPECT_FALSE(job.other(1));
    EXPECT_TRUE(job.other(2));
    EXPECT_FALSE(job.other(3));
    EXPECT_FALSE(job.other(kNoHost));
    EXPECT_EQ(job.path_to(2), (Pair{1, 2}));
}

TEST(Job, ATimeThatCanBeIsFiniteAndUpToAnHour) {
    EXPECT_TRUE(plausible(0.0));
    EXPECT_TRUE(plausible(3600.0));
    EXPECT_FALSE(plausible(3600.1));
    EXPECT_FALSE(plausible(-1e-9));
    EXPECT_FALSE(plausible(NAN));
    EXPECT_FALSE(plausible(HUGE_VAL));
}

}  // namespace
}  // namespace fairlead::core
