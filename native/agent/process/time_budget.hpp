// SPDX-License-Identifier: Apache-2.0
// A budget of time that fills up by a share of the time that passes.
#pragma once

#include <algorithm>

namespace fairlead::agent {

class TimeBudget {
  public:
    /// Full at first: `most_s`.
    TimeBudget(double share, double most_s) : share_(share), most_s_(most_s), left_s_(most_s) {}

    /// So much time passed, and so much was spent. Whether there is enough: once all is spent not before it is half
    /// full again. No more is owed than the budget holds, so that it recovers in a bounded time.
    bool spend(double passed_s, double spent_s) {
        left_s_ = std::clamp(left_s_ + share_ * passed_s - spent_s, -most_s_, most_s_);
        enough_ = left_s_ > (enough_ ? 0.0 : most_s_ / 2.0);
        return enough_;
    }

  private:
    double share_;
    double most_s_;
    double left_s_;
    bool enough_ = true;
};

}  // namespace fairlead::agent
