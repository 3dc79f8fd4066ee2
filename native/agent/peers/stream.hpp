// SPDX-License-Identifier: Apache-2.0
// A TCP connection of a measurement thread: whole reads and writes, bounded in time.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "process/socket_address.hpp"
#include "process/unique_fd.hpp"
#include "process/workers.hpp"

namespace fairlead::agent {

/// The connection could not be made, broke, stalled, or the agent is stopping; the text says which.
struct StreamError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The other end closed the connection, in good order or not.
struct StreamClosed : StreamError {
    using StreamError::StreamError;
};

class Stream {
  public:
    /// Without a byte moving for this long a transfer has failed.
    static constexpr double kStall_s = 5.0;
    /// How long a reader polls (yielding) before it sleeps. MPI libraries poll all the time; the wake-up of a sleeping
    /// reader adds 4 us and more, which short messages on fast networks would show. Polling for longer gains nothing,
    /// and takes the CPU from whoever is waited for where hosts share it (measured: 8 pairs' 64 KiB messages on 2 CPUs
    /// take twice as long if their readers poll for 1 ms).
    static constexpr double kSpin_s = 200e-6;

    /// Takes a connected socket. deadline_s: CLOCK_MONOTONIC, for everything together.
    Stream(UniqueFd socket, const Cancellation& cancellation, double deadline_s);

    /// Connects from `source` (any port) to `target`, within timeout_s.
    static Stream connect(const Address& source, const SocketAddress& target, double timeout_s,
                          const Cancellation& cancellation, double deadline_s);

    void write_all(std::span<const std::uint8_t> data);
    void read_exact(std::span<std::uint8_t> data);

    /// Waits for data and drops it without copying; `scratch` bounds how much. Returns the number of bytes, 0 at the
    /// end of the stream.
    std::size_t discard(std::span<std::uint8_t> scratch);
    /// Writes what fits now; 0 if nothing does.
    std::size_t write_some(std::span<const std::uint8_t> data);
    void finish_writing();

    /// Throws StreamError if the deadline has passed or the agent is stopping: for loops that never have to wait.
    void check() const;
    void set_deadline(double deadline_s) { deadline_s_ = deadline_s; }
    int fd() const { return socket_.get(); }
    UniqueFd release() && { return std::move(socket_); }

  private:
    void wait(short events);

    UniqueFd socket_;
    const Cancellation* cancellation_;
    double deadline_s_;
};

}  // namespace fairlead::agent
