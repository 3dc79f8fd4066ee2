// SPDX-License-Identifier: Apache-2.0
// Simulated time: what happens, in order of time, and in order of scheduling where times are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fairlead::sim {

class EventQueue {
  public:
    /// Seconds since the simulation began.
    double now() const { return now_; }

    /// `when` in seconds; what lies in the past happens now.
    void at(double when, std::function<void()> what);

    /// All that happens up to then; then it is `when`.
    void run_until(double when);

    /// The same, but ends as soon as `done` holds after an event, at the time of that. Returns whether it did.
    bool run_until(double when, const std::function<bool()>& done);

    std::uint64_t executed() const { return executed_; }

  private:
    struct Event {
        double at;
        std::uint64_t order;
        std::size_t place;  ///< of what happens, in whats_
        bool operator<(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
    };

    void execute_next();

    double now_ = 0.0;
    std::uint64_t order_ = 0;
    std::uint64_t executed_ = 0;
    std::vector<Event> events_;                 // a heap
    std::vector<std::function<void()>> whats_;  // apart from it: whatever moves in the heap is small
    std::vector<std::size_t> free_;             // places in whats_
};

}  // namespace fairlead::sim
