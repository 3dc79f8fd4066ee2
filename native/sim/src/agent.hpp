// SPDX-License-Identifier: Apache-2.0
// One agent's state: its controller and what surrounds it.
#pragma once

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "fairlead/sim/agents.hpp"

namespace fairlead::sim {

// What the agents put on the network, with headers.
inline constexpr double kProbe_B = 100.0;
inline constexpr double kControl_B = 200.0;
inline constexpr double kEcho_B = 1500.0;

struct Agents::Agent {
    struct Looked {
        double at = 0.0;
        double busy_s = 0.0;
    };

    Agent(core::ControllerConfig config, int of_job, Processor shared)
        : job(of_job), host(config.self), peers(config.host_count), processor(shared), controller(std::move(config)) {}

    int job;
    core::HostId host;
    std::vector<core::ClockSync> peers;  ///< by host
    Processor processor;
    core::Controller controller;
    bool dead = false;
    bool polls = false;                             ///< a poll waits for the processor
    double wake_at = HUGE_VAL;                      ///< of the timer that counts; others that are set do nothing
    std::map<const Connection*, Looked> looked;     ///< its own connections
    std::map<core::HostId, double> busy_s;          ///< its connections to that host, as core::SocketSample tells
    std::map<core::HostId, double> longest_busy_s;  ///< since the last sample
    RunDelayReport run_delay;
    double looked_at = 0.0;  ///< its host's interface
    double sent_B = 0.0;     ///< over that, at the last look
    double received_B = 0.0;
};

/// A probe on its way there and back.
struct Agents::Probe {
    core::HostId from = core::kNoHost;
    core::HostId peer = core::kNoHost;
    std::uint32_t burst = 0;
    double sent_at = 0.0;
    core::Exchange stamps;
    double peer_run_delay_s = 0.0;
    bool ended = false;  ///< answered, or taken for lost
};

}  // namespace fairlead::sim
