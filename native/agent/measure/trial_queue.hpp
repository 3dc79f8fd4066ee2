// SPDX-License-Identifier: Apache-2.0
// Whose turn it is to be tried: there is one route of trials per destination, and an echo must have left by its own
// before the next one's takes its place. Decides only; the route is made, and the echo sent, by who is asked to.
#pragma once

#include <deque>
#include <functional>
#include <map>

#include "fairlead/core/types.hpp"
#include "fairlead/core/wire.hpp"

namespace fairlead::agent {

class TrialQueue {
  public:
    using Made = std::function<void(bool made)>;
    /// Has the echo's route made, and calls `made` once, now or later.
    using MakeRoute = std::function<void(const core::wire::Echo& echo, Made made)>;
    using Send = std::function<void(const core::wire::Echo& echo)>;

    TrialQueue(MakeRoute make_route, Send send) : make_route_(std::move(make_route)), send_(std::move(send)) {}

    /// At its turn among those to the same destination. Takes the place of one that waits for the same relay.
    void add(const core::wire::Echo& echo);
    /// What was to be tried to this destination is not sent any more.
    void drop(core::HostId destination);

  private:
    struct Trials {
        std::deque<core::wire::Echo> waiting;
        bool asked = false;  ///< for a route, which is not there yet
        bool wanted = true;  ///< the echo that it was asked for
    };
    void next(core::HostId destination);
    void made(const core::wire::Echo& echo, bool made);

    MakeRoute make_route_;
    Send send_;
    std::map<core::HostId, Trials> by_destination_;
};

}  // namespace fairlead::agent
