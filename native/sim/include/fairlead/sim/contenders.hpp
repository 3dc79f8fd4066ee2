// SPDX-License-Identifier: Apache-2.0
// One scenario with each way to spread its traffic: what switches and hosts can do by themselves, and management over
// the first of these.
#pragma once

#include <string>
#include <vector>

#include "fairlead/sim/scenario.hpp"

namespace fairlead::sim {

struct Contender {
    std::string name;
    LoadBalancing load_balancing = LoadBalancing::ecmp;
    bool managed = false;
};

/// ecmp, rehash, flowlets, packets; and fairlead, which is ecmp with agents.
const std::vector<Contender>& contenders();

struct Standing {
    std::string name;
    Outcome outcome;
    double makespan_s = 0.0;     ///< of the longest program
    double message_p99_s = 0.0;  ///< 99th percentile of all programs' messages; 0: none between hosts
    double foreign_bps = 0.0;    ///< what a connection of congestion got while it lasted; 0: there was none
};

/// In the order of contenders(), the same seed for all. Throws as run() does.
std::vector<Standing> compare_contenders(const Scenario& scenario);

/// The least value that at least this share of all (ascending) does not exceed; 0 of none.
double quantile(const std::vector<double>& ascending, double share);

}  // namespace fairlead::sim
