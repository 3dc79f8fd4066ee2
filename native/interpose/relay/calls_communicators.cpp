// SPDX-License-Identifier: Apache-2.0
// Communicators that are made and freed in ways of their own; all others are generated.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "relay/calls.hpp"
#include "relay/fatal.hpp"
#include "wrap/handles.hpp"
#include "wrap/pmpi.hpp"

namespace fairlead::relay {

namespace {

// World ranks of a group's members, and the place of this process among them.
struct Members {
    std::vector<int> world_ranks;
    std::size_t place = 0;
};

Members members_of(MPI_Group group) {
    int size = 0;
    int place = 0;
    MPI_Group world{};
    PMPI_Group_size(group, &size);
    PMPI_Group_rank(group, &place);
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    Members members{std::vector<int>(ranks.size()), static_cast<std::size_t>(place)};
    PMPI_Comm_group(comm_world(), &world);
    PMPI_Group_translate_ranks(group, size, ranks.data(), world, members.world_ranks.data());
    PMPI_Group_free(&world);
    return members;
}

// Collective over the group alone.
int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    const auto create = library<decltype(comm_create_group)>(Function::MPI_Comm_create_group);
    int place = MPI_UNDEFINED;
    if (passes_by() || comm == comm_null() || PMPI_Group_rank(group, &place) != MPI_SUCCESS || place == MPI_UNDEFINED) {
        return create(comm, group, tag, made);
    }
    plane->enter();
    const Members members = members_of(group);
    plane->meet(members.world_ranks, members.place, comm, tag);
    const Plane::Suspended suspended(*plane, comm);
    plane->meet(members.world_ranks, members.place, comm, tag);
    const int error = create(comm, group, tag, made);
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

int comm_create_from_group(MPI_Group group, const char* name, MPI_Info info, MPI_Errhandler errors, MPI_Comm* made) {
    const auto create = library<decltype(comm_create_from_group)>(Function::MPI_Comm_create_from_group);
    if (passes_by()) {
        return create(group, name, info, errors, made);
    }
    plane->enter();
    const Members members = members_of(group);
    plane->meet(members.world_ranks, members.place, comm_null(), 0);
    const int error = create(group, name, info, errors, made);
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

// The two groups' leaders meet before anybody sleeps in the library, which may use the peers' communicator: once when
// everybody has come, and once more when nothing is pulled any more.
int intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* made) {
    const auto create = library<decltype(intercomm_create)>(Function::MPI_Intercomm_create);
    if (passes_by() || local == comm_null()) {
        return create(local, local_leader, peers, remote_leader, tag, made);
    }
    plane->enter();
    const bool leads = communicator(local).rank == local_leader;
    std::function<void()> meet = [] {};
    if (leads) {
        if (peers == comm_null() || remote_leader < 0 || remote_leader >= communicator(peers).peers) {
            return create(local, local_leader, peers, remote_leader, tag, made);
        }
        const int other = communicator(peers).world_rank(remote_leader);
        int self = 0;
        PMPI_Comm_rank(comm_world(), &self);
        if (other == record::kOutsideWorld) {
            fatal("MPI_Intercomm_create with processes outside MPI_COMM_WORLD is not supported under the relay plane");
        }
        meet = [=] { plane->meet({std::min(self, other), std::max(self, other)}, self < other ? 0 : 1, peers, tag); };
    }
    plane->gather(local);
    meet();
    plane->gather(local);
    const Plane::Suspended suspended(*plane, leads ? peers : local);
    meet();
    plane->gather(local);
    const int error = create(local, local_leader, peers, remote_leader, tag, made);
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

template <Function function>
int comm_free(MPI_Comm* comm) {
    const auto free = library<int(MPI_Comm*)>(function);
    // Also inside another call: programs keep communicators as attributes of others, and free them with those.
    if (*comm == comm_null() || passes_by(*comm)) {
        return free(comm);
    }
    plane->enter();
    if (plane->drop(*comm)) {
        forget_communicator(*comm);  // asked since the wrapper forgot it; the next one may have its handle
        return free(comm);
    }
    *comm = comm_null();
    return MPI_SUCCESS;
}

int finalize() {
    const auto finalize_library = library<decltype(finalize)>(Function::MPI_Finalize);
    finish();
    const int error = finalize_library();  // which calls attributes' callbacks
    end();
    return error;
}

}  // namespace

void put_communicators(Table& table) {
    table.put(Function::MPI_Comm_create_group, comm_create_group);
    table.put(Function::MPI_Comm_create_from_group, comm_create_from_group);
    table.put(Function::MPI_Intercomm_create, intercomm_create);
    table.put(Function::MPI_Comm_free, comm_free<Function::MPI_Comm_free>);
    table.put(Function::MPI_Comm_disconnect, comm_free<Function::MPI_Comm_disconnect>);
    table.put(Function::MPI_Finalize, finalize);
}

}  // namespace fairlead::relay
