// SPDX-License-Identifier: Apache-2.0
// mpi-burst: round trips between pairs of ranks, with pauses. See docs/reference/benchmarks.md.
#include "benchmark/point_to_point/loops.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(
        argc, argv, [&] { return fairlead::benchmark::serve("mpi-burst", argc, argv, fairlead::benchmark::bursts); });
}
