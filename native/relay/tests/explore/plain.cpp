// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"

namespace fairlead::relay::explore {

std::string describe(const Action& action) {
    static constexpr const char* kNames[] = {
        "a native message arrives",
        "a native transfer ends",
        "a frame is delivered",
        "a frame is delivered and stays",
        "a frame is lost",
        "an agent hands a frame to its rank",
        "an agent dies",
        "sends again what is not acknowledged",
        "hears of its peer's progress",
        "enters PMPI",
        "counts the message",
        "wants its messages to go the other way",
        "takes over",
        "cancels a native receive",
        "pulls a native message",
        "learns that a native receive is complete",
        "returns to native",
    };
    std::string text = "process " + std::to_string(action.at) + ": " + kNames[static_cast<std::size_t>(action.kind)];
    if (action.kind == Action::Kind::arrive) text += " from " + std::to_string(action.channel.from);
    const bool of_peer = action.kind == Action::Kind::learn_progress || action.kind == Action::Kind::resend ||
                         action.kind == Action::Kind::wish;
    if (of_peer) {
        text += " (" + std::to_string(action.which) + ")";
    }
    return text;
}

std::vector<Action> PlainMpi::actions() const {
    std::vector<Action> ready;
    for (const auto& channel : mpi_.arrivals()) ready.push_back({Action::Kind::arrive, channel.to, 0, channel});
    for (const auto& transfer : mpi_.transfers()) {
        ready.push_back({Action::Kind::finish, transfer.at, static_cast<std::size_t>(transfer.request), {}});
    }
    return ready;
}

void PlainMpi::act(const Action& action) {
    if (action.kind == Action::Kind::arrive) return mpi_.arrive(action.channel);
    mpi_.finish({action.at, static_cast<int>(action.which)});
}

}  // namespace fairlead::relay::explore
