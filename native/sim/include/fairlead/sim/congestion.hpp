// SPDX-License-Identifier: Apache-2.0
// Foreign traffic, and links that somebody slows down.
#pragma once

#include <map>
#include <tuple>

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
    /// Two ranks of an MPI program exchange messages of that size. Other sizes between the same ends are another
    /// program's.
    void messages(EndId a, EndId b, double message_B, double start_s, double stop_s);
    /// A fixed delay on top of a link's own.
    void delay(LinkId link, double added_s, double start_s, double stop_s);

  private:
    void write_block(Connection& stream, double block_B, double when, double period_s, double stop_s);

    EventQueue& events_;
    Network& network_;
    Tcp& tcp_;
    core::Random random_;
    /// By ends and size; their connections stay open between periods.
    std::map<std::tuple<EndId, EndId, double>, RankPair> rank_pairs_;
};

}  // namespace fairlead::sim
