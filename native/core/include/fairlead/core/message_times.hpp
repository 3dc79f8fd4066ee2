// SPDX-License-Identifier: Apache-2.0
// What the two ends of a message tell of the network: its time L, and how much of a receiver's waiting it explains.
//
// t_s: the send is entered. t_rq: the receiver begins to need it. t_r: it is there, which is known of messages that the
// receiver waited for: then it is when the call returns. L = t_r - t_s. A large message is not on its way before both
// sides are there (rendezvous): L = t_r - max(t_s, t_rq), and only if the sender was inside MPI from then on, for else
// its own computing is in it. A late sender (t_s > t_rq) makes a receiver wait, too; L does not contain that.
#pragma once

#include <cstdint>
#include <optional>

#include "fairlead/core/settings.hpp"

namespace fairlead::core {

/// What is known of a message's send, by the receiving host's clock.
struct SendTimes {
    std::int64_t begun_ns = 0;
    std::int64_t needed_ns = 0;  ///< since when its rank was inside MPI for it
    bool computed = false;       ///< but not all the while
};

/// What is known of its receive, by the same clock.
struct ReceiveTimes {
    std::int64_t needed_ns = 0;        ///< t_rq
    std::int64_t waiting_from_ns = 0;  ///< not before the call before returned: nothing is waited for twice
    std::int64_t done_ns = 0;          ///< return of the call that completed it
    bool computed = false;             ///< between its tests the rank computed: it may have been there before
};

/// How long the receiver waited, 0 if it did not.
double waited_s(const ReceiveTimes& receive);

struct MessageTimes {
    double network_s = 0.0;           ///< of the waiting: after the send had begun
    double late_sender_s = 0.0;       ///< before that
    std::optional<double> latency_s;  ///< L; nothing if the ends do not tell it
};

/// Of a message that its receiver waited for. Nothing if it was there before it was sent, beyond the clocks' error:
/// then the two ends are not of one message.
std::optional<MessageTimes> message_times(std::uint64_t size_B, const SendTimes& send, const ReceiveTimes& receive,
                                          double clock_error_s, const MessageSettings& settings);

}  // namespace fairlead::core
