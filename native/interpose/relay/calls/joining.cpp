// SPDX-License-Identifier: Apache-2.0
// Processes that meet others which are not, or need not be, of their MPI_COMM_WORLD. Messages to processes outside it
// are the library's own. Those who come do so in their own time: who waits for them sleeps in the library, after
// everything that can leave has left.
#include <algorithm>
#include <optional>
#include <vector>

#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"
#include "relay/library/group_members.hpp"

namespace fairlead::relay {

namespace {

template <Function function>
int join_by_port(const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* made) {
    const auto direct = library<decltype(join_by_port<function>)>(function);
    if (passes_by()) {
        return direct(port, info, root, comm, made);
    }
    plane->enter();
    plane->send_off();
    return create(comm, made, [&] { return direct(port, info, root, comm, made); });
}

int comm_join(int fd, MPI_Comm* made) {
    const auto direct = library<decltype(comm_join)>(Function::MPI_Comm_join);
    if (passes_by() || is_missing(made)) {
        return direct(fd, made);
    }
    plane->enter();
    plane->send_off();
    const int error = make_of(comm_self(), made, [&] { return direct(fd, made); });
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

// The two leaders, as this one knows them. Nothing where one is outside the world, which knows of no meetings, or where
// the library will refuse it.
std::optional<GroupMembers> leaders(const GroupMembers& ours, MPI_Group remote, int remote_leader) {
    if (remote == group_null()) {
        return std::nullopt;
    }
    const GroupMembers theirs = members_of(remote);
    const int self = ours.world_ranks[ours.place];
    if (theirs.outside() || remote_leader < 0 || remote_leader >= static_cast<int>(theirs.world_ranks.size()) ||
        std::ranges::find(theirs.world_ranks, self) != theirs.world_ranks.end()) {
        return std::nullopt;
    }
    const int other = theirs.world_ranks[static_cast<std::size_t>(remote_leader)];
    return GroupMembers{{std::min(self, other), std::max(self, other)}, self < other ? 0U : 1U};
}

// Collective over both groups. Each group's leader alone has to name the other one: when all of a group have come, its
// leader meets the other's.
int intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
                                 const char* name, MPI_Info info, MPI_Errhandler errors, MPI_Comm* made) {
    const auto direct = library<decltype(intercomm_create_from_groups)>(Function::MPI_Intercomm_create_from_groups);
    const auto call = [&] {
        return direct(local, local_leader, remote, remote_leader, name, Hints(info), errors, made);
    };
    if (passes_by() || local == group_null() || is_missing(name) || is_missing(made)) {
        return call();
    }
    plane->enter();
    const GroupMembers ours = members_of(local);
    if (ours.outside() || !ours.has_place()) {
        return call();
    }
    const int tag = tag_of_name(name);
    plane->meet(ours, comm_null(), tag);
    if (static_cast<int>(ours.place) == local_leader) {
        if (const auto both = leaders(ours, remote, remote_leader)) {
            plane->meet(*both, comm_null(), tag);
        }
    }
    plane->meet(ours, comm_null(), tag);
    *made = comm_null();
    const int error = call();
    if (error == MPI_SUCCESS) {
        plane->appeared(*made);
        plane->add(*made);
    }
    return error;
}

}  // namespace

void put_joining(Table& table) {
    using enum Function;
    table.put(MPI_Comm_accept, join_by_port<MPI_Comm_accept>);
    table.put(MPI_Comm_connect, join_by_port<MPI_Comm_connect>);
    table.put(MPI_Comm_join, comm_join);
    table.put(MPI_Intercomm_create_from_groups, intercomm_create_from_groups);
}

}  // namespace fairlead::relay
