// SPDX-License-Identifier: Apache-2.0
// What was refused, counted by reason, and told at most once a second.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "generated/events.hpp"
#include "peers/seal.hpp"
#include "process/event_loop.hpp"

namespace fairlead::agent {

class Rejections {
  public:
    static constexpr double kPeriod_s = 1.0;

    Rejections(EventLoop& loop, std::function<void(const RejectedEvent&)> report);

    void count(Refusal refusal);

  private:
    void tell();

    EventLoop& loop_;
    std::function<void(const RejectedEvent&)> report_;
    std::array<std::uint64_t, kRefusalCount> counts_{};
    bool waiting_ = false;
    double last_told_s_ = 0.0;
};

}  // namespace fairlead::agent
