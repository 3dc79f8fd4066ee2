// SPDX-License-Identifier: Apache-2.0
#include "kernel/process_id.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <thread>

namespace fairlead::guardian {
namespace {

// A child that is stopped, until it is ended.
class StoppedChild {
  public:
    StoppedChild() : pid_(fork()) {
        if (pid_ == 0) {
            raise(SIGSTOP);
            while (true) pause();
        }
        waitpid(pid_, nullptr, WUNTRACED);
    }
    StoppedChild(const StoppedChild&) = delete;
    StoppedChild& operator=(const StoppedChild&) = delete;
    ~StoppedChild() { end(); }
    void end() {
        if (pid_ < 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }
    bool goes_on() const {
        int status = 0;
        return waitpid(pid_, &status, WCONTINUED | WNOHANG) == pid_ && WIFCONTINUED(status);
    }
    // As it would have noted itself. Both of us began after the machine: any start is above 0.
    ProcessId id() const {
        ProcessId id = ProcessId::self();
        id.pid = pid_;
        while (!id.stopped()) ++id.start_ticks;
        return id;
    }

  private:
    pid_t pid_;
};

TEST(ProcessId, IsNotedAsText) {
    const ProcessId self = ProcessId::self();
    EXPECT_EQ(self.pid, getpid());
    EXPECT_GT(self.start_ticks, 0U);
    const auto read = ProcessId::of(self.text());
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->text(), self.text());
    const auto earlier = ProcessId::of("17@4026531836");
    ASSERT_TRUE(earlier.has_value());
    EXPECT_EQ(earlier->text(), "17@4026531836@0");
    for (const char* wrong : {"", "17", "17@", "17@4@", "17@4@5@", "17@4@5x", "x@4@5", "17@-4@5", "@4@5"})
        EXPECT_FALSE(ProcessId::of(wrong).has_value()) << wrong;
}

TEST(ProcessId, AStoppedProcessIsWoken) {
    const StoppedChild child;
    const ProcessId id = child.id();
    EXPECT_TRUE(id.stopped());
    EXPECT_FALSE(id.gone());
    id.wake();
    EXPECT_TRUE(child.goes_on());
}

TEST(ProcessId, AnotherProcessOfItsNumberIsNotSignalled) {
    const StoppedChild child;
    for (const std::uint64_t start_ticks : {child.id().start_ticks - 1, std::uint64_t{0}}) {
        ProcessId id = child.id();
        id.start_ticks = start_ticks;
        EXPECT_FALSE(id.stopped());
        id.wake();
        EXPECT_FALSE(child.goes_on());
    }
    EXPECT_TRUE(child.id().stopped());
}

TEST(ProcessId, IsGoneWhenNobodyHasItsNumber) {
    StoppedChild child;
    const ProcessId id = child.id();
    child.end();
    EXPECT_TRUE(id.gone());
    EXPECT_FALSE(id.stopped());
    id.wake();  // signals nobody
    ProcessId elsewhere = id;
    ++elsewhere.pid_namespace;
    EXPECT_FALSE(elsewhere.gone()) << "nothing is known of other namespaces";
}

TEST(ProcessId, IsGoneAlsoWhereItEndsWhileItIsLookedAt) {
    for (int child = 0; child < 150; ++child) {
        const pid_t pid = fork();
        if (pid == 0) _exit(0);
        ProcessId id = ProcessId::self();
        id.pid = pid;
        std::thread parent([pid] { waitpid(pid, nullptr, 0); });
        EXPECT_NO_THROW(while (!id.gone()){});
        parent.join();
    }
}

// From here on the kernel has no memory to tell this process of files by their names. False where that cannot be had.
bool without_stat() {
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The keeper asks in a function that nothing may leave by.
TEST(ProcessId, WhereTheKernelDoesNotTellNobodyIsGoneAndNothingIsThrown) {
    StoppedChild child;
    const ProcessId living = child.id();
    ProcessId ended = living;
    child.end();
    constexpr int kNotHere = 77;
    const pid_t asking = fork();
    if (asking == 0) {
        if (!without_stat()) _exit(kNotHere);
        try {
            ended.wake();
            _exit(ended.gone() || living.stopped() ? 1 : 0);
        } catch (const std::exception&) {
            _exit(2);
        }
    }
    int status = 0;
    waitpid(asking, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotHere) GTEST_SKIP() << "no filters of system calls here";
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fairlead::guardian
