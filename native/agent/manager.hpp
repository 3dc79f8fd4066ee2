// SPDX-License-Identifier: Apache-2.0
// Connects the controller, which decides, to what it decides about: sockets, probes, peers, routes.
#pragma once

#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "control/config.hpp"
#include "control/manage_config.hpp"
#include "fairlead/core/controller.hpp"
#include "fairlead/core/message_monitor.hpp"
#include "generated/events.hpp"
#include "measure/prober.hpp"
#include "peers/udp_channel.hpp"
#include "planes/data_plane.hpp"
#include "process/event_loop.hpp"
#include "process/precedence.hpp"
#include "process/usage.hpp"
#include "watch/interface_load.hpp"
#include "watch/socket_monitor.hpp"

namespace fairlead::agent {

class Manager {
  public:
    using Report = std::function<void(const Event&)>;
    /// Ends a manual reroute or restoration: with an empty string, or the reason why not.
    using ManualDone = std::function<void(const std::string& error)>;

    Manager(EventLoop& loop, const Config& config, const Clock& clock, UdpChannel& channel, Prober& prober,
            DataPlane& plane, ManageConfig manage, Precedence precedence, Report report);
    ~Manager();
    Manager(const Manager&) = delete;
    Manager& operator=(const Manager&) = delete;

    /// A control message of an authenticated peer. `received_ns`: by this host's clock.
    void on_message(core::HostId from, std::uint64_t boot_id, const core::wire::Message& message,
                    std::int64_t received_ns);
    /// What the program's messages tell of the paths that lead here.
    void on_message_time(const core::NetworkTime& time);
    void reroute(core::HostId destination, core::HostId relay, ManualDone done);
    /// By an equal-cost path; `number`: from 1.
    void reroute_by_way(core::HostId destination, int number, ManualDone done);
    void restore(core::HostId destination, ManualDone done);
    /// See core::Pause.
    void pause(double for_s);
    struct Progress {
        std::uint64_t delivered_B = 0;  ///< by the program's connections since they are watched
        int detours = 0;                ///< pairs that the controller itself has rerouted
    };
    /// As of now.
    Progress progress();
    /// Machines have moved, so that other paths have bottlenecks in common.
    void learn(core::SharingRelation sharing);
    /// This host's clock was set.
    void on_clock_stepped();
    /// The guardian is gone: this host can neither reroute nor relay any more.
    void on_plane_lost();

    /// Restores all pairs and says goodbye; `done` is called when that is over, at most kStop_s later.
    void stop(std::function<void()> done);

    /// Whether the controller watches, probes and decides by itself.
    bool automatic() const { return automatic_; }
    /// Whether the program talks to a host.
    bool uses(core::HostId peer) const { return controller_.view(peer).in_use; }
    int pairs_in_use() const { return controller_.pairs_in_use(); }
    /// A `path_latency` event for every pair in use: what its traffic now experiences. Unless `all`, only for those
    /// whose direct path is not low or whose traffic is rerouted.
    void report_latencies(bool all);

  private:
    struct ManualRequest {
        core::HostId relay = core::kNoHost;  ///< kNoHost: a restoration
        ManualDone done;
        EventLoop::TimerId timer = 0;
    };
    void feed(core::Event event);
    void feed_waiting();
    void wake();
    void tick();
    void poll();
    void plan_next_poll();
    void watch_sockets();
    void sample_sockets(bool complete);
    void sample_interface();

    void perform(const core::Send& send);
    void perform(const core::SendProbes& burst);
    void perform(const core::SendEcho& echo);
    void perform(const core::SampleSockets&);
    void perform(const core::Reroute& reroute);
    void perform(const core::Restore& back);
    void perform(const core::LevelChanged& change);
    void perform(const core::Rerouted& rerouted);
    void perform(const core::Restored& restored);
    void perform(const core::Kept& kept);
    void perform(const core::Noticed& noticed);
    void perform(const core::BaseShifted& shifted);
    void perform(const core::BaseLearnt& learnt);
    void perform(const core::ManualEnded& ended);

    void learn_leg(core::HostId relay, const core::wire::RelayGrant& grant);
    void await(core::HostId destination, ManualRequest wish);
    void settle(core::HostId destination, core::HostId relay, const std::string& error);
    void finish_stop();

    EventLoop& loop_;
    const Config& config_;
    const Clock& clock_;
    UdpChannel& channel_;
    Prober& prober_;
    DataPlane& plane_;
    Report report_;
    core::Controller controller_;
    bool automatic_;
    core::LookSettings looks_;
    std::optional<SocketMonitor> monitor_;  ///< none where nothing needs it, or the kernel does not tell
    int failed_samples_ = 0;                ///< in a row
    double next_sample_s_ = 0.0;            ///< CLOCK_MONOTONIC, after a failure
    InterfaceLoad interface_;
    double next_interface_s_ = 0.0;  ///< CLOCK_MONOTONIC
    RunDelay run_delay_;
    Precedence precedence_;
    double run_delay_since_poll_s_ = 0.0;
    std::deque<core::Event> events_;
    bool feeding_ = false;
    std::int64_t echo_arrived_ns_ = 0;  ///< of the last echo, while it is answered
    bool plane_lost_ = false;
    bool stopping_ = false;
    std::map<core::HostId, core::HostId> detours_;  ///< destination -> relay, as the kernel acknowledged
    std::map<core::HostId, ManualRequest> manual_requests_;
    EventLoop::TimerId wake_timer_ = 0;
    EventLoop::TimerId poll_timer_ = 0;
    double poll_due_s_ = HUGE_VAL;
    EventLoop::TimerId stop_timer_ = 0;
    std::function<void()> stopped_;
};

}  // namespace fairlead::agent
