// SPDX-License-Identifier: Apache-2.0
// The Fortran bindings of the MPI library, and whom they call.
#pragma once

namespace fairlead::shim {

// Leads the calls that the mapped Fortran bindings make of PMPI functions to `targets`: one for each function of
// generated/functions.hpp, null where the call stays as it is.
void lead_fortran(void* const* targets);

// Looks for bindings that were mapped since it was called last, if calls are recorded at all. Called when the program
// starts and for every dlsym(3): without one, nobody comes to a function of a library that he opened.
void follow_fortran();

}  // namespace fairlead::shim
