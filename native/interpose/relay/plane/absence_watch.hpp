// SPDX-License-Identifier: Apache-2.0
// While the program stays outside MPI nobody looks after the frames that it has sent, and an agent or a relay may have
// lost them. Whoever waits for one of them may be the one that the program waits for, by a file or a socket. So a
// thread takes steps in the program's place.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace fairlead::relay {

class AbsenceWatch {
  public:
    static constexpr std::chrono::milliseconds kTick{100};

    /// step: called by the thread once a tick while the program takes none; it locks out the program's itself.
    explicit AbsenceWatch(std::function<void()> step, std::chrono::milliseconds tick = kTick);
    ~AbsenceWatch();
    AbsenceWatch(const AbsenceWatch&) = delete;
    AbsenceWatch& operator=(const AbsenceWatch&) = delete;

    /// There are frames to look after, from now on. Until the first one there is no thread. Throws std::system_error if
    /// there can be none.
    void begin();
    /// The program took a step; one thread at a time.
    void program_stepped() { steps_.store(steps_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
    /// Returns when no step is under way, and none begins any more. Not while locking out the thread's steps.
    void end();

  private:
    void watch();

    std::function<void()> step_;
    std::chrono::milliseconds tick_;
    std::atomic<std::uint64_t> steps_ = 0;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace fairlead::relay
