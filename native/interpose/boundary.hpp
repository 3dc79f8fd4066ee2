// SPDX-License-Identifier: Apache-2.0
// What the preloaded shim (libfairlead.so) and the wrappers for one binary interface (libfairlead-<abi>.so) share.
#pragma once

#include <cstddef>

namespace fairlead {

constexpr const char* kDirectoryVariable = "FAIRLEAD_PROFILE";  // where records go
constexpr const char* kRingsVariable =
    "FAIRLEAD_RINGS";  // where ends of messages go to while the program runs: a directory for rings
constexpr const char* kMessagesVariable =
    "FAIRLEAD_PROFILE_MESSAGES";  // ends of messages that a process keeps, one by one
constexpr const char* kRegionsVariable = "FAIRLEAD_PROFILE_REGIONS";       // MPI_Pcontrol names regions
constexpr const char* kCallSitesVariable = "FAIRLEAD_PROFILE_CALL_SITES";  // calls are counted by place, too
constexpr const char* kChaosVariable =
    "FAIRLEAD_CHAOS";  // a seed: messages take two paths at random (relay/carriers/chaos.hpp)
constexpr const char* kRelayVariable = "FAIRLEAD_RELAY";  // a directory: where the agent that relays frames listens
constexpr const char* kPatienceVariable = "FAIRLEAD_RELAY_PATIENCE";  // seconds that ranks of the relay plane wait in
                                                                      // MPI_Init for those that are not preloaded
constexpr const char* kStartSymbol = "fairlead_start";

// Starts to record into `directory`, up to `most_messages` ends of messages one by one, and into `rings`, all of them,
// as then into `directory` unless `most_messages` is 0; one of the two may be null. Without both nothing is started.
// `next`: for every function of generated/functions.hpp what its wrapper calls, or null where the MPI library does not
// have it. Returns the wrappers, in the same order. All arrays live for ever.
using Start = void* const*(void* const* next, const char* directory, std::size_t most_messages, const char* rings);

// The wrappers' array of what calls of the MPI library's Fortran bindings go to, in the same order; null: not to be
// seen.
constexpr const char* kFromFortranSymbol = "fairlead_from_fortran";

}  // namespace fairlead
