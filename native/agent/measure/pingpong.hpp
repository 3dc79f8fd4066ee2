// SPDX-License-Identifier: Apache-2.0
// Ping-pong over TCP: one message of a size there, one back, at message level (write all, read all), as MPI does it.
#pragma once

#include <cstdint>
#include <vector>

#include "peers/session.hpp"
#include "process/clock.hpp"

namespace fairlead::agent {

/// One size's exchanges, in the order of their making.
struct PingPongSamples {
    std::uint64_t size_B = 0;
    std::vector<double> round_trip_s;
    std::vector<std::int64_t> sent_ns;      ///< initiator's clock, before the ping is written
    std::vector<std::int64_t> received_ns;  ///< responder's clock, after the whole ping was read
};

/// The initiator's part. Throws StreamError.
std::vector<PingPongSamples> ping(Session& session, const SessionRequest& request, const Clock& clock);

/// The responder's part. Throws StreamError.
void pong(Session& session, const SessionRequest& request, const Clock& clock);

}  // namespace fairlead::agent
