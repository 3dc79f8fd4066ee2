// SPDX-License-Identifier: Apache-2.0
// The preloaded library: without a link to MPI, and inert in a process without it.
#pragma once

#include <cstddef>

extern "C" {
extern char fairlead_entries[];  // of kEntry_B bytes each, in the order of generated/functions.hpp
extern char fairlead_entries_end[];
extern void* fairlead_targets[];                 // where each entry jumps to
void* fairlead_target_of(std::size_t function);  // the same, found if it is not known yet
}

namespace fairlead::shim {

constexpr std::size_t kEntry_B = 32;

// Whether targets are being found just now, which must not be asked for then.
bool finding_targets();

// Says it on stderr, as "fairlead: ...".
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

}  // namespace fairlead::shim
