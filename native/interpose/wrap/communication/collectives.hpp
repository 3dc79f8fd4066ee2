// SPDX-License-Identifier: Apache-2.0
// What a rank gives to a collective call and gets from it, by the call's arguments.
//
// How the MPI library moves it between the ranks is the library's affair: none of it is in the communication matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "mpi/handles.hpp"
#include "wrap/call.hpp"
#include "wrap/communication/messages.hpp"
#include "wrap/communication/requests.hpp"

namespace fairlead {

// The caller's part in a collective call with a root.
class Part {
  public:
    Part(const Communicator& comm, int root)
        : root_(comm.inter ? root == MPI_ROOT : root == comm.rank),
          member_(!comm.inter || (root != MPI_ROOT && root != MPI_PROC_NULL)) {}

    bool root() const { return root_; }
    bool members() const { return member_; }
    bool others() const { return member_ && !root_; }

  private:
    bool root_;
    bool member_;
};

// Processes that a neighborhood collective gets from (in) and gives to (out).
struct Neighbors {
    int in = 0;
    int out = 0;
};
Neighbors neighbors(MPI_Comm comm);

inline MPI_Datatype type_at(MPI_Datatype datatype, int) {
    return datatype;
}
inline MPI_Datatype type_at(const MPI_Datatype datatypes[], int index) {
    return datatypes[index];
}

inline std::uint64_t each(int ranks, MPI_Count count, MPI_Datatype datatype) {
    return static_cast<std::uint64_t>(ranks) * bytes(count, datatype);
}

// `Types`: one datatype, or an array of them.
template <class Count, class Types>
std::uint64_t vector(int ranks, const Count counts[], Types types) {
    std::uint64_t sum_B = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        sum_B += bytes(counts[rank], type_at(types, rank));
    }
    return sum_B;
}

template <class Count, class Types>
std::uint64_t own(const Communicator& comm, const Count counts[], Types types) {
    return bytes(counts[comm.rank], type_at(types, comm.rank));
}

// Adds the call to the sums of its kind, where who takes part is known.
void count_kind(Call& call, const Members& members, std::uint64_t given_B, std::uint64_t got_B);

inline void count_collective(Call& call, const Members& members, std::uint64_t given_B, std::uint64_t got_B) {
    call.gives(given_B);
    call.row().received_B += got_B;
    call.thread().gave(given_B);
    if (record::keeps_record()) {
        count_kind(call, members, given_B, got_B);
    }
}

inline void collective(Call& call, const Members& members, std::uint64_t given_B, std::uint64_t got_B) {
    count_collective(call, members, given_B, got_B);
    end_message(call, begin_collective(call, members, std::max(given_B, got_B)));
}

// Likewise, and `request` tells when it is done.
inline void collective_meanwhile(Call& call, const Members& members, std::uint64_t given_B, std::uint64_t got_B,
                                 MPI_Request request) {
    count_collective(call, members, given_B, got_B);
    if (record::Message* message = begin_collective(call, members, std::max(given_B, got_B))) {
        track(call, request, {.function = call.function(), .collective = true, .message = message});
    }
}

// One-sided: bytes that go out and come in, unless there is no target.
inline void one_sided(Call& call, int target, std::uint64_t sent_B, std::uint64_t received_B) {
    if (target != MPI_PROC_NULL) {
        call.gives(sent_B);
        call.row().received_B += received_B;
    }
}

}  // namespace fairlead
