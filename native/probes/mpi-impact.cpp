// SPDX-License-Identifier: Apache-2.0
// mpi-impact: what traffic of some ranks does to the messages of others. See docs/reference/benchmarks.md.
#include "benchmark/collectives/impact.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    using namespace fairlead::benchmark;
    return fairlead::run_mpi_program(
        argc, argv, [&] { return serve("mpi-impact", argc, argv, victims_and_congestors, Kind::kImpact); });
}
