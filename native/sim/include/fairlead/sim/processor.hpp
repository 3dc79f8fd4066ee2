// SPDX-License-Identifier: Apache-2.0
// A processor that an agent shares with others: now and then it waits in the run queue.
#pragma once

#include <cstdint>

#include "fairlead/core/random.hpp"

namespace fairlead::sim {

struct ProcessorSettings {
    double stall_rate_per_s = 20.0;  ///< how often others have it, at random; 0: never
    double stall_mean_s = 3e-3;      ///< for how long, exponentially distributed
};

class Processor {
  public:
    Processor(ProcessorSettings settings, std::uint64_t seed) : settings_(settings), random_(seed) {}

    /// When who becomes ready now next runs: now, or the end of the stall that now falls into. `now` never falls from
    /// call to call. Counts the wait; of what becomes ready during one stall, only that of the first: it is one thread
    /// that waits.
    double running_at(double now);

    /// Waited in the run queue so far, seconds, as /proc/self/schedstat counts.
    double run_delay_s() const { return run_delay_s_; }

  private:
    ProcessorSettings settings_;
    core::Random random_;
    double stall_begin_ = 0.0;
    double stall_end_ = 0.0;
    double counted_end_ = 0.0;  ///< of the last stall of which the wait is counted
    double run_delay_s_ = 0.0;
};

}  // namespace fairlead::sim
