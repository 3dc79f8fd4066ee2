// SPDX-License-Identifier: Apache-2.0
#include "measure/bulk.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "process/bytes.hpp"
#include "process/clock.hpp"
#include "process/system_error.hpp"

namespace fairlead::agent {
namespace {

constexpr std::size_t kChunk_B = 128 * 1024;
constexpr std::size_t kReceive_B = 256 * 1024;
constexpr std::size_t kArrival_B = 32;

/// Keeps little unsent data in the kernel, so that a stream ends soon after its time on slow paths too.
void limit_unsent(int fd) {
    const int limit_B = kChunk_B;
    checked(setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &limit_B, sizeof limit_B), "TCP_NOTSENT_LOWAT");
}

void wait_writable(std::vector<pollfd>& waiting, double end_s) {
    const double left_s = std::max(0.0, end_s - monotonic_s());
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left_s * 1e3) + 1) < 0 && errno != EINTR)
        throw_errno("poll");
}

}  // namespace

std::vector<StreamArrival> send_bulk(std::span<Session> sessions, double duration_s, const Cancellation& cancellation) {
    const std::vector<std::uint8_t> chunk(kChunk_B);
    std::vector<pollfd> waiting;
    for (Session& session : sessions) {
        limit_unsent(session.stream().fd());
        waiting.push_back({.fd = session.stream().fd(), .events = POLLOUT, .revents = 0});
    }
    waiting.push_back({.fd = cancellation.fd(), .events = POLLIN, .revents = 0});
    const double end_s = monotonic_s() + duration_s;
    while (monotonic_s() < end_s) {
        for (Session& session : sessions) {
            session.stream().check();
            session.stream().write_some(chunk);
        }
        wait_writable(waiting, end_s);
    }
    for (Session& session : sessions) session.stream().finish_writing();
    std::vector<StreamArrival> arrivals;
    for (Session& session : sessions) {
        std::array<std::uint8_t, kArrival_B> bytes;
        session.receive_result(bytes);
        arrivals.push_back({load<std::uint64_t>(&bytes[0]), load<std::uint64_t>(&bytes[8]),
                            static_cast<std::int64_t>(load<std::uint64_t>(&bytes[16])),
                            static_cast<std::int64_t>(load<std::uint64_t>(&bytes[24]))});
    }
    return arrivals;
}

void receive_bulk(Session& session) {
    std::vector<std::uint8_t> scratch(kReceive_B);
    StreamArrival arrival;
    while (const std::size_t count = session.stream().discard(scratch)) {
        session.stream().check();
        arrival.last_ns = read_clock_ns(CLOCK_MONOTONIC);
        if (arrival.bytes_B == 0) {
            arrival.first_B = count;
            arrival.first_ns = arrival.last_ns;
        }
        arrival.bytes_B += count;
    }
    std::array<std::uint8_t, kArrival_B> bytes;
    store(&bytes[0], arrival.bytes_B);
    store(&bytes[8], arrival.first_B);
    store(&bytes[16], static_cast<std::uint64_t>(arrival.first_ns));
    store(&bytes[24], static_cast<std::uint64_t>(arrival.last_ns));
    session.send_result(bytes);
}

BulkResult combine(std::span<const StreamArrival> streams) {
    const StreamArrival* first = nullptr;
    std::int64_t last_ns = 0;
    BulkResult result;
    for (const StreamArrival& stream : streams) {
        if (stream.bytes_B == 0) continue;
        result.bytes_B += stream.bytes_B;
        if (first == nullptr || stream.first_ns < first->first_ns) first = &stream;
        last_ns = std::max(last_ns, stream.last_ns);
    }
    if (first == nullptr || last_ns <= first->first_ns) throw StreamError("too little data arrived to compute a rate");
    result.duration_s = static_cast<double>(last_ns - first->first_ns) * 1e-9;
    result.rate_bps = 8.0 * static_cast<double>(result.bytes_B - first->first_B) / result.duration_s;
    return result;
}

}  // namespace fairlead::agent
