// SPDX-License-Identifier: Apache-2.0
// Which place in the program a call is made from, where the user asks for it (FAIRLEAD_PROFILE_CALL_SITES).
#pragma once

#include <cstdint>

#include "generated/functions.hpp"
#include "record/recorder.hpp"

namespace fairlead {

extern const bool call_sites;  // they are asked for

// Counts a call. `caller`: the return address of the wrapper; where that is in this library or in the MPI library's
// Fortran bindings, the place is who called these.
void count_at_site(record::Thread& thread, Function function, const void* caller, std::uint64_t ticks,
                   std::uint64_t sent_B);

}  // namespace fairlead
