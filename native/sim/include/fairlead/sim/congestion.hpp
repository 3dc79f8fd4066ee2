// SPDX-License-Identifier: Apache-2.0
// Foreign traffic, and links that somebody slows down.
#pragma once

#include <map>
#include <utility>

#include "fairlead/core/random.hpp"
#include "fairlead/sim/event_queue.hpp"
#include "fairlead/sim/network.hpp"
#include "fairlead/sim/rank_pair.hpp"
#include "fairlead/sim/tcp.hpp"

namespace fairlead::sim {

class Congestion {
  public:
    Congestion(EventQueue& events, Network& network, Tcp& tcp, std::uint64_t seed)
        : events_(events), network_(network), tcp_(tcp), random_(seed) {}

    /// `count` streams from one end to another that always have data. They begin within 1 ms of `start_s`; what is
    /// under way at `stop_s` still arrives.
    void streams(EndId from, EndId to, int count, double start_s, double stop_s);
    /// Streams whose senders write a block whenever they are behind their rate (of each). A sender that is four
    /// blocks behind waits: its socket's buffer is full.
    void paced(EndId from, EndId to, int count, double rate_bps, double block_B, double start_s, double stop_s);
    /// Two ranks of an MPI program exchange messages of that size.
    void messages(EndId a, EndId b, double message_B, double start_s, double stop_s);
    /// A fixed delay on top of a link's own.
    void delay(LinkId link, double added_s, double start_s, double stop_s);

  private:
    EventQueue& events_;
    Network& network_;
    Tcp& tcp_;
    core::Random random_;
    std::map<std::pair<EndId, EndId>, RankPair> rank_pairs_;  ///< their connections stay open between periods
};

}  // namespace fairlead::sim
