// SPDX-License-Identifier: Apache-2.0
#include "relay/plane/absence_watch.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace fairlead::relay {

namespace {

/// A thread that is made meanwhile leaves all signals to the program's own.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

AbsenceWatch::AbsenceWatch(std::function<void()> step, std::chrono::milliseconds tick)
    : step_(std::move(step)), tick_(tick) {}

AbsenceWatch::~AbsenceWatch() {
    end();
}

void AbsenceWatch::begin() {
    if (thread_.joinable()) return;
    const std::scoped_lock lock(mutex_);
    if (ending_) return;
    const SignalsBlocked blocked;
    thread_ = std::thread([this] { watch(); });
}

void AbsenceWatch::end() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void AbsenceWatch::watch() {
    std::uint64_t seen = steps_.load(std::memory_order_relaxed);
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, tick_, [this] { return ending_; })) {
        const std::uint64_t steps = steps_.load(std::memory_order_relaxed);
        if (steps == std::exchange(seen, steps)) {
            lock.unlock();
            step_();
            lock.lock();
        }
    }
}

}  // namespace fairlead::relay
