// SPDX-License-Identifier: Apache-2.0
// A program on nothing but the reference: the outcomes that MPI allows it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "native_mpi.hpp"
#include "program.hpp"

namespace fairlead::relay::explore {

/// A step that a library or the network may take by itself.
struct Action {
    enum class Kind {
        arrive,
        finish,
        deliver,
        repeat,
        lose,
        hand_over,
        agent_dies,
        resend,
        learn_progress,
        enter_send,
        count_send,
        wish,
        take_over,
        cancel,
        pull,
        learn_completion,
        return_to_native,
    };
    Kind kind = Kind::arrive;
    Process at = 0;
    std::size_t which = 0;
    NativeMpi::Channel channel;
};
std::string describe(const Action& action);

class PlainMpi {
  public:
    explicit PlainMpi(Process processes) : mpi_(processes), in_barrier_(processes, 0) {}

    // Calls of the program. Handles are numbered by process.

    int ways_to_send(Process, const Step&) const { return 1; }
    int send(Process from, const Step& step, Label label, int) {
        return mpi_.send({from, step.peer, step.communicator}, step.pattern.tag, step.large, step.synchronous, label);
    }
    bool returned(Process, int) const { return true; }
    int receive(Process at, const Step& step) { return mpi_.receive(at, step.communicator, step.pattern); }
    bool done(Process at, int handle) const { return mpi_.done(at, handle); }
    /// Completes a handle; the message of a receive.
    Label take(Process at, int handle) { return mpi_.message_of(at, handle).label; }
    void take_send(Process, int) {}
    std::optional<Label> probe(Process at, const Step& step) const {
        const auto* found = mpi_.probe(at, step.communicator, step.pattern);
        return found == nullptr ? std::nullopt : std::optional<Label>(found->label);
    }
    bool can_extract(Process at, const Step& step) const {
        return mpi_.probe(at, step.communicator, step.pattern) != nullptr;
    }
    int extract(Process at, const Step& step) { return mpi_.extract(at, step.communicator, step.pattern).value(); }
    int receive_extracted(Process at, const Step&, int message) { return mpi_.receive_message(at, message); }
    bool cancel(Process at, int handle) { return mpi_.cancel(at, handle); }
    void enter_barrier(Process at) { ++in_barrier_[at]; }
    bool passed_barrier(Process at) const {
        for (const int entered : in_barrier_) {
            if (entered < in_barrier_[at]) return false;
        }
        return true;
    }
    void block(Process, std::optional<int>) {}
    void unblock(Process) {}

    /// Whether nothing is left to be sent.
    bool drained() const { return true; }

    // What happens by itself.

    std::vector<Action> actions() const;
    void act(const Action& action);

    auto fields() const { return std::tie(mpi_, in_barrier_); }

  private:
    NativeMpi mpi_;
    std::vector<int> in_barrier_;
};

}  // namespace fairlead::relay::explore
