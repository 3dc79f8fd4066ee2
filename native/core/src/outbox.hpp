// SPDX-License-Identifier: Apache-2.0
// What the parts of a controller ask of the agent, in order, and the tokens of what they ask of peers.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/core/actions.hpp"

namespace fairlead::core {

class Outbox {
  public:
    // Built in place: gcc 12 takes the moved-from alternatives of a temporary variant for uninitialised.
    template <typename T>
    void emit(const T& action) {
        actions_.emplace_back(std::in_place_type<T>, action);
    }
    template <typename T>
    void send(HostId to, const T& message) {
        Send& action = std::get<Send>(actions_.emplace_back(std::in_place_type<Send>));
        action.to = to;
        action.message.template emplace<T>(message);
    }
    /// Each is given once, whoever asks, and they count up.
    std::uint32_t token() { return next_token_++; }

    std::vector<Action>& actions() { return actions_; }
    /// All since the last call.
    std::vector<Action> take() { return std::exchange(actions_, {}); }

  private:
    std::vector<Action> actions_;
    std::uint32_t next_token_ = 1;
};

}  // namespace fairlead::core
