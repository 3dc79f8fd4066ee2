// SPDX-License-Identifier: Apache-2.0
// Carries frames by the agents to processes that they reach, and by MPI to the others. What is sent again goes by MPI
// too: nothing that may have happened to the agents' way keeps a frame for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "relay/agent_carrier.hpp"
#include "relay/carrier.hpp"

namespace fairlead::relay {

class FallbackCarrier final : public Carrier {
  public:
    FallbackCarrier(std::unique_ptr<AgentCarrier> agents, std::unique_ptr<Carrier> mpi)
        : agents_(std::move(agents)), mpi_(std::move(mpi)) {}

    bool ready(Process to) override { return agents_->reaches(to) ? agents_->ready(to) : mpi_->ready(to); }
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
        mpi_->poll(arrived);
    }
    bool alive() const override { return true; }

    AgentCarrier& agents() { return *agents_; }

  private:
    std::unique_ptr<AgentCarrier> agents_;
    std::unique_ptr<Carrier> mpi_;
};

}  // namespace fairlead::relay
