// SPDX-License-Identifier: Apache-2.0
// A bulk transfer: TCP streams at full speed for a while; the rate is the receiver's. Also serves as injected traffic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "peers/session.hpp"

namespace fairlead::agent {

/// What the receiver saw of one stream.
struct StreamArrival {
    std::uint64_t bytes_B = 0;
    std::uint64_t first_B = 0;  ///< of them, what came with the first read: its arrival starts the measured time
    std::int64_t first_ns = 0;  ///< receiver's CLOCK_MONOTONIC
    std::int64_t last_ns = 0;
};

struct BulkResult {
    std::uint64_t bytes_B = 0;
    double duration_s = 0.0;  ///< from the first byte's arrival on any stream to the last's
    double rate_bps = 0.0;    ///< of what came after the first read
};

/// Sends on all streams for duration_s, then collects the receiver's results. Throws StreamError.
std::vector<StreamArrival> send_bulk(std::span<Session> sessions, double duration_s, const Cancellation& cancellation);

/// The receiver's part, one stream. Throws StreamError.
void receive_bulk(Session& session);

/// Throws StreamError if so little arrived that there is no rate.
BulkResult combine(std::span<const StreamArrival> streams);

}  // namespace fairlead::agent
