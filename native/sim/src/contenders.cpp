// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/contenders.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fairlead::sim {

const std::vector<Contender>& contenders() {
    static const std::vector<Contender> all = {
        {"ecmp", LoadBalancing::ecmp, false},         {"rehash", LoadBalancing::rehash, false},
        {"flowlets", LoadBalancing::flowlets, false}, {"packets", LoadBalancing::packets, false},
        {"fairlead", LoadBalancing::ecmp, true},
    };
    return all;
}

double quantile(const std::vector<double>& ascending, double share) {
    if (ascending.empty()) return 0.0;
    const double rank = std::ceil(share * static_cast<double>(ascending.size()));
    return ascending[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<Standing> compare_contenders(const Scenario& scenario) {
    std::vector<Standing> standings;
    for (const Contender& contender : contenders()) {
        Scenario one = scenario;
        one.simulation.load_balancing.kind = contender.load_balancing;
        one.managed = contender.managed;
        Standing standing{contender.name, run(one), 0.0, 0.0, 0.0};
        std::vector<double> transfers_s;
        for (const ProgramOutcome& program : standing.outcome.programs) {
            standing.makespan_s = std::max(standing.makespan_s, program.makespan_s);
            transfers_s.insert(transfers_s.end(), program.transfers_s.begin(), program.transfers_s.end());
        }
        std::ranges::sort(transfers_s);
        standing.message_p99_s = quantile(transfers_s, 0.99);
        const Outcome& outcome = standing.outcome;
        if (outcome.foreign_s > 0.0) standing.foreign_bps = 8.0 * outcome.foreign_B / outcome.foreign_s;
        standings.push_back(std::move(standing));
    }
    return standings;
}

}  // namespace fairlead::sim
