// SPDX-License-Identifier: Apache-2.0
// mpi-loggp: parametrised round trips, from which LogGP parameters follow. See docs/reference/benchmarks.md.
#include "benchmark/point_to_point/loops.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] {
        return fairlead::benchmark::serve("mpi-loggp", argc, argv, fairlead::benchmark::parametrised_round_trips);
    });
}
