// SPDX-License-Identifier: Apache-2.0
// The Fortran bindings of the MPI library, and whom they call.
#pragma once

namespace fairlead::shim {

// Leads the calls that the mapped Fortran bindings make of PMPI functions to `targets`: one for each function of
// generated/functions.hpp, null where the call stays as it is.
void lead_fortran(void* const* targets);

}  // namespace fairlead::shim
