// SPDX-License-Identifier: Apache-2.0
// What the program asked MPI for as to threads.
#pragma once

namespace fairlead {

// Set by MPI_Init: several threads may be inside MPI at a time.
inline bool threads_at_once = false;

}  // namespace fairlead
