// SPDX-License-Identifier: Apache-2.0
// Two ranks of a foreign MPI program that exchange messages, as random-traffic does: both ways at the same time, the
// next as soon as the one received and the one sent are over. Unlike a stream they pause at the end of each message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/messages.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

class RankPair {
  public:
    /// The ends must differ.
    RankPair(EventQueue& events, Tcp& tcp, EndId a, EndId b);

    /// From now on, and at least until then. Each message says whether its sender finds the time over, so that both end
    /// after the same one: what begins before `stop_s` may end after it.
    void exchange(double message_B, double stop_s);

    std::uint64_t exchanged() const { return exchanged_; }

  private:
    void begin(std::size_t rank);
    void finish_part(std::size_t rank);

    EventQueue& events_;
    Messages messages_;
    double message_B_ = 0.0;
    double stop_s_ = 0.0;
    bool over_ = false;             ///< somebody found so: both end after the message that says it
    std::uint64_t last_ = 0;        ///< number of that message
    std::array<int, 2> missing_{};  ///< of a rank's two parts, its own message and its partner's
    std::array<std::uint64_t, 2> begun_{};
    std::array<bool, 2> resting_{true, true};
    std::uint64_t exchanged_ = 0;  ///< received by either
};

}  // namespace fairlead::sim
