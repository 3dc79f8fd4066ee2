// SPDX-License-Identifier: Apache-2.0
// mpi-collectives: calls of collective operations among all or some ranks. See docs/reference/benchmarks.md.
#include "benchmark/collectives/collectives.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] {
        return fairlead::benchmark::serve("mpi-collectives", argc, argv, fairlead::benchmark::collective_calls,
                                          fairlead::benchmark::Kind::kCollective);
    });
}
