// SPDX-License-Identifier: Apache-2.0
#include "random-traffic/exchange.hpp"

#include <mpi.h>

#include <array>
#include <cstring>

#include "common/mpi.hpp"

namespace fairlead::random_traffic {

namespace {

constexpr int kTag = 0;

// The beginning of every message.
struct Mark {
    std::uint64_t round;
    std::uint64_t place;
    std::uint64_t sender;
    std::uint64_t over;
};
static_assert(sizeof(Mark) == Exchanger::kMarkBytes);

}  // namespace

void Exchanger::run_round(int partner, std::uint64_t round, const std::function<bool()>& over, Counts& counts) {
    const auto self = static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD));
    Mark mark{.round = round, .place = 0, .sender = self, .over = 0};
    Mark received{};
    for (; mark.over == 0 && received.over == 0; ++mark.place) {
        mark.over = over() ? 1 : 0;
        std::memcpy(outgoing_.data(), &mark, sizeof mark);
        std::array<MPI_Request, 2> requests{};
        check(MPI_Irecv(incoming_.data(), static_cast<int>(incoming_.size()), MPI_BYTE, partner, kTag, MPI_COMM_WORLD,
                        &requests[0]),
              "MPI_Irecv");
        check(MPI_Isend(outgoing_.data(), static_cast<int>(outgoing_.size()), MPI_BYTE, partner, kTag, MPI_COMM_WORLD,
                        &requests[1]),
              "MPI_Isend");
        wait_all(requests);
        std::memcpy(&received, incoming_.data(), sizeof received);
        ++counts.messages;
        if (received.round != round || received.place != mark.place ||
            received.sender != static_cast<std::uint64_t>(partner)) {
            ++counts.errors;
        }
    }
}

}  // namespace fairlead::random_traffic
