// SPDX-License-Identifier: Apache-2.0
#include "fairlead/core/message_times.hpp"

#include <algorithm>

namespace fairlead::core {

namespace {

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

}  // namespace

double waited_s(const ReceiveTimes& receive) {
    return std::max(0.0, seconds(receive.done_ns - receive.waiting_from_ns));
}

std::optional<MessageTimes> message_times(std::uint64_t size_B, const SendTimes& send, const ReceiveTimes& receive,
                                          double clock_error_s, const MessageSettings& settings) {
    const double flight_s = seconds(receive.done_ns - send.begun_ns);
    if (flight_s < -clock_error_s) return std::nullopt;
    MessageTimes times;
    const double waited = waited_s(receive);
    times.late_sender_s = std::clamp(seconds(send.begun_ns - receive.waiting_from_ns), 0.0, waited);
    times.network_s = waited - times.late_sender_s;
    if (receive.computed) return times;
    if (size_B <= static_cast<std::uint64_t>(settings.rendezvous_B)) {
        times.latency_s = std::max(0.0, flight_s);
        return times;
    }
    const std::int64_t both_there_ns = std::max(send.begun_ns, receive.needed_ns);
    const bool inside = !send.computed && seconds(send.needed_ns - both_there_ns) <= clock_error_s;
    if (inside) times.latency_s = std::max(0.0, seconds(receive.done_ns - both_there_ns));
    return times;
}

}  // namespace fairlead::core
