// SPDX-License-Identifier: Apache-2.0
// The time for which the supervisor's last word counts. A machine that loses power closes no connection: what is heard
// no more is gone all the same.
#pragma once

#include <functional>

#include "process/event_loop.hpp"

namespace fairlead::agent {

class Lease {
  public:
    /// `ran_out` is called once, `length_s` after the last renewal. What lies unread in `input` then may be a renewal:
    /// an agent that was stopped for a while reads it first.
    Lease(EventLoop& loop, double length_s, int input, std::function<void()> ran_out);
    ~Lease() { loop_.cancel(timer_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    void renew();

  private:
    void look();

    EventLoop& loop_;
    double length_s_;
    int input_;
    std::function<void()> ran_out_;
    double renewed_s_ = 0.0;  ///< CLOCK_MONOTONIC
    EventLoop::TimerId timer_ = 0;
};

}  // namespace fairlead::agent
