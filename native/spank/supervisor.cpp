// SPDX-License-Identifier: Apache-2.0
#include "supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

extern char** environ;

namespace fairlead::spank {
namespace {

constexpr double kEnd_s = 20.0;    ///< From the end of the tasks to that of the supervisor; it may write a report.
constexpr double kGiveUp_s = 2.0;  ///< The same where it was not ready in time.
constexpr int kPoll_ms = 20;
constexpr int kUnknown = -1;  ///< An exit code that somebody else has taken note of.

double now_s() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Attributes of a process that has nothing of srun's signals: srun blocks and handles them in a thread of its own.
class PlainSignals {
  public:
    PlainSignals() {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_init(&attributes_);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~PlainSignals() { posix_spawnattr_destroy(&attributes_); }
    PlainSignals(const PlainSignals&) = delete;
    PlainSignals& operator=(const PlainSignals&) = delete;
    const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_;
};

/// Its stdin and stdout are the socket; stderr is srun's.
class OnSocket {
  public:
    explicit OnSocket(int socket) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    }
    ~OnSocket() { posix_spawn_file_actions_destroy(&actions_); }
    OnSocket(const OnSocket&) = delete;
    OnSocket& operator=(const OnSocket&) = delete;
    const posix_spawn_file_actions_t* get() const { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_;
};

/// Not among 0, 1 and 2, which the new process has its own of: srun's may be closed.
int above_standard_streams(int descriptor) {
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return moved;
}

/// Reads what there is; false at the end, or if nothing has come by the deadline.
bool read_more(int socket, double deadline_s, std::string& text) {
    char buffer[4096];
    while (true) {
        const double left_s = deadline_s - now_s();
        if (left_s <= 0.0) return false;
        pollfd watched{socket, POLLIN, 0};
        const int ready = poll(&watched, 1, static_cast<int>(std::ceil(std::min(left_s, 60.0) * 1e3)));
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        const ssize_t count = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) return false;
        text.append(buffer, static_cast<std::size_t>(count));
        return true;
    }
}

/// Takes one line "set NAME=VALUE" or "ready" from the front of the text; true at "ready". Others are left out.
bool take_lines(std::string& text, Start& outcome) {
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        const std::string line = text.substr(0, end);
        text.erase(0, end + 1);
        if (line == "ready") return true;
        const std::size_t equals = line.find('=');
        if (line.compare(0, 4, "set ") == 0 && equals != std::string::npos)
            outcome.environment.emplace_back(line.substr(4, equals - 4), line.substr(equals + 1));
    }
    return false;
}

}  // namespace

Start Supervisor::start(const std::vector<std::string>& command, double wait_s) {
    Start outcome;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        outcome.why = std::string("no socket: ") + std::strerror(errno);
        return outcome;
    }
    socket_ = above_standard_streams(pair[0]);
    const int theirs = above_standard_streams(pair[1]);
    if (socket_ < 0 || theirs < 0) {  // srun has as many as it may
        outcome.why = std::string("no socket: ") + std::strerror(errno);
        if (socket_ >= 0) close(socket_);
        if (theirs >= 0) close(theirs);
        return outcome;
    }
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const int failure =
        posix_spawnp(&pid_, words[0], OnSocket(theirs).get(), PlainSignals().get(), words.data(), environ);
    close(theirs);
    if (failure != 0) {
        pid_ = -1;
        close(socket_);
        outcome.why = command[0] + ": " + std::strerror(failure);
        return outcome;
    }
    await_ready(wait_s, outcome);
    return outcome;
}

void Supervisor::await_ready(double wait_s, Start& outcome) {
    const double deadline_s = now_s() + wait_s;
    std::string text;
    while (read_more(socket_, deadline_s, text)) {
        if (!take_lines(text, outcome)) continue;
        outcome.managed = true;
        return;
    }
    if (now_s() >= deadline_s) {
        char line[96];
        std::snprintf(line, sizeof line, "the agents were not ready within %g s (--fairlead=wait=SECONDS)", wait_s);
        outcome.why = line;
        return give_up();
    }
    const int status = reap(kGiveUp_s);
    pid_ = -1;
    close(socket_);
    // It says itself why it does not manage, and ends with 1; what a signal ended was told to end.
    if (status == kUnknown || WIFSIGNALED(status)) return;
    if (const int code = WEXITSTATUS(status); code != 1 && code < 128)
        outcome.why = "the supervisor ended with exit code " + std::to_string(code);
}

void Supervisor::give_up() {
    // Until its end was taken note of, which srun may do as well, a child's number means no other process.
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0) kill(pid_, SIGTERM);
    shutdown(socket_, SHUT_RDWR);
    reap(kGiveUp_s);
    pid_ = -1;
    close(socket_);
}

void Supervisor::finish(int exit_code) {
    if (pid_ < 0) return;
    char line[32];
    const int length = std::snprintf(line, sizeof line, "exit %d\n", exit_code);
    send(socket_, line, static_cast<std::size_t>(length), MSG_NOSIGNAL);
    shutdown(socket_, SHUT_WR);
    reap(kEnd_s);
    pid_ = -1;
}

/// Wait for its end; its status, or kUnknown if it goes on or somebody else has waited for it.
int Supervisor::reap(double limit_s) {
    const double deadline_s = now_s() + limit_s;
    do {
        int status = 0;
        const pid_t ended = waitpid(pid_, &status, WNOHANG);
        if (ended == pid_) return status;
        if (ended < 0 && errno != EINTR) return kUnknown;
        poll(nullptr, 0, kPoll_ms);
    } while (now_s() < deadline_s);
    return kUnknown;
}

}  // namespace fairlead::spank
