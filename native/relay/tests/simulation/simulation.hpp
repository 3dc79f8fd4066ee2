// SPDX-License-Identifier: Apache-2.0
// Ranks that send and receive at random on the relay plane, with endpoints and frame bytes as they are: messages go
// either way, frames are delayed, reordered, doubled and lost, agents die and stall, takeovers begin and end at any
// call. Every match is judged by MPI's rules, every payload compared.
#pragma once

#include <cstdint>

#include "fairlead/relay/endpoint.hpp"

namespace fairlead::relay::simulation {

struct Load {
    std::uint64_t seed = 1;
    std::uint64_t messages = 10000;
    Process ranks = 8;
    bool cancels = true;  ///< the library does; else messages are relayed with consent
};

struct Result {
    std::uint64_t received = 0;
    std::uint64_t agent_deaths = 0;
    std::uint64_t withdrawn = 0;  ///< receives that the program cancelled
    std::uint64_t probed = 0;     ///< messages received by matched probes
    Counters counters;            ///< of all ranks
};

/// Runs until every message is received and every send complete. Throws std::logic_error for a match that MPI does not
/// allow, a payload that is another, or when nothing ends.
Result run(const Load& load);

}  // namespace fairlead::relay::simulation
