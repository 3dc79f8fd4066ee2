// SPDX-License-Identifier: Apache-2.0
// A second process, which outlives a guardian that is killed. Without it, the reroutes of a guardian that dies together
// with its agent and the run's supervisor (`pkill -9 fairlead`) would lead to relays that have taken their overlays
// down.
#pragma once

#include <sys/types.h>

#include <string>

namespace fairlead::guardian {

// It sleeps until the guardian ends in any way but by this object's destructor, has the packets of the job's users take
// their direct paths again, and ends. What others may still need, as relays' overlays, is left for --clean.
class Keeper {
  public:
    // Throws KernelError.
    explicit Keeper(const std::string& job);
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    // Ends it, with nothing done.
    ~Keeper();

  private:
    int lifeline_ = -1;  // that it reads from: closed when we are gone
    pid_t process_ = -1;
};

}  // namespace fairlead::guardian
