// SPDX-License-Identifier: Apache-2.0
// Processes that meet others which are not, or need not be, of their MPI_COMM_WORLD. Messages to processes outside it
// are the library's own. Those who come do so in their own time: who waits for them sleeps in the library, after
// everything that can leave has left.
#include <algorithm>
#include <set>
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
    if (passes_by()) {
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

// Collective over both groups.
int intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
                                 const char* name, MPI_Info info, MPI_Errhandler errors, MPI_Comm* made) {
    const auto direct = library<decltype(intercomm_create_from_groups)>(Function::MPI_Intercomm_create_from_groups);
    const auto call = [&] {
        return direct(local, local_leader, remote, remote_leader, name, Hints(info), errors, made);
    };
    if (passes_by()) {
        return call();
    }
    plane->enter();
    const GroupMembers ours = members_of(local);
    const GroupMembers theirs = members_of(remote);
    std::set<int> all(ours.world_ranks.begin(), ours.world_ranks.end());
    all.insert(theirs.world_ranks.begin(), theirs.world_ranks.end());
    const bool apart = all.size() == ours.world_ranks.size() + theirs.world_ranks.size();
    const bool known = !is_missing(name) && !is_missing(made) && apart && !ours.outside() && !theirs.outside() &&
                       ours.place < ours.world_ranks.size();
    if (known) {
        const auto place = std::distance(all.begin(), all.find(ours.world_ranks[ours.place]));
        plane->meet({{all.begin(), all.end()}, static_cast<std::size_t>(place)}, comm_null(), tag_of_name(name));
        *made = comm_null();
    }
    const int error = call();
    if (error == MPI_SUCCESS && known) {
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
