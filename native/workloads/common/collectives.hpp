// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/mpi.hpp"
#include "common/mpi_count.hpp"

// Further collectives over MPI_COMM_WORLD that give the processor away while they wait (see wait_all).
namespace fairlead {

inline MPI_Datatype mpi_type(double /*of*/) {
    return MPI_DOUBLE;
}
inline MPI_Datatype mpi_type(std::int32_t /*of*/) {
    return MPI_INT32_T;
}
inline MPI_Datatype mpi_type(std::uint64_t /*of*/) {
    return MPI_UINT64_T;
}

template <typename T>
void all_reduce(std::span<T> values, MPI_Op operation) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), mpi_type(T{}), operation,
                         MPI_COMM_WORLD, &request),
          "MPI_Iallreduce");
    wait_all({&request, 1});
}

// The `own` values of all ranks, one after the other; `all` has room for ranks * own.size().
template <typename T>
void all_gather(std::span<const T> own, std::span<T> all) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = mpi_count(own.size());
    check(MPI_Iallgather(own.data(), count, mpi_type(T{}), all.data(), count, mpi_type(T{}), MPI_COMM_WORLD, &request),
          "MPI_Iallgather");
    wait_all({&request, 1});
}

// Piece r of `outgoing` goes to rank r, whose piece for this rank comes to place r of `incoming`; all pieces are
// equally long.
template <typename T>
void all_to_all(std::span<const T> outgoing, std::span<T> incoming) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = mpi_count(outgoing.size() / static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
    check(MPI_Ialltoall(outgoing.data(), count, mpi_type(T{}), incoming.data(), count, mpi_type(T{}), MPI_COMM_WORLD,
                        &request),
          "MPI_Ialltoall");
    wait_all({&request, 1});
}

// One piece for every rank, one after the other without gaps.
struct Pieces {
    std::vector<int> counts;
    std::vector<int> starts;
    std::size_t total = 0;

    // Throws std::runtime_error where they are too long together.
    explicit Pieces(std::vector<int> lengths) : counts(std::move(lengths)) {
        for (const int count : counts) {
            starts.push_back(mpi_count(total));
            total += static_cast<std::size_t>(count);
        }
    }
};

// The same with pieces of different lengths.
template <typename T>
void all_to_all(std::span<const T> outgoing, const Pieces& sent, std::span<T> incoming, const Pieces& received) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ialltoallv(outgoing.data(), sent.counts.data(), sent.starts.data(), mpi_type(T{}), incoming.data(),
                         received.counts.data(), received.starts.data(), mpi_type(T{}), MPI_COMM_WORLD, &request),
          "MPI_Ialltoallv");
    wait_all({&request, 1});
}

}  // namespace fairlead
