// SPDX-License-Identifier: Apache-2.0
// What could be gained at most: routes chosen with the congestion known beforehand.
//
// Two kinds of choice are searched, each for all pairs of hosts together that the programs use and that congestion
// affects. A fixed one: a pair takes one way for the whole run. A switched one: a pair takes one way while its direct
// path is affected, from the moment on at which that begins until it ends, and else the direct path. Ways are the
// direct path and relays whose legs no congestion affects meanwhile; congestion that begins when the run without agents
// has ended does not count. Where there are more choices than may be tried, pair after pair is given its best way as
// long as that gains anything: what is found then may not be the best. Where agents did better than all of these, what
// they did is the best that is known.
#pragma once

#include <vector>

#include "fairlead/sim/scenario.hpp"

namespace fairlead::sim {

struct Choice {
    double makespan_s = 0.0;  ///< of all programs together
    std::vector<RouteChange> routes;
    int tried = 0;
    bool exhaustive = false;  ///< every choice was tried
};

struct Comparison {
    double clean_s = 0.0;    ///< without congestion and agents; all in makespans of all programs together
    double plain_s = 0.0;    ///< congested, all on the direct path
    double managed_s = 0.0;  ///< congested, with agents
    Choice fixed;
    Choice oracle;  ///< the best that was found: switched, fixed, what the agents did, or nothing

    /// Share of the oracle's gain that management reached, at most 1; negative where it lost. Nothing where the
    /// oracle gains less than a thousandth.
    std::optional<double> share() const;
    double regret_s() const { return managed_s - oracle.makespan_s; }
};

/// Tries at most `budget` choices of each kind. Throws as run() does, and std::invalid_argument for load balancing.
Comparison compare(const Scenario& scenario, int budget);

}  // namespace fairlead::sim
