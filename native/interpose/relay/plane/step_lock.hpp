// SPDX-License-Identifier: Apache-2.0
// A lock that knows whether this thread holds it: callbacks of the program run inside calls of the library, some of
// them with the plane's lock held, and may call MPI in their turn.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace fairlead::relay {

class StepLock {
  public:
    void lock() {
        mutex_.lock();
        holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    void unlock() {
        holder_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }
    bool held_here() const { return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

  private:
    std::mutex mutex_;
    std::atomic<std::thread::id> holder_;
};

}  // namespace fairlead::relay
