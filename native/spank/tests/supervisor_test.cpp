// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace fairlead::spank {
namespace {

std::vector<std::string> shell(const std::string& script) {
    return {"sh", "-c", script};
}

/// A file that a supervisor writes to, gone at the end.
class Note {
  public:
    Note() { close(mkstemp(path_)); }
    ~Note() { unlink(path_); }
    std::string path() const { return path_; }
    std::string text() const {
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }

  private:
    char path_[32] = "/tmp/spank_test_XXXXXX";
};

TEST(Supervisor, TakesItsEnvironmentAndTellsItTheEnd) {
    const Note note;
    Supervisor supervisor;
    const Start start =
        supervisor.start(shell("echo set A=1; echo hello; echo set B=x=y; echo ready; exec cat >" + note.path()), 10.0);
    EXPECT_TRUE(start.managed);
    EXPECT_EQ(start.why, "");
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(start.environment, (Pairs{{"A", "1"}, {"B", "x=y"}}));
    supervisor.finish(3);
    EXPECT_EQ(note.text(), "exit 3\n");
}

TEST(Supervisor, OneThatIsNotThereIsNamed) {
    const Start start = Supervisor().start({"/nowhere/fairlead", "supervise"}, 10.0);
    EXPECT_FALSE(start.managed);
    EXPECT_EQ(start.why, "/nowhere/fairlead: No such file or directory");
}

TEST(Supervisor, OneThatSaysItselfWhyItDoesNotManageIsNotSpokenFor) {
    for (const char* const script : {"exit 1", "exit 130", "kill -INT $$"}) {
        const Start start = Supervisor().start(shell(script), 10.0);
        EXPECT_FALSE(start.managed) << script;
        EXPECT_EQ(start.why, "") << script;
    }
    EXPECT_EQ(Supervisor().start(shell("exit 2"), 10.0).why, "the supervisor ended with exit code 2");
}

TEST(Supervisor, IsNotWaitedForAnyLonger) {
    const auto begin = std::chrono::steady_clock::now();
    const Start start = Supervisor().start(shell("exec sleep 60"), 0.2);
    EXPECT_FALSE(start.managed);
    EXPECT_EQ(start.why, "the agents were not ready within 0.2 s (--fairlead=wait=SECONDS)");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(Supervisor, WhereThereIsRoomForTwoDescriptorsOnlyNothingIsStarted) {
    const int one = dup(STDERR_FILENO), other = dup(STDERR_FILENO);
    close(one);
    close(other);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit two{static_cast<rlim_t>(other) + 1, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &two), 0);
    const auto begin = std::chrono::steady_clock::now();
    const Start start = Supervisor().start(shell("exec sleep 60"), 5.0);
    const auto end = std::chrono::steady_clock::now();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_FALSE(start.managed);
    EXPECT_EQ(start.why, "no socket: Too many open files");
    EXPECT_LT(end - begin, std::chrono::seconds(2));
}

TEST(Supervisor, HasItsSignalsToItselfAndNothingIsSentToOneThatIsGone) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);  // as srun has it
    Supervisor supervisor;
    // A signal that is blocked would not end it.
    const Start start = supervisor.start(shell("echo ready; kill -TERM $$; sleep 60"), 10.0);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    EXPECT_TRUE(start.managed);
    const auto begin = std::chrono::steady_clock::now();
    supervisor.finish(0);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace fairlead::spank
