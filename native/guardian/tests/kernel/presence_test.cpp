// SPDX-License-Identifier: Apache-2.0
#include "kernel/presence.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "kernel/netlink.hpp"

namespace fairlead::guardian {
namespace {

TEST(Presence, AGuardianLivesAsLongAsItHoldsAName) {
    const std::string job = "test-" + std::to_string(getpid());
    EXPECT_FALSE(alive(job, std::nullopt));
    {
        const Presence presence = claim_presence(job);
        EXPECT_TRUE(alive(job, std::nullopt));
        EXPECT_TRUE(alive(job, ProcessId::self()));
        EXPECT_FALSE(alive(job.substr(0, job.size() - 1), std::nullopt)) << "of another job's name it is a part";
    }
    EXPECT_FALSE(alive(job, std::nullopt));
}

// What is taken for dead is removed, under its job's feet.
TEST(Presence, WhereTheNamesCannotBeReadNobodyIsTakenForDead) {
    EXPECT_THROW(alive("job", std::nullopt, "/nowhere"), KernelError);
    EXPECT_THROW(alive("job", std::nullopt, "/"), KernelError) << "a directory can be opened";
}

}  // namespace
}  // namespace fairlead::guardian
