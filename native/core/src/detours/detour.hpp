// SPDX-License-Identifier: Apache-2.0
// Traffic away from the direct path: measures that path and both legs of the detour, and shows by echoes that it
// carries packets. An equal-cost path has no legs: its echoes measure it.
#pragma once

#include <algorithm>
#include <optional>

#include "detours/echo_watch.hpp"
#include "fairlead/core/path_table.hpp"
#include "fairlead/core/random.hpp"
#include "job.hpp"
#include "outbox.hpp"
#include "paths/paths.hpp"
#include "traffic/traffic.hpp"

namespace fairlead::core {

class Detour {
  public:
    Detour(const Job& job, HostId destination, HostId relay, bool manual, Time now);

    HostId relay() const { return relay_; }
    bool manual() const { return manual_; }
    Time since() const { return since_; }

    /// Probes the direct path and the legs, where it is time to.
    void measure(Paths& paths, Time now, Random& random, Outbox& out);
    /// The legs, though it may not be time yet: something is wrong.
    void check_legs(Paths& paths, Time now, Outbox& out);
    /// A report of a leg. Whether it is that of this detour that was waited for.
    bool take(HostId from, const wire::PathReport& report);
    /// Whether both legs were measured and there is a standing queue on them that the pair's own bytes do not explain:
    /// any other detour would look the same as soon as it is used.
    bool slow(const Paths& paths, const Traffic& traffic, Time now) const;
    /// Whether the traffic takes an equal-cost path whose echoes show a standing queue that its own bytes do not
    /// explain.
    bool way_slow(const Paths& paths, const Traffic& traffic, Time now) const;
    /// Whether packets queue for longer on the direct path than on the equal-cost path that the traffic takes, where
    /// that queue has stood for so long that it is part of the direct path's baseline. Over a relay latencies tell.
    bool direct_queues_longer(const Paths& paths, Time now) const;
    /// What a message of the pair's mix takes over it; nothing: not known.
    std::optional<double> latency_s(const Paths& paths, const Traffic& traffic, Time now) const;
    Time next_measurement() const { return std::min(next_direct_, next_legs_); }

    /// Sends the next echo. While some are missing the destination is asked by the direct path as well, to tell a dead
    /// host from a broken detour.
    void send_echo(Time now, Outbox& out);
    /// `free_departure`: see Received.
    void take(const wire::EchoReply& reply, Time now, std::optional<Time> free_departure = {}) {
        echoes_.answered(reply.token, now, free_departure);
    }
    /// Whether too many did not come back.
    bool lost(Time now) const { return echoes_.missing(job_->settings.echo, now) >= job_->settings.echo.missed; }
    /// Since when the destination is asked directly; nothing: it is not.
    std::optional<Time> asked_directly() const { return asked_directly_; }
    Time next_echo(bool in_use) const;

  private:
    bool fills(const Paths& paths, const Traffic& traffic, Time now) const;
    std::optional<double> way_queue_s(const Paths& paths, Time now) const;

    const Job* job_;
    HostId destination_;
    HostId relay_;
    bool manual_;
    Time since_;
    Time next_direct_;
    Time next_legs_;
    bool legs_awaited_ = false;
    std::uint32_t legs_token_ = 0;
    std::optional<LegState> second_;  ///< relay -> destination, as last reported
    EchoWatch echoes_;
    std::optional<Time> asked_directly_;
};

}  // namespace fairlead::core
