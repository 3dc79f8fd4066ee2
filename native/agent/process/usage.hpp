// SPDX-License-Identifier: Apache-2.0
// What this process costs, and how long it waited for a CPU.
#pragma once

#include <cstdint>
#include <optional>

#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// User and system time of all threads so far.
double cpu_time_s();

/// User and system time of this thread so far.
double thread_time_s();

/// Resident memory now (/proc/self/statm); 0 where it cannot be read.
std::uint64_t resident_B();

/// How long this thread was runnable without running, between two calls (/proc/thread-self/schedstat, second field;
/// proc(5)). An agent that was not scheduled sees a slow network where there is none.
class RunDelay {
  public:
    RunDelay();
    /// From a file like that one.
    explicit RunDelay(UniqueFd schedstat);
    /// Seconds since the last call; 0 where the kernel does not keep the figure. If it cannot be read, the next call
    /// makes up for it.
    double take_s();

  private:
    UniqueFd file_;
    std::optional<std::uint64_t> last_ns_;  ///< none: it was never read
};

}  // namespace fairlead::agent
