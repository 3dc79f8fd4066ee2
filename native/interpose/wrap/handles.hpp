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

struct Communicator {
    int rank = 0;   // the caller's
    int size = 0;   // of the local group
    int peers = 0;  // ranks that messages go to: the remote group's of an intercommunicator, else the local group's
    bool inter = false;
    std::vector<int> world_ranks;  // of the peers; empty where they are the same

    int world_rank(int peer) const { return world_ranks.empty() ? peer : world_ranks[static_cast<std::size_t>(peer)]; }
};

// Of a live handle.
const Communicator& communicator(MPI_Comm comm);
std::shared_ptr<const Communicator> shared_communicator(MPI_Comm comm);
std::uint64_t size_of(MPI_Datatype datatype);

// The handle is about to be freed: the library may give the same one to another object.
void forget_communicator(MPI_Comm comm);
void forget_datatype(MPI_Datatype datatype);

// The group that world ranks are ranks in: MPI_COMM_WORLD's, or that of a session's process set mpi://WORLD.
void set_world(MPI_Group group);

}  // namespace fairlead
