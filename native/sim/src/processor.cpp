// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/processor.hpp"

#include <cmath>

namespace fairlead::sim {

namespace {

double exponential(core::Random& random, double mean) {
    return -mean * std::log(1.0 - random.uniform());
}

}  // namespace

double Processor::running_at(double now) {
    if (settings_.stall_rate_per_s <= 0.0) return now;
    while (stall_end_ <= now) {
        stall_begin_ = stall_end_ + exponential(random_, 1.0 / settings_.stall_rate_per_s);
        stall_end_ = stall_begin_ + exponential(random_, settings_.stall_mean_s);
    }
    if (now < stall_begin_) return now;
    if (counted_end_ < stall_end_) run_delay_s_ += stall_end_ - now;
    counted_end_ = stall_end_;
    return stall_end_;
}

}  // namespace fairlead::sim
