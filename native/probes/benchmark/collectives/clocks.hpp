// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace fairlead::benchmark {

// How a rank's clock (MPI_Wtime) relates to that of the first rank of a communicator.
struct ClockRelation {
    double offset_s = 0.0;  // the first rank's clock less the own one
    double error_s = 0.0;   // bound on what the offset may be wrong by: half the fastest round trip
};

// Compares the clocks of all ranks with the first one's, one rank after the other, by the fastest of some round trips
// (Cristian, "Probabilistic Clock Synchronization", 1989). Collective.
ClockRelation compare_clocks(MPI_Comm comm);

}  // namespace fairlead::benchmark
