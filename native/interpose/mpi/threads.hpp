// SPDX-License-Identifier: Apache-2.0
// What the program asked MPI for as to threads.
#pragma once

namespace fairlead {

// Several threads may be inside MPI at a time. MPI_Init tells; until then, and where it is not seen (a program may have
// a tool's MPI_Init in itself, or bindings that are linked statically), they may be.
inline bool threads_at_once = true;

}  // namespace fairlead
