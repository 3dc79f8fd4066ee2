// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/event_queue.hpp"

#include <algorithm>

namespace fairlead::sim {

void EventQueue::at(double when, std::function<void()> what) {
    events_.push_back(Event{std::max(when, now_), order_++, std::move(what)});
    std::push_heap(events_.begin(), events_.end());
}

void EventQueue::execute_next() {
    std::pop_heap(events_.begin(), events_.end());
    const Event event = std::move(events_.back());
    events_.pop_back();
    now_ = event.at;
    ++executed_;
    event.what();
}

void EventQueue::run_until(double when) {
    while (!events_.empty() && events_.front().at <= when) execute_next();
    now_ = std::max(now_, when);
}

bool EventQueue::run_until(double when, const std::function<bool()>& done) {
    while (!events_.empty() && events_.front().at <= when) {
        execute_next();
        if (done()) return true;
    }
    now_ = std::max(now_, when);
    return false;
}

}  // namespace fairlead::sim
