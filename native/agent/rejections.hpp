// SPDX-License-Identifier: Apache-2.0
// What was refused, counted by reason, and told at most once a second.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "event_loop.hpp"
#include "seal.hpp"

namespace fairlead::agent {

class Rejections {
  public:
    static constexpr double kPeriod_s = 1.0;

    /// `report` gets the `rejected` event's fields: count, of it datagrams and connections, reasons.
    Rejections(EventLoop& loop, std::function<void(nlohmann::json)> report);

    void count(Refusal refusal);

  private:
    void tell();

    EventLoop& loop_;
    std::function<void(nlohmann::json)> report_;
    std::array<std::uint64_t, kRefusalCount> counts_{};
    bool waiting_ = false;
    double last_told_s_ = 0.0;
};

}  // namespace fairlead::agent
