// SPDX-License-Identifier: Apache-2.0
#include "benchmark/collectives/clocks.hpp"

#include <limits>

#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

constexpr int kFirst = 0;
constexpr int kTag = 400;
constexpr int kRoundTrips = 20;

ClockRelation of_first(MPI_Comm comm) {
    ClockRelation found{.offset_s = 0.0, .error_s = std::numeric_limits<double>::infinity()};
    for (int exchange = 0; exchange < kRoundTrips; ++exchange) {
        const double sent_s = MPI_Wtime();
        double there_s = 0.0;
        check(MPI_Sendrecv(nullptr, 0, MPI_DOUBLE, kFirst, kTag, &there_s, 1, MPI_DOUBLE, kFirst, kTag, comm,
                           MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
        const double received_s = MPI_Wtime();
        if (received_s - sent_s < 2.0 * found.error_s) {
            found = {.offset_s = there_s - (sent_s + received_s) / 2.0, .error_s = (received_s - sent_s) / 2.0};
        }
    }
    return found;
}

void tell(int rank, MPI_Comm comm) {
    for (int exchange = 0; exchange < kRoundTrips; ++exchange) {
        check(MPI_Recv(nullptr, 0, MPI_DOUBLE, rank, kTag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
        const double now_s = MPI_Wtime();
        check(MPI_Send(&now_s, 1, MPI_DOUBLE, rank, kTag, comm), "MPI_Send");
    }
}

}  // namespace

ClockRelation compare_clocks(MPI_Comm comm) {
    if (rank_of(comm) != kFirst) {
        return of_first(comm);
    }
    for (int rank = 1; rank < size_of(comm); ++rank) {
        tell(rank, comm);
    }
    return {};
}

}  // namespace fairlead::benchmark
