// SPDX-License-Identifier: Apache-2.0
// mpi-network-noise: round trips of small messages and windows of large ones in turn, as the requests come. See
// docs/reference/benchmarks.md.
#include "benchmark/point_to_point/loops.hpp"
#include "benchmark/session.hpp"
#include "common/mpi.hpp"

int main(int argc, char** argv) {
    using namespace fairlead::benchmark;
    return fairlead::run_mpi_program(argc, argv, [&] {
        return serve("mpi-network-noise", argc, argv, [](const Request& request, int peer, bool first) {
            return request.window > 1 ? windows(request, peer, first) : round_trips(request, peer, first);
        });
    });
}
