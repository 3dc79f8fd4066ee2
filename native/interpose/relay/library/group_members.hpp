// SPDX-License-Identifier: Apache-2.0
// Who is in a group, as everybody knows them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"

namespace fairlead::relay {

// World ranks of a group's members, and the place of this process among them.
struct GroupMembers {
    std::vector<int> world_ranks;
    std::size_t place = 0;  // beyond them where it is none of them

    bool has_place() const { return place < world_ranks.size(); }

    /// Some of them are not of MPI_COMM_WORLD.
    bool outside() const { return std::ranges::find(world_ranks, MPI_UNDEFINED) != world_ranks.end(); }
};

inline GroupMembers members_of(MPI_Group group) {
    int size = 0;
    int place = 0;
    MPI_Group world{};
    PMPI_Group_size(group, &size);
    PMPI_Group_rank(group, &place);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    GroupMembers members{std::vector<int>(ranks.size()), static_cast<std::size_t>(place)};
    PMPI_Comm_group(comm_world(), &world);
    PMPI_Group_translate_ranks(group, size, ranks.data(), world, members.world_ranks.data());
    PMPI_Group_free(&world);
    return members;
}

/// Of an intracommunicator.
inline GroupMembers members_of(const Communicator& comm) {
    GroupMembers members{{}, static_cast<std::size_t>(comm.rank)};
    for (int peer = 0; peer < comm.peers; ++peer) members.world_ranks.push_back(comm.world_rank(peer));
    return members;
}

/// Of an intercommunicator: of its group on this side.
inline bool are_all_of(MPI_Group group, MPI_Comm comm) {
    int others = 0;
    MPI_Group members{};
    MPI_Group rest{};
    PMPI_Comm_group(comm, &members);
    PMPI_Group_difference(group, members, &rest);
    PMPI_Group_size(rest, &others);
    PMPI_Group_free(&members);
    PMPI_Group_free(&rest);
    return others == 0;
}

}  // namespace fairlead::relay
