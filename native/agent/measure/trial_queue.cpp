// SPDX-License-Identifier: Apache-2.0
#include "measure/trial_queue.hpp"

#include <algorithm>
#include <utility>

namespace fairlead::agent {

void TrialQueue::add(const core::wire::Echo& echo) {
    Trials& trials = by_destination_[echo.destination];
    const auto same = std::find_if(trials.waiting.begin(), trials.waiting.end(),
                                   [&](const core::wire::Echo& each) { return each.relay == echo.relay; });
    if (same != trials.waiting.end()) {
        *same = echo;
    } else {
        trials.waiting.push_back(echo);
    }
    next(echo.destination);
}

void TrialQueue::drop(core::HostId destination) {
    const auto found = by_destination_.find(destination);
    if (found == by_destination_.end()) return;
    found->second.waiting.clear();
    found->second.wanted = false;
}

void TrialQueue::next(core::HostId destination) {
    Trials& trials = by_destination_[destination];
    if (trials.asked || trials.waiting.empty()) return;
    const core::wire::Echo echo = trials.waiting.front();
    trials.waiting.pop_front();
    trials.asked = trials.wanted = true;
    make_route_(echo, [this, echo](bool made) { this->made(echo, made); });
}

void TrialQueue::made(const core::wire::Echo& echo, bool made) {
    Trials& trials = by_destination_[echo.destination];
    trials.asked = false;
    if (made && trials.wanted) send_(echo);
    next(echo.destination);
}

}  // namespace fairlead::agent
