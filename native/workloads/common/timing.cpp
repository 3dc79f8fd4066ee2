// SPDX-License-Identifier: Apache-2.0
#include "common/timing.hpp"

#include <mpi.h>

#include "common/mpi.hpp"

namespace fairlead {

Timing::Timing() : start_s_(MPI_Wtime()) {}

void Timing::end_set_up() {
    setup_s_ = all_reduce(MPI_Wtime() - start_s_, MPI_MAX);
}

void Timing::iterate(int iterations, const std::function<void(int)>& advance, const std::function<void()>& begin) {
    barrier();
    const double start = MPI_Wtime();
    begin();
    double before = MPI_Wtime();
    for (int iteration = 1; iteration <= iterations; ++iteration) {
        advance(iteration);
        const double now = MPI_Wtime();
        iterations_s_.push_back(now - before);
        before = now;
    }
    total_s_ += all_reduce(before - start, MPI_MAX);
}

}  // namespace fairlead
