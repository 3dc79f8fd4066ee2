// SPDX-License-Identifier: Apache-2.0
// Carries frames by the agents to processes that they reach, and by MPI to the others. What is sent again goes by MPI
// too: nothing that may have happened to the agents' way keeps a frame for ever. So do new frames to that process,
// until one of its frames comes by the agents, or for a while: an agent that hangs would keep each window of them for a
// timeout.
//
// A look for frames by MPI is a step of the library's progress, which asks the kernel about every connection. While
// agents reach every process, little comes that way, and it is looked for seldom.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/relay/wire.hpp"
#include "relay/agent_carrier.hpp"
#include "relay/carrier.hpp"

namespace fairlead::relay {

class FallbackCarrier final : public Carrier {
  public:
    static constexpr std::chrono::milliseconds kAvoided{10'000};

    /// self, processes: as the agents' carrier has them. avoided: how long a process is not sent to by the agents after
    /// something had to be sent to it again.
    FallbackCarrier(std::unique_ptr<AgentCarrier> agents, std::unique_ptr<Carrier> mpi, Process self, Process processes,
                    std::chrono::milliseconds avoided = kAvoided)
        : agents_(std::move(agents)), mpi_(std::move(mpi)), self_(self), processes_(processes), avoided_(avoided) {}

    /// An agent that has taken nothing for kStall may hang, or wait behind what hangs: frames go by MPI meanwhile.
    bool ready(Process to) override {
        if (!agents_->reaches(to) || avoids(to)) return mpi_->ready(to);
        if (agents_->ready(to)) {
            full_since_.reset();
            return true;
        }
        const auto now = Clock::now();
        if (!full_since_) full_since_ = now;
        return now - *full_since_ > kStall && mpi_->ready(to);
    }
    void send(Process to, std::vector<std::uint8_t> frame) override {
        // Asked again: the agents may have lost the process since ready(), and MPI takes any frame.
        if (!avoids(to) && agents_->ready(to)) {
            agents_->send(to, std::move(frame));
        } else {
            mpi_->send(to, std::move(frame));
        }
    }
    void send_again(Process to, std::vector<std::uint8_t> frame) {
        avoided_until_[to] = Clock::now() + avoided_;
        mpi_->send(to, std::move(frame));
    }
    void poll(const Sink& arrived) override {
        agents_->poll([&](std::span<const std::uint8_t> frame) {
            if (!avoided_until_.empty()) resume(frame);
            arrived(frame);
        });
        if (const std::uint32_t changes = agents_->changes(); changes != changes_) {
            changes_ = changes;
            seldom_ = reaches_all();
        }
        if (due()) mpi_->poll(arrived);
    }

    AgentCarrier& agents() { return *agents_; }

  private:
    using Clock = std::chrono::steady_clock;

    static constexpr std::uint32_t kSeldom = 16;  // polls
    static constexpr std::chrono::milliseconds kLongest{1};
    static constexpr std::chrono::seconds kStall{1};

    /// Whether to look for frames by MPI: a program that polls seldom itself needs each step of the library's progress.
    bool due() {
        const auto now = Clock::now();
        if (seldom_ && ++polls_ % kSeldom != 0 && now - looked_ < kLongest) return false;
        looked_ = now;
        return true;
    }

    bool avoids(Process to) {
        if (avoided_until_.empty()) return false;
        const auto found = avoided_until_.find(to);
        if (found == avoided_until_.end()) return false;
        if (Clock::now() < found->second) return true;
        avoided_until_.erase(found);
        return false;
    }
    /// The agents' way from its sender is in order.
    void resume(std::span<const std::uint8_t> frame) {
        const auto ends = wire::ends_of(frame, processes_);
        if (const auto* known = std::get_if<wire::Ends>(&ends)) avoided_until_.erase(known->from);
    }

    bool reaches_all() const {
        for (Process peer = 0; peer < processes_; ++peer) {
            if (peer != self_ && !agents_->reaches(peer)) return false;
        }
        return true;
    }

    std::unique_ptr<AgentCarrier> agents_;
    std::unique_ptr<Carrier> mpi_;
    Process self_;
    Process processes_;
    std::chrono::milliseconds avoided_;
    std::map<Process, Clock::time_point> avoided_until_;  ///< processes that are sent to by MPI
    std::uint32_t changes_ = 0;                           ///< of the agents' tables, as last looked at
    bool seldom_ = false;
    std::uint32_t polls_ = 0;
    Clock::time_point looked_{};                   ///< for frames by MPI, last
    std::optional<Clock::time_point> full_since_;  ///< the ring to the agent
};

}  // namespace fairlead::relay
