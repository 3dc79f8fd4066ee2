// SPDX-License-Identifier: Apache-2.0
#include "process/other_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace fairlead::agent {
namespace {

TEST(OtherProcess, HasEndedOnceItsNumberIsFree) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        pause();
        _exit(0);
    }
    const OtherProcess process = OtherProcess::now(child);
    EXPECT_NE(process.start_ticks, 0U);
    EXPECT_FALSE(process.ended());
    kill(child, SIGKILL);
    siginfo_t how{};
    waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT);
    EXPECT_FALSE(process.ended()) << "nobody has taken note";
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(process.ended());
    EXPECT_TRUE(OtherProcess::now(child).ended()) << "it was gone before";
}

TEST(OtherProcess, HasEndedAlsoWhereItEndsWhileItIsLookedAt) {
    for (int child = 0; child < 150; ++child) {
        const pid_t pid = fork();
        if (pid == 0) _exit(0);
        const OtherProcess process{pid};  // when it started is not known: until its number is free
        std::thread parent([pid] { waitpid(pid, nullptr, 0); });
        EXPECT_NO_THROW(while (!process.ended()){});
        parent.join();
    }
}

TEST(OtherProcess, HasEndedIfItsNumberIsAnothers) {
    const OtherProcess present = OtherProcess::now(getpid());
    EXPECT_FALSE(present.ended());
    EXPECT_TRUE((OtherProcess{present.pid, present.start_ticks - 1}.ended()));
    EXPECT_FALSE((OtherProcess{present.pid, 0}.ended())) << "when it started is not known";
    EXPECT_FALSE((OtherProcess{0, 1}.ended())) << "that is none";
}

}  // namespace
}  // namespace fairlead::agent
