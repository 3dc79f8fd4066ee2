// SPDX-License-Identifier: Apache-2.0
// A processor that an agent shares with others: now and then it waits in the run queue.
#pragma once

#include <cstdint>
#include <utility>

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

/// What an agent tells of its waits, as native/agent/manager.cpp does.
class RunDelayReport {
  public:
    /// Waited since the last call; for the agent's own decisions.
    double take_s(const Processor& processor) {
        const double waited_s = processor.run_delay_s() - taken_s_;
        taken_s_ = processor.run_delay_s();
        this_poll_s_ += waited_s;
        return waited_s;
    }

    /// A poll interval ends.
    void end_poll() { last_poll_s_ = std::exchange(this_poll_s_, 0.0); }

    /// Waited over the last whole poll interval; for those whose probes it answers.
    double last_poll_s() const { return last_poll_s_; }

  private:
    double taken_s_ = 0.0;
    double this_poll_s_ = 0.0;
    double last_poll_s_ = 0.0;
};

}  // namespace fairlead::sim
