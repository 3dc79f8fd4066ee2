// SPDX-License-Identifier: Apache-2.0
// Timing probes with four stamps, the peers' clocks that follow from them, and the answers to others' probes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fairlead/core/clock_sync.hpp"
#include "peers/udp_channel.hpp"
#include "process/clock.hpp"
#include "process/event_loop.hpp"

namespace fairlead::agent {

struct ProbeOutcome {
    core::HostId peer = core::kNoHost;
    double sent_at_s = 0.0;  ///< CLOCK_MONOTONIC
    bool lost = false;
    core::Exchange exchange;  ///< meaningless if lost, like what follows
    core::Queueing queueing;
    double peer_run_delay_s = 0.0;
};

class Prober {
  public:
    using Callback = std::function<void(const ProbeOutcome&)>;

    Prober(EventLoop& loop, UdpChannel& channel, const Clock& clock, core::HostId host_count);

    /// Sends `count` probes, the first at once, and tells each one's outcome: the answer, or its loss after timeout_s.
    void burst(core::HostId peer, int count, double spacing_s, double timeout_s, Callback each);

    void on_probe(core::HostId from, const core::wire::Probe& probe, std::int64_t received_ns);
    void on_reply(core::HostId from, const core::wire::ProbeReply& reply, std::int64_t received_ns);

    /// Called with a peer whose clock stepped against the own one.
    void on_step(std::function<void(core::HostId)> stepped) { stepped_ = std::move(stepped); }

    /// Told to peers with every answer: how long this agent itself lately waited for a CPU.
    void set_run_delay(double run_delay_s) { run_delay_s_ = run_delay_s; }

    /// When a message that arrived at the peer then, by its clock, would have left here, had it met no queue, in s of
    /// CLOCK_MONOTONIC; nothing: its clock is not known yet.
    std::optional<double> free_departure_s(core::HostId peer, std::int64_t arrived_ns) const;

    const core::ClockSync& peer_clock(core::HostId peer) const { return clocks_.at(peer); }
    std::uint64_t sent() const { return sent_; }

  private:
    struct Outstanding {
        core::HostId peer = core::kNoHost;
        double sent_at_s = 0.0;
        std::int64_t t1_ns = 0;
        EventLoop::TimerId timer = 0;
        Callback callback;
    };
    void send_one(core::HostId peer, double timeout_s, Callback callback);
    void lose(std::uint32_t sequence);

    EventLoop& loop_;
    UdpChannel& channel_;
    const Clock& clock_;
    std::vector<core::ClockSync> clocks_;
    std::unordered_map<std::uint32_t, Outstanding> outstanding_;
    std::uint32_t next_sequence_ = 1;
    std::function<void(core::HostId)> stepped_;
    double run_delay_s_ = 0.0;
    std::uint64_t sent_ = 0;
};

}  // namespace fairlead::agent
