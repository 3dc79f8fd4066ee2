// SPDX-License-Identifier: Apache-2.0
// mpi-noise-effect: round trips, and what takes the processor from the ranks meanwhile.
// See docs/reference/benchmarks.md.
#include "benchmark/noise/watched.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] {
        return fairlead::benchmark::serve("mpi-noise-effect", argc, argv, fairlead::benchmark::watched_round_trips);
    });
}
