// SPDX-License-Identifier: Apache-2.0
// One thread's wait for descriptors, timers, and work posted by other threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// How long a listener rests after accept failed: what it could not take stays in the queue, and the loop would spin.
constexpr double kAcceptPause_s = 0.1;

class EventLoop {
  public:
    using Handler = std::function<void(std::uint32_t events)>;
    using Task = std::function<void()>;
    using TimerId = std::uint64_t;

    EventLoop();

    /// Calls `handler` with EPOLLIN, EPOLLOUT, ... as long as they hold (level-triggered). The descriptor stays the
    /// caller's, who calls forget() before closing it. Regular files and /dev/null are always ready. Throws
    /// std::system_error, and watches nothing, where the kernel has no room for it.
    void watch(int fd, std::uint32_t events, Handler handler);
    void change(int fd, std::uint32_t events);
    void forget(int fd);

    /// Runs `task` once, at a moment of CLOCK_MONOTONIC or after a time from now. With slack_s it may be that much
    /// later: it runs when the loop is awake for something else meanwhile, so that what is due together takes one wake.
    TimerId at(double monotonic_s, Task task, double slack_s = 0.0);
    TimerId after(double delay_s, Task task, double slack_s = 0.0);
    /// No effect on a timer that has fired.
    void cancel(TimerId id);

    /// From any thread: run `task` in the loop's thread.
    void post(Task task);

    /// Until stop() is called; it may be run again.
    void run();
    /// run() returns after the present handler. From the loop's thread only.
    void stop() { stopping_ = true; }

  private:
    struct Watch {
        std::uint32_t events = 0;
        bool pollable = true;
        Handler handler;
    };
    struct Timer {
        double due_s = 0.0;  ///< it may run from here on
        Task task;
    };
    static constexpr double kDisarmed = -1.0;
    void arm_timer();
    void run_timers();
    void run_posted();
    void run_unpollable();
    bool has_unpollable() const;

    UniqueFd epoll_;
    UniqueFd timer_;
    UniqueFd wakeup_;
    std::unordered_map<int, std::shared_ptr<Watch>> watches_;
    std::size_t unpollable_ = 0;                          ///< of these, descriptors that epoll does not take
    std::map<std::pair<double, TimerId>, Timer> timers_;  ///< by the moment when each has to run
    std::unordered_map<TimerId, double> timer_times_;     ///< that moment
    TimerId next_timer_ = 1;
    double armed_for_ = kDisarmed;
    bool stopping_ = false;
    std::mutex mutex_;
    std::vector<Task> posted_;  ///< guarded by mutex_
};

}  // namespace fairlead::agent
