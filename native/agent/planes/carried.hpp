// SPDX-License-Identifier: Apache-2.0
// What a plane itself carries of the program's messages, so that the program's own connections do not show it.
#pragma once

#include <cstdint>

#include "fairlead/core/types.hpp"

namespace fairlead::agent {

/// Bytes of messages of this host's ranks for one destination, whatever their path.
struct Carried {
    core::HostId destination = core::kNoHost;
    std::uint64_t delivered_B = 0;  ///< ever, to the next agent on the path
    std::uint64_t in_flight_B = 0;  ///< sent, and not there yet
    bool waits = false;             ///< there is more than the path takes

    bool operator==(const Carried&) const = default;
};

}  // namespace fairlead::agent
