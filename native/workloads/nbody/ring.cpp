// SPDX-License-Identifier: Apache-2.0
#include "nbody/ring.hpp"

#include <mpi.h>

#include <array>
#include <utility>

#include "common/mpi.hpp"

namespace fairlead::nbody {

namespace {

constexpr int kTag = 0;

}  // namespace

Ring::Ring(int particles, double softening, const Block& own)
    : particles_(particles),
      ranks_(size_of(MPI_COMM_WORLD)),
      rank_(rank_of(MPI_COMM_WORLD)),
      softening_(softening),
      payload_sums_(static_cast<std::size_t>(ranks_)),
      travelling_(own),
      arriving_(own) {
    const std::uint64_t sum = own.payload_sum();
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(&sum, 1, MPI_UINT64_T, payload_sums_.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request),
          "MPI_Iallgather");
    wait_all({&request, 1});
}

int Ring::block_start(int particles, int ranks, int rank) {
    return static_cast<int>(std::int64_t{particles} * rank / ranks);
}

void Ring::compute(const Block& own, const Block& travelling, int owner, Field& field) {
    if (travelling.payload_sum() != payload_sums_[static_cast<std::size_t>(owner)]) {
        ++payload_errors_;
    }
    add_forces(own.sources(), travelling.sources(), softening_, field);
}

void Ring::forces(const Block& own, Field& field) {
    const int right = (rank_ + 1) % ranks_;
    const int left = (rank_ + ranks_ - 1) % ranks_;
    field.clear();
    travelling_ = own;
    for (int hop = 0; hop < ranks_; ++hop) {
        const int owner = (rank_ + ranks_ - hop) % ranks_;
        std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        if (hop + 1 < ranks_) {
            const int next_owner = (owner + ranks_ - 1) % ranks_;
            arriving_.resize(static_cast<std::size_t>(block_start(particles_, ranks_, next_owner + 1) -
                                                      block_start(particles_, ranks_, next_owner)));
            const std::span<double> in = arriving_.words();
            const std::span<double> out = travelling_.words();
            check(
                MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_DOUBLE, left, kTag, MPI_COMM_WORLD, &requests[0]),
                "MPI_Irecv");
            check(MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_DOUBLE, right, kTag, MPI_COMM_WORLD,
                            &requests[1]),
                  "MPI_Isend");
            bytes_sent_ += out.size_bytes();
        }
        compute(own, travelling_, owner, field);
        wait_all(requests);
        std::swap(travelling_, arriving_);
    }
}

}  // namespace fairlead::nbody
