// SPDX-License-Identifier: Apache-2.0
// JSON lines to the supervisor. Never blocks: what a supervisor does not read in time is dropped and counted. Lines
// that may wait go together: each write wakes the supervisor, and what lies between (an ssh connection).
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "generated/numbers.hpp"
#include "process/event_loop.hpp"

namespace fairlead::agent {

class Output {
  public:
    /// `closed` is called once when nobody reads the other end any more.
    Output(EventLoop& loop, int fd, std::function<void()> closed);
    ~Output();
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    /// `prompt`: now, and what waits with it; else within kHold_s.
    void event(const nlohmann::json& line, bool prompt);
    /// Now, and what waits before it.
    void answer(const nlohmann::json& line);
    std::uint64_t dropped() const { return dropped_; }

    /// Last words: waits up to timeout_s for the reader.
    void finish(double timeout_s);

  private:
    bool put(const nlohmann::json& line, std::size_t limit_B);
    void release();
    void write_some();
    /// Nobody reads the other end.
    void lose();
    std::size_t waiting_B() const { return pending_.size() - written_; }

    EventLoop& loop_;
    int fd_;
    std::function<void()> closed_;
    std::string pending_;
    std::size_t written_ = 0;
    EventLoop::TimerId held_ = 0;  ///< when what waits is written; 0: nothing waits for that
    std::uint64_t dropped_ = 0;
    bool broken_ = false;
};

}  // namespace fairlead::agent
