// SPDX-License-Identifier: Apache-2.0
#include "benchmark/point_to_point/clocked_round_trips.hpp"

#include <mpi.h>

#include <cstddef>

#include "benchmark/point_to_point/loops.hpp"
#include "benchmark/point_to_point/one_way_times.hpp"
#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

constexpr int kMoments = 500;

}  // namespace

std::vector<double> ClockedRoundTrips::operator()(const Request& request, int peer, bool first) {
    if (!request.one_way) {
        return round_trips(request, peer, first);
    }
    std::vector<double> moments_s;
    const std::vector<double> round_trips_s = round_trips(request, peer, first, &moments_s);
    if (!first) {
        check(
            MPI_Send(moments_s.data(), static_cast<int>(moments_s.size()), MPI_DOUBLE, peer, kMoments, MPI_COMM_WORLD),
            "MPI_Send");
        return {};
    }
    std::vector<double> arrived_s(moments_s.size());
    check(MPI_Recv(arrived_s.data(), static_cast<int>(arrived_s.size()), MPI_DOUBLE, peer, kMoments, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
    const OneWayTimes found = one_way_times(clocks_[peer], moments_s, round_trips_s, arrived_s);
    std::vector<double> row{found.clock_error_s};
    row.reserve(1 + 2 * round_trips_s.size());
    for (std::size_t i = 0; i < round_trips_s.size(); ++i) {
        row.push_back(round_trips_s[i]);
        row.push_back(found.forward_s[i]);
    }
    return row;
}

}  // namespace fairlead::benchmark
