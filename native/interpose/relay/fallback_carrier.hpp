// SPDX-License-Identifier: Apache-2.0
// Carries frames by the agents to processes that they reach, and by MPI to the others. What is sent again goes by MPI
// too: nothing that may have happened to the agents' way keeps a frame for ever.
//
// A look for frames by MPI is a step of the library's progress, which asks the kernel about every connection. While
// agents reach every process, little comes that way, and it is looked for seldom.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "relay/agent_carrier.hpp"
#include "relay/carrier.hpp"

namespace fairlead::relay {

class FallbackCarrier final : public Carrier {
  public:
    /// self, processes: as the agents' carrier has them.
    FallbackCarrier(std::unique_ptr<AgentCarrier> agents, std::unique_ptr<Carrier> mpi, Process self, Process processes)
        : agents_(std::move(agents)), mpi_(std::move(mpi)), self_(self), processes_(processes) {}

    /// An agent that has taken nothing for kStall may hang, or wait behind what hangs: frames go by MPI meanwhile.
    bool ready(Process to) override {
        if (!agents_->reaches(to)) return mpi_->ready(to);
        if (agents_->ready(to)) {
            full_since_.reset();
            return true;
        }
        const auto now = std::chrono::steady_clock::now();
        if (!full_since_) full_since_ = now;
        return now - *full_since_ > kStall && mpi_->ready(to);
    }
    void send(Process to, std::vector<std::uint8_t> frame) override {
        // Asked again: the agents may have lost the process since ready(), and MPI takes any frame.
        if (agents_->ready(to)) {
            agents_->send(to, std::move(frame));
        } else {
            mpi_->send(to, std::move(frame));
        }
    }
    void send_again(Process to, std::vector<std::uint8_t> frame) { mpi_->send(to, std::move(frame)); }
    void poll(const Sink& arrived) override {
        agents_->poll(arrived);
        if (const std::uint32_t changes = agents_->changes(); changes != changes_) {
            changes_ = changes;
            seldom_ = reaches_all();
        }
        if (!seldom_ || ++polls_ % kSeldom == 0) mpi_->poll(arrived);
    }

    AgentCarrier& agents() { return *agents_; }

  private:
    static constexpr std::uint32_t kSeldom = 16;
    static constexpr std::chrono::seconds kStall{1};

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
    std::uint32_t changes_ = 0;  ///< of the agents' tables, as last looked at
    bool seldom_ = false;
    std::uint32_t polls_ = 0;
    std::optional<std::chrono::steady_clock::time_point> full_since_;  ///< the ring to the agent
};

}  // namespace fairlead::relay
