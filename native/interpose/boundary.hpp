// SPDX-License-Identifier: Apache-2.0
// What the preloaded shim (libfairlead.so) and the wrappers for one binary interface (libfairlead-<abi>.so) share.
#pragma once

#include <cstddef>

namespace fairlead {

constexpr const char* kDirectoryVariable = "FAIRLEAD_PROFILE";  // where records go; without it nothing is recorded
constexpr const char* kStartSymbol = "fairlead_start";

// Starts to record into `directory`. `next`: for every function of generated/functions.hpp what its wrapper calls, or
// null where the MPI library does not have it. Returns the wrappers, in the same order. All arrays live for ever.
using Start = void* const*(void* const* next, const char* directory);

}  // namespace fairlead
