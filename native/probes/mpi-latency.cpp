// SPDX-License-Identifier: Apache-2.0
// mpi-latency: round trips between pairs of ranks. See docs/reference/benchmarks.md.
#include "benchmark/point_to_point/clocked_round_trips.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] {
        return fairlead::benchmark::serve("mpi-latency", argc, argv, fairlead::benchmark::ClockedRoundTrips());
    });
}
