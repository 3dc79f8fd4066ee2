// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "benchmark/requests/request.hpp"
#include "fairlead/core/clock_sync.hpp"

namespace fairlead::benchmark {

// Round trips (loops.hpp), with `request.one_way` also how long the messages took there. What is known of a peer's
// clock is kept from request to request: the fastest round trips of small messages also tell for large ones.
//
// With `one_way` the first rank's row is flat: the bound on the clocks' error, and then of each round trip its time and
// the time there by both clocks. Without it rows are those of `round_trips`.
class ClockedRoundTrips {
  public:
    std::vector<double> operator()(const Request& request, int peer, bool first);

  private:
    std::map<int, core::ClockSync> clocks_;  // by peer
};

}  // namespace fairlead::benchmark
