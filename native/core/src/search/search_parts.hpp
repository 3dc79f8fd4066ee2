// SPDX-License-Identifier: Apache-2.0
// What searches read, and what they ask by.
#pragma once

#include "job.hpp"
#include "outbox.hpp"
#include "paths/paths.hpp"
#include "peers/peers.hpp"
#include "roles/load_reports.hpp"
#include "roles/relay_role.hpp"
#include "traffic/traffic.hpp"

namespace fairlead::core {

struct SearchParts {
    const Job& job;
    Paths& paths;  ///< to probe them
    const Traffic& traffic;
    const Peers& peers;
    const RelayRole& relay_role;
    LoadReports& load_reports;
};

/// What a search has found on the direct path so far.
struct Evidence {
    Time since = 0.0;          ///< the search began: all delays from then on count
    bool silent = false;       ///< no probe came back, and the sockets stand still
    bool by_rate = false;      ///< no queue, but lost segments and too little throughput
    bool unseen = false;       ///< no queue where probes go, but the connections, which may take another path, meet one
    double run_delay_s = 0.0;  ///< the longest wait for a processor of either end's agent
};

}  // namespace fairlead::core
