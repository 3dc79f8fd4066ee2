// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmark/requests/request.hpp"

namespace fairlead::benchmark {

// Victims measure while congestors load the network, if there are any (the scheme of GPCNeT: Chunduri et al., "GPCNeT:
// Designing a Benchmark Suite for Inducing and Measuring Contention in HPC Networks", 2019). A victim's samples:
//  - latency: MPI_Sendrecv to the next victim and from the one before, in the ring that the order of `victims` is;
//  - bandwidth: `window` messages to the next and from the one before, then a barrier;
//  - allreduce: MPI_Allreduce of `size_B`.
// Congestors go on until the victims are done: alltoall, incast (all send to the first), or bcast from the first, each
// among ranks of its own, all at once. Nobody measures before all have begun. `peer` and `first` say nothing here.
std::vector<double> victims_and_congestors(const Request& request, int peer, bool first);

}  // namespace fairlead::benchmark
