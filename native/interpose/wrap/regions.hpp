// SPDX-License-Identifier: Apache-2.0
// Regions that the program names by MPI_Pcontrol(1, "name") and MPI_Pcontrol(-1, "name"), as for IPM.
//
// Whether a name was given to a function with variable arguments cannot be told: only where the user says that his
// program gives names (FAIRLEAD_PROFILE_REGIONS) they are looked at.
#pragma once

#include "wrap/call.hpp"

namespace fairlead {

// After the call that begins one, before the one that ends it. Other levels, and calls inside calls: nothing.
void begin_region(Call& call, int level, const char* name, const void* caller);
void end_region(Call& call, int level, const char* name, const void* caller);

// The program ends.
void end_regions(Call& call);

}  // namespace fairlead
