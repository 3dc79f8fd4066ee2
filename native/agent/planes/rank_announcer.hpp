// SPDX-License-Identifier: Apache-2.0
// Tells the other agents which ranks run here: where they run is known to their host only, since a launcher may place
// them as it likes.
#pragma once

#include <cstdint>
#include <set>

#include "control/config.hpp"
#include "fairlead/relay/types.hpp"
#include "peers/udp_channel.hpp"

namespace fairlead::agent {

class RankAnnouncer {
  public:
    RankAnnouncer(const Config& config, UdpChannel& channel) : config_(config), channel_(channel) {}

    /// Tells of all of them, where it is time to. Called at least every kPeriod_s. world: theirs, of the relay plane.
    void announce(relay::WorldId world, const std::set<std::uint32_t>& ranks, double now_s);

    /// An agent began anew, and knows of none.
    void again() { tellings_ = 0; }

    static constexpr double kPeriod_s = 0.05;

  private:
    const Config& config_;
    UdpChannel& channel_;
    relay::WorldId world_ = relay::kNoWorld;
    std::set<std::uint32_t> known_;
    int tellings_ = 0;  ///< since the ranks were others
    double told_s_ = 0.0;
};

}  // namespace fairlead::agent
