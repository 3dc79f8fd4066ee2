// SPDX-License-Identifier: Apache-2.0
// Threads for what waits, measurements and handshakes: each has sockets of its own and hands its result back to the
// event loop.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <string>
#include <thread>

#include "process/event_loop.hpp"
#include "process/unique_fd.hpp"

namespace fairlead::agent {

/// Tells all workers that the agent ends.
class Cancellation {
  public:
    Cancellation();
    void raise();
    bool raised() const { return raised_.load(std::memory_order_relaxed); }
    /// Readable once raised: for poll().
    int fd() const { return event_.get(); }

  private:
    std::atomic<bool> raised_{false};
    UniqueFd event_;
};

class Workers {
  public:
    /// Runs in the loop's thread when the worker's thread has ended.
    using Completion = std::function<void()>;
    /// Runs in a thread of its own; must not throw.
    using Body = std::function<Completion(const Cancellation&)>;

    explicit Workers(EventLoop& loop) : loop_(loop) {}
    /// Cancels and waits for all; their completions are not run.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Without a thread, as where a limit of processes is reached, `refused` runs in the loop's thread with the reason.
    using Refused = std::function<void(const std::string& reason)>;
    void start(Body body, Refused refused);

  private:
    EventLoop& loop_;
    Cancellation cancellation_;
    std::list<std::thread> threads_;
};

}  // namespace fairlead::agent
