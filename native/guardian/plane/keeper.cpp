// SPDX-License-Identifier: Apache-2.0
#include "plane/keeper.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

#include "kernel/netlink.hpp"
#include "kernel/presence.hpp"
#include "kernel/privileges.hpp"
#include "kernel/process_id.hpp"
#include "plane/footprint.hpp"

namespace fairlead::guardian {

namespace {

using namespace std::chrono_literals;

// Not "fairlead...": who ends all processes of that name must not end this one with them.
constexpr const char* kName = "route-keeper";
constexpr auto kEnds = 2s;  // what the kernel takes at most to end a guardian whose files it has closed
constexpr auto kLockPatience = 1s;
constexpr int kAttempts = 20;
constexpr int kLocked = 3;  // attempts that need the lock: who keeps it for longer has been stopped
constexpr auto kPause = 100ms;

void wait_for_end_of(const ProcessId& guardian) {
    const auto deadline = std::chrono::steady_clock::now() + kEnds;
    while (!guardian.gone() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
}

// The guardian's socket to its agent is closed here too: the agent sees the guardian's end by it.
void keep_only(int lifeline) {
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (dup2(lifeline, STDIN_FILENO) < 0) _exit(1);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
        if (nowhere < 0 || dup2(nowhere, output) < 0) close(output);
    }
    close_inherited_descriptors();
}

void wait_for_loss_of(int lifeline) {
    char nothing = 0;
    while (read(lifeline, &nothing, sizeof nothing) < 0 && errno == EINTR) {
    }
}

std::optional<NamespaceLock> lock_in_time() {
    try {
        return NamespaceLock::wait(kLockPatience);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

// False if something may be left. With the lock a new guardian of the job is either seen or has yet to begin.
bool withdraw(const std::string& job, bool needs_lock) {
    try {
        const std::optional<NamespaceLock> lock = lock_in_time();
        if (needs_lock && !lock) return false;
        Netlink netlink;
        stop_leading(netlink, job);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// noexcept: nothing of it may go on as the guardian.
[[noreturn]] void keep(int lifeline, const std::string& job, const ProcessId& guardian) noexcept {
    prctl(PR_SET_NAME, kName);
    keep_only(lifeline);
    wait_for_loss_of(STDIN_FILENO);
    wait_for_end_of(guardian);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        if (withdraw(job, attempt < kLocked)) _exit(0);
        std::this_thread::sleep_for(kPause);
    }
    _exit(1);
}

}  // namespace

Keeper::Keeper(const std::string& job) {
    const ProcessId guardian = ProcessId::self();
    signal(SIGCHLD, SIG_DFL);  // were it ignored, its number could be another's by the time that we end it
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw KernelError(errno, std::string("pipe: ") + std::strerror(errno));
    process_ = fork();
    if (process_ == 0) {
        close(ends[1]);
        keep(ends[0], job, guardian);
    }
    const int error = errno;
    close(ends[0]);
    lifeline_ = ends[1];
    if (process_ > 0) return;
    close(lifeline_);
    throw KernelError(error, std::string("no process can be started that withdraws reroutes should the guardian be "
                                         "killed: ") +
                                 std::strerror(error));
}

Keeper::~Keeper() {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    close(lifeline_);
}

}  // namespace fairlead::guardian
