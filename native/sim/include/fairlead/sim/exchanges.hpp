// SPDX-License-Identifier: Apache-2.0
// Programs of which only the traffic matters: pairs of hosts that send messages, with pauses between them.
#pragma once

#include <vector>

#include "fairlead/core/random.hpp"
#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

class Exchanges {
  public:
    Exchanges(EventQueue& events, Tcp& tcp, std::uint64_t seed) : events_(events), tcp_(tcp), random_(seed) {}

    /// One message after the other, with pauses of half to one and a half times `pause_s` between them.
    void always(EndId source, EndId destination, double message_B, double pause_s, int job = 0);
    /// The same with even pauses, but only for `length_s` from each of these moments on.
    void at_times(EndId source, EndId destination, double message_B, double pause_s,
                  const std::vector<double>& begins_s, double length_s, int job = 0);

  private:
    Connection& open(EndId source, EndId destination, double message_B, int job);
    void send(Connection& connection, double message_B);

    EventQueue& events_;
    Tcp& tcp_;
    core::Random random_;
};

}  // namespace fairlead::sim
