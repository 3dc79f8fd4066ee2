// SPDX-License-Identifier: Apache-2.0
#include "control/lease.hpp"

#include <poll.h>

#include <utility>

#include "process/clock.hpp"

namespace fairlead::agent {
namespace {

/// For the loop to read what is there.
constexpr double kReading_s = 0.02;

bool unread(int input) {
    pollfd look{.fd = input, .events = POLLIN, .revents = 0};
    return poll(&look, 1, 0) > 0;
}

}  // namespace

Lease::Lease(EventLoop& loop, double length_s, int input, std::function<void()> ran_out)
    : loop_(loop), length_s_(length_s), input_(input), ran_out_(std::move(ran_out)) {
    renew();
    look();
}

void Lease::renew() {
    renewed_s_ = monotonic_s();
}

void Lease::look() {
    const double now_s = monotonic_s();
    const double ends_s = renewed_s_ + length_s_;
    if (now_s < ends_s) {
        timer_ = loop_.at(ends_s, [this] { look(); });
    } else if (unread(input_)) {
        timer_ = loop_.after(kReading_s, [this] { look(); });
    } else {
        timer_ = 0;
        ran_out_();
    }
}

}  // namespace fairlead::agent
