// SPDX-License-Identifier: Apache-2.0
// Frames as messages of MPI itself, on a duplicate of MPI_COMM_WORLD that the program does not know. Used when there
// are no agents, and when they died.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "abi.hpp"
#include "relay/carriers/carrier.hpp"

namespace fairlead::relay {

class MpiCarrier final : public Carrier {
  public:
    /// world: the duplicate; its messages are all frames.
    MpiCarrier(MPI_Comm world, Process processes);

    bool ready(Process to) override { return outgoing_[to] < kMostOutgoing; }
    void send(Process to, std::vector<std::uint8_t> frame) override;
    void poll(const Sink& arrived) override;

    /// Frames sent to each process so far, and those that arrived: at the end both must agree, on both sides.
    const std::vector<std::uint64_t>& sent() const { return sent_; }
    std::uint64_t arrived() const { return arrived_; }
    bool idle() const { return sends_.empty() && receives_.empty(); }
    /// Processes to or from which MPI carries nothing any more, and the error by which it was known.
    int failures() const { return failures_; }
    int error_of(Process with) const { return errors_[with]; }

  private:
    static constexpr int kMostOutgoing = 16;  ///< frames to one process that the library has not taken yet
    struct Transfer {
        MPI_Request request{};
        Process to = 0;
        std::vector<std::uint8_t> frame;
    };

    void note(Process with, int error);
    /// Frames that are there. Returns the library's error.
    int take_from(int source);

    MPI_Comm world_;
    std::list<Transfer> sends_;
    std::list<Transfer> receives_;
    std::vector<int> outgoing_;
    std::vector<std::uint64_t> sent_;
    std::vector<int> errors_;
    int failures_ = 0;
    std::uint64_t arrived_ = 0;
};

}  // namespace fairlead::relay
