// SPDX-License-Identifier: Apache-2.0
// What this thread may take of the processors. It goes before programs as long as that costs them little. Where it
// works much, or waits behind others that go before programs, too (64 agents of a lab on two processors), programs and
// the supervisor would get nothing: then it takes its turn among them until it works less.
#pragma once

#include "process/scheduling.hpp"
#include "process/time_budget.hpp"

namespace fairlead::agent {

class Precedence {
  public:
    /// `scheduling`: of this thread; only real-time priority is ever given back. `share`: of a core that it should take
    /// for long at most.
    Precedence(Scheduling scheduling, double share);

    /// Now and then. `waited_s`: how long the thread was runnable without running since the last call. `now_s`:
    /// CLOCK_MONOTONIC.
    void look(double now_s, double waited_s);

    /// Whether it has the priority that it was given.
    bool kept() const { return first_; }
    /// Whether it has time for what can wait: it takes no more than its share, or finds a processor when it wants one.
    bool spare() const { return enough_ || waited_lately_s_ <= ran_lately_s_; }

  private:
    bool realtime_;
    bool first_ = true;
    bool enough_ = true;
    TimeBudget budget_;
    double looked_s_;
    double ran_s_;
    double ran_lately_s_ = 0.0;  ///< within about the last kLately_s, like what it waited
    double waited_lately_s_ = 0.0;
};

}  // namespace fairlead::agent
