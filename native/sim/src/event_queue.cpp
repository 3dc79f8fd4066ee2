// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace fairlead::sim {

void EventQueue::at(double when, std::function<void()> what) {
    if (free_.empty()) {
        free_.push_back(whats_.size());
        whats_.emplace_back();
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    whats_[place] = std::move(what);
    events_.push_back(Event{std::max(when, now_), order_++, place});
    std::push_heap(events_.begin(), events_.end());
}

void EventQueue::execute_next() {
    std::pop_heap(events_.begin(), events_.end());
    const Event event = events_.back();
    events_.pop_back();
    const std::function<void()> what = std::exchange(whats_[event.place], nullptr);
    free_.push_back(event.place);
    now_ = event.at;
    ++executed_;
    what();
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
