// SPDX-License-Identifier: Apache-2.0
// Small message-passing programs as data: what each thread of each process calls, in order.
#pragma once

#include <string>
#include <vector>

#include "fairlead/relay/types.hpp"

namespace fairlead::relay::explore {

/// Which message it is: 1000 x process + 100 x thread + place of its send in the thread. The payload, so to speak.
using Label = int;

enum class Call { send, receive, wait, wait_any, probe, matched_probe, matched_receive, cancel, barrier };

/// One call. Every communicator holds all processes, in the order of their numbers.
struct Step {
    Call call = Call::send;
    CommunicatorId communicator = 0;
    Process peer = 0;      ///< of a send
    Pattern pattern = {};  ///< of a receive or probe; a send's tag is pattern.tag
    bool blocking = true;
    bool synchronous = false;
    bool large = false;           ///< too long for eager sending: its payload waits for the match
    int slot = 0;                 ///< of a non-blocking call, or the one that is waited for, cancelled, received into
    std::vector<int> slots = {};  ///< of wait_any
};

using Thread = std::vector<Step>;

struct Program {
    std::string name;
    std::vector<std::vector<Thread>> processes;
};

// The vocabulary of the tests.

inline Step send(Process to, Tag tag, CommunicatorId communicator = 0) {
    return {.communicator = communicator, .peer = to, .pattern = {kAnySource, tag}};
}
inline Step synchronous(Step step) {
    step.synchronous = true;
    return step;
}
inline Step large(Step step) {
    step.large = true;
    return step;
}
/// The non-blocking form, its request kept in a slot.
inline Step in_slot(int slot, Step step) {
    step.blocking = false;
    step.slot = slot;
    return step;
}
inline Step receive(Rank source, Tag tag, CommunicatorId communicator = 0) {
    return {.call = Call::receive, .communicator = communicator, .pattern = {source, tag}};
}
inline Step probe(Rank source, Tag tag, CommunicatorId communicator = 0) {
    return {.call = Call::probe, .communicator = communicator, .pattern = {source, tag}};
}
inline Step matched_probe(int slot, Rank source, Tag tag, CommunicatorId communicator = 0) {
    return {.call = Call::matched_probe, .communicator = communicator, .pattern = {source, tag}, .slot = slot};
}
inline Step matched_receive(int slot, CommunicatorId communicator = 0) {
    return {.call = Call::matched_receive, .communicator = communicator, .slot = slot};
}
inline Step wait(int slot) {
    return {.call = Call::wait, .slot = slot};
}
inline Step wait_any(std::vector<int> slots) {
    return {.call = Call::wait_any, .slots = std::move(slots)};
}
inline Step cancel(int slot) {
    return {.call = Call::cancel, .slot = slot};
}
inline Step barrier() {
    return {.call = Call::barrier};
}

}  // namespace fairlead::relay::explore
