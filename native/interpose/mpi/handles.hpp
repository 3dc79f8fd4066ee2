// SPDX-License-Identifier: Apache-2.0
// What is known of a handle: the size of a datatype, the ranks of a communicator. Asked once, then remembered by
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "abi.hpp"
#include "record/recorder.hpp"

namespace fairlead {

// Of a communicator whose creation was not seen, or that has members outside the world.
constexpr std::uint64_t kNoIdentity = 0;

struct Communicator {
    int rank = 0;   // the caller's
    int size = 0;   // of the local group
    int peers = 0;  // ranks that messages go to: the remote group's of an intercommunicator, else the local group's
    bool inter = false;
    bool outside = false;          // some members, of either group, are not of the world
    std::vector<int> world_ranks;  // of the peers; empty where they are the same
    // While there is a record, or rings: numbers of which processes it is of, and of itself, the same on all its
    // members.
    std::uint64_t members = kNoIdentity;
    std::uint64_t identity = kNoIdentity;

    // Of one that was freed unseen, by a tool in the program, another one may have the handle, and more processes.
    int world_rank(int peer) const {
        const auto place = static_cast<std::size_t>(peer);
        return world_ranks.empty() ? peer : place < world_ranks.size() ? world_ranks[place] : record::kOutsideWorld;
    }
};

// Of a live handle.
const Communicator& communicator(MPI_Comm comm);
std::shared_ptr<const Communicator> shared_communicator(MPI_Comm comm);
std::uint64_t size_of(MPI_Datatype datatype);  // 0 of MPI_DATATYPE_NULL

// Before a call that makes one: MPICH 5 returns success where it told the program's error handler, and makes nothing.
inline void none_yet(MPI_Comm* made) {
    if (made != nullptr) {
        *made = comm_null();
    }
}

// A call made the communicator, or null. All its members see those with the same members made in the same order, for a
// call that makes one is collective over them: its members and its number among their communicators are its identity.
void created(MPI_Comm comm);
// Likewise, but it cannot be asked before a request is complete; it has the members of `model`.
void created_like(MPI_Comm model, MPI_Comm comm);

// The handle is about to be freed: the library may give the same one to another object.
void forget_communicator(MPI_Comm comm);
void forget_datatype(MPI_Datatype datatype);

// The group that world ranks are ranks in: MPI_COMM_WORLD's, or that of a session's process set mpi://WORLD.
void set_world(MPI_Group group);

}  // namespace fairlead
