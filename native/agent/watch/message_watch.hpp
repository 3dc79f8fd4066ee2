// SPDX-License-Identifier: Apache-2.0
// Watches the messages of this host's ranks: rings in, questions to other agents, times out.
#pragma once

#include <functional>
#include <string>

#include "control/config.hpp"
#include "fairlead/core/message_monitor.hpp"
#include "generated/events.hpp"
#include "measure/prober.hpp"
#include "peers/udp_channel.hpp"
#include "planes/rank_announcer.hpp"
#include "process/clock.hpp"
#include "process/event_loop.hpp"
#include "watch/message_rings.hpp"

namespace fairlead::agent {

class MessageWatch {
  public:
    using Report = std::function<void(const Event&)>;
    using OnTime = std::function<void(const core::NetworkTime&)>;

    /// `on_time` gets every message that was joined; `report` gets a `communication` event for every pair and second,
    /// and `rank_pairs`.
    MessageWatch(EventLoop& loop, const Config& config, const Clock& clock, UdpChannel& channel, const Prober& prober,
                 const core::Settings& settings, Report report, OnTime on_time);
    ~MessageWatch();
    MessageWatch(const MessageWatch&) = delete;
    MessageWatch& operator=(const MessageWatch&) = delete;

    /// Whether the message was one for this.
    bool on_message(core::HostId from, const core::wire::Message& message);

    /// The program is over: reads and reports the rest.
    void stop();

  private:
    void poll();
    void drain();
    void drain_all();
    void deliver();
    void report_pairs();
    void report_rank_pairs();

    EventLoop& loop_;
    const Config& config_;
    const Clock& clock_;
    UdpChannel& channel_;
    const Prober& prober_;
    Report report_;
    OnTime on_time_;
    MessageRings rings_;
    core::MessageMonitor monitor_;
    core::LookSettings looks_;
    double max_share_;
    double rests_until_s_ = 0.0;    ///< so that the program has the processors
    double active_s_;               ///< when records came last, or this began
    double reported_s_ = kNever_s;  ///< when pairs were
    double ranks_reported_s_;       ///< when pairs of ranks were, or this began
    RankAnnouncer announcer_;
    std::size_t known_ranks_ = 0;
    EventLoop::TimerId timer_ = 0;
};

}  // namespace fairlead::agent
