// SPDX-License-Identifier: Apache-2.0
#include "control/output.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <nlohmann/json.hpp>
#include <utility>

#include "process/clock.hpp"

namespace fairlead::agent {
namespace {

/// Longest time that an event waits for others, and from when on it goes if the agent is awake anyway.
constexpr double kHold_s = 0.2;
constexpr double kGather_s = 0.05;

}  // namespace

Output::Output(EventLoop& loop, int fd, std::function<void()> closed)
    : loop_(loop), fd_(fd), closed_(std::move(closed)) {
    loop_.watch(fd_, 0, [this](std::uint32_t events) {
        // Told whether asked for or not, and again and again: a line may be long in coming.
        if (waiting_B() == 0 && (events & (EPOLLERR | EPOLLHUP)) != 0) return lose();
        write_some();
    });
}

Output::~Output() {
    loop_.cancel(held_);
    loop_.forget(fd_);
}

void Output::event(const nlohmann::json& line, bool prompt) {
    if (!put(line, kEventBacklog_B)) return;
    if (prompt || waiting_B() >= PIPE_BUF) return release();
    if (held_ == 0) {
        held_ = loop_.after(
            kGather_s, [this] { release(); }, kHold_s - kGather_s);
    }
}

void Output::answer(const nlohmann::json& line) {
    if (put(line, kAnswerLine_B)) release();
}

bool Output::put(const nlohmann::json& line, std::size_t limit_B) {
    if (broken_) return false;
    if (waiting_B() > limit_B) {
        ++dropped_;
        return false;
    }
    pending_ += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    pending_ += '\n';
    return true;
}

void Output::release() {
    loop_.cancel(std::exchange(held_, 0));
    if (!broken_) loop_.change(fd_, EPOLLOUT);
}

// The descriptor may be shared with other processes (a terminal), so it is not made non-blocking: a pipe that poll
// reports writable takes PIPE_BUF bytes without blocking.
void Output::write_some() {
    if (broken_) return;
    if (waiting_B() > 0) {
        const ssize_t count = write(fd_, pending_.data() + written_, std::min<std::size_t>(waiting_B(), PIPE_BUF));
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (count < 0) return lose();
        written_ += static_cast<std::size_t>(count);
    }
    if (waiting_B() == 0) {
        pending_.clear();
        written_ = 0;
        loop_.change(fd_, 0);
    } else if (written_ > kEventBacklog_B) {
        pending_.erase(0, written_);
        written_ = 0;
    }
}

void Output::lose() {
    broken_ = true;
    loop_.change(fd_, 0);
    loop_.forget(fd_);
    closed_();
}

void Output::finish(double timeout_s) {
    const double deadline = monotonic_s() + timeout_s;
    while (!broken_ && waiting_B() > 0) {
        const double left_s = deadline - monotonic_s();
        pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
        if (left_s <= 0.0 || poll(&ready, 1, static_cast<int>(left_s * 1e3) + 1) == 0) return;
        write_some();
    }
}

}  // namespace fairlead::agent
