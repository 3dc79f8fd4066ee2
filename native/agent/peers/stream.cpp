// SPDX-License-Identifier: Apache-2.0
#include "peers/stream.hpp"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "process/clock.hpp"
#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

[[noreturn]] void throw_stream(const std::string& what, int error) {
    if (error == ECONNRESET || error == EPIPE) throw StreamClosed(what + ": " + std::strerror(error));
    throw StreamError(what + ": " + std::strerror(error));
}

bool would_block(int error) {
    return error == EAGAIN || error == EINTR;
}

void connect_within(int fd, const SocketAddress& target, double timeout_s, const Cancellation& cancellation) {
    if (connect(fd, target.get(), target.size_B()) == 0) return;
    if (errno != EINPROGRESS) throw_stream("cannot connect", errno);
    std::array<pollfd, 2> waiting{pollfd{.fd = fd, .events = POLLOUT, .revents = 0},
                                  pollfd{.fd = cancellation.fd(), .events = POLLIN, .revents = 0}};
    const int ready = poll(waiting.data(), waiting.size(), static_cast<int>(timeout_s * 1e3) + 1);
    if (cancellation.raised()) throw StreamError("the agent is stopping");
    if (ready <= 0) throw StreamError("the connection attempt timed out");
    int error = 0;
    socklen_t length = sizeof error;
    checked(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length), "SO_ERROR");
    if (error != 0) throw_stream("cannot connect", error);
}

}  // namespace

Stream::Stream(UniqueFd socket, const Cancellation& cancellation, double deadline_s)
    : socket_(std::move(socket)), cancellation_(&cancellation), deadline_s_(deadline_s) {
    const int on = 1;
    checked(setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
}

Stream Stream::connect(const Address& source, const SocketAddress& target, double timeout_s,
                       const Cancellation& cancellation, double deadline_s) {
    UniqueFd fd(checked(socket(source.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "TCP socket"));
    const SocketAddress from(source, 0);
    const int on = 1;  // the port is drawn at connect(), when the target is known: far more connections fit
    checked(setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on), "IP_BIND_ADDRESS_NO_PORT");
    checked(bind(fd.get(), from.get(), from.size_B()), "bind of a TCP socket");
    connect_within(fd.get(), target, timeout_s, cancellation);
    return Stream(std::move(fd), cancellation, deadline_s);
}

void Stream::check() const {
    if (cancellation_->raised()) throw StreamError("the agent is stopping");
    if (monotonic_s() >= deadline_s_) throw StreamError("timed out");
}

void Stream::wait(short events) {
    std::array<pollfd, 2> waiting{pollfd{.fd = socket_.get(), .events = events, .revents = 0},
                                  pollfd{.fd = cancellation_->fd(), .events = POLLIN, .revents = 0}};
    const double left_s = deadline_s_ - monotonic_s();
    const int ready =
        poll(waiting.data(), waiting.size(), static_cast<int>(std::clamp(left_s, 0.0, kStall_s) * 1e3) + 1);
    if (ready < 0 && errno != EINTR) throw_stream("poll", errno);
    check();
    if (ready == 0) throw StreamError("the connection stalled");
}

void Stream::write_all(std::span<const std::uint8_t> data) {
    while (!data.empty()) {
        const std::size_t count = write_some(data);
        data = data.subspan(count);
        if (count == 0) wait(POLLOUT);
    }
}

std::size_t Stream::write_some(std::span<const std::uint8_t> data) {
    const ssize_t count = send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (would_block(errno)) return 0;
    throw_stream("the connection broke while sending", errno);
}

void Stream::read_exact(std::span<std::uint8_t> data) {
    double spin_until_s = 0.0;
    while (!data.empty()) {
        const ssize_t count = recv(socket_.get(), data.data(), data.size(), MSG_DONTWAIT);
        if (count > 0) {
            data = data.subspan(static_cast<std::size_t>(count));
            spin_until_s = 0.0;
            continue;
        }
        if (count == 0) throw StreamClosed("the other end closed the connection");
        if (!would_block(errno)) throw_stream("the connection broke while receiving", errno);
        const double now = monotonic_s();
        if (spin_until_s == 0.0) spin_until_s = now + kSpin_s;
        if (now < spin_until_s) {
            sched_yield();
        } else {
            wait(POLLIN);
        }
    }
}

std::size_t Stream::discard(std::span<std::uint8_t> scratch) {
    for (;;) {
        // With MSG_TRUNC the kernel drops stream data instead of copying it (tcp(7)).
        const ssize_t count = recv(socket_.get(), scratch.data(), scratch.size(), MSG_DONTWAIT | MSG_TRUNC);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (!would_block(errno)) throw_stream("the connection broke while receiving", errno);
        wait(POLLIN);
    }
}

void Stream::finish_writing() {
    if (shutdown(socket_.get(), SHUT_WR) < 0) throw_stream("the connection broke while sending", errno);
}

}  // namespace fairlead::agent
