// SPDX-License-Identifier: Apache-2.0
// mpi-throughput: windows of messages between pairs of ranks, one way or both ways. See docs/reference/benchmarks.md.
#include "benchmark/point_to_point/loops.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] {
        return fairlead::benchmark::serve("mpi-throughput", argc, argv, fairlead::benchmark::windows);
    });
}
