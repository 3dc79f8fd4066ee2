// SPDX-License-Identifier: Apache-2.0
// Communicators that are made and freed in ways of their own; all others are generated.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"
#include "relay/library/group_members.hpp"

namespace fairlead::relay {

namespace {

// Local until it is waited for; messages on what it makes are the library's.
template <class Copy>
int begin_copy(MPI_Comm comm, MPI_Comm* made, Copy&& copy) {
    plane->copies(comm);
    const int error = make_of(comm, made, copy);
    if (error == MPI_SUCCESS && *made != comm_null()) {
        plane->copied(comm, *made);
    }
    return error;
}

int comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
    const auto copy = library<decltype(comm_idup)>(Function::MPI_Comm_idup);
    if (passes_by() || is_missing(made)) {
        return copy(comm, made, request);
    }
    return begin_copy(comm, made, [&] { return copy(comm, made, request); });
}

int comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
    const auto copy = library<decltype(comm_idup_with_info)>(Function::MPI_Comm_idup_with_info);
    if (passes_by() || is_missing(made)) {
        return copy(comm, info, made, request);
    }
    const Hints hints(info);
    return noted(hints, made, begin_copy(comm, made, [&] { return copy(comm, hints, made, request); }));
}

// Open MPI makes a communicator of any group. Of processes that are not of `comm` some do not make it, and agree on
// nothing: what is sent on it is the library's.
int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
    const auto direct = library<decltype(comm_create)>(Function::MPI_Comm_create);
    if (passes_by()) {
        return direct(comm, group, made);
    }
    return create(
        comm, made, [&] { return direct(comm, group, made); }, [&] { return are_all_of(group, comm); });
}

// Collective over the group alone.
int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    const auto create = library<decltype(comm_create_group)>(Function::MPI_Comm_create_group);
    int place = MPI_UNDEFINED;
    if (passes_by() || comm == comm_null() || group == group_null() || is_missing(made) ||
        PMPI_Group_rank(group, &place) != MPI_SUCCESS || place == MPI_UNDEFINED) {
        return create(comm, group, tag, made);
    }
    plane->enter();
    const GroupMembers members = members_of(group);
    const Plane::Making making(*plane);
    std::optional<Plane::Suspended> suspended;
    std::optional<CommunicatorId> number;
    if (!members.outside()) {  // those do not know of meetings
        plane->meet(members, comm, tag);
        suspended.emplace(*plane, comm);  // the library may send with the program's tag
        number = plane->meet(members, comm, tag, plane->propose());
    }
    const int error = make_of(comm, made, [&] { return create(comm, group, tag, made); });
    if (error == MPI_SUCCESS) {
        plane->add(*made, number);
    }
    return error;
}

int comm_create_from_group(MPI_Group group, const char* name, MPI_Info info, MPI_Errhandler errors, MPI_Comm* made) {
    const auto create = library<decltype(comm_create_from_group)>(Function::MPI_Comm_create_from_group);
    if (passes_by() || group == group_null() || is_missing(name) || is_missing(made)) {
        return create(group, name, info, errors, made);
    }
    plane->enter();
    const GroupMembers members = members_of(group);
    if (members.outside() || !members.has_place()) {
        return create(group, name, info, errors, made);
    }
    const Plane::Making making(*plane);
    // Threads may make several at the same time, which MPI tells apart by this name.
    const CommunicatorId number = plane->meet(members, comm_null(), tag_of_name(name), plane->propose());
    *made = comm_null();
    const Hints hints(info);
    const int error = create(group, name, hints, errors, made);
    if (error == MPI_SUCCESS) {
        plane->appeared(*made);
        plane->add(*made, number);
    }
    return noted(hints, made, error);
}

// The two groups' leaders meet before anybody sleeps in the library, which may use the peers' communicator: once when
// everybody has come, and once more when nothing is pulled any more.
int intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* made) {
    const auto create = library<decltype(intercomm_create)>(Function::MPI_Intercomm_create);
    if (passes_by() || local == comm_null() || is_missing(made)) {
        return create(local, local_leader, peers, remote_leader, tag, made);
    }
    plane->enter();
    const bool leads = communicator(local).rank == local_leader;
    const auto gather = [local] {
        if (!communicator(local).outside) {
            plane->gather(local);
        }
    };
    std::function<void()> meet = [] {};
    if (leads) {
        if (peers == comm_null() || remote_leader < 0 || remote_leader >= communicator(peers).peers) {
            return create(local, local_leader, peers, remote_leader, tag, made);
        }
        const int other = communicator(peers).world_rank(remote_leader);
        int self = 0;
        PMPI_Comm_rank(comm_world(), &self);
        if (other != record::kOutsideWorld)  // one that is outside does not know of meetings
            meet = [=] {
                plane->meet({{std::min(self, other), std::max(self, other)}, self < other ? 0U : 1U}, peers, tag);
            };
    }
    gather();
    meet();
    gather();
    const Plane::Suspended suspended(*plane, leads ? peers : local);
    meet();
    gather();
    const int error =
        make_of(local, made, [&] { return create(local, local_leader, peers, remote_leader, tag, made); });
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

// Also after a failure or a revocation, of whoever still lives.

int comm_agree(MPI_Comm comm, int* flag) {
    const auto agree = library<decltype(comm_agree)>(Function::MPIX_Comm_agree);
    if (!passes_by(comm) && comm != comm_null()) {
        plane->enter();
        plane->gather_living(comm);
    }
    return agree(comm, flag);
}

int comm_shrink(MPI_Comm comm, MPI_Comm* made) {
    const auto shrink = library<decltype(comm_shrink)>(Function::MPIX_Comm_shrink);
    if (passes_by() || comm == comm_null() || is_missing(made)) {
        return shrink(comm, made);
    }
    plane->enter();
    plane->gather_living(comm);
    const int error = make_of(comm, made, [&] { return shrink(comm, made); });
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

int comm_set_info(MPI_Comm comm, MPI_Info info) {
    const auto set = library<decltype(comm_set_info)>(Function::MPI_Comm_set_info);
    if (plane == nullptr) {
        return set(comm, info);
    }
    const Hints hints(info);
    return noted(hints, &comm, set(comm, hints));
}

int comm_get_info(MPI_Comm comm, MPI_Info* info) {
    const int error = library<decltype(comm_get_info)>(Function::MPI_Comm_get_info)(comm, info);
    if (plane != nullptr && error == MPI_SUCCESS && !is_missing(info)) {
        const Assertions said = plane->assertions(comm);
        for (std::size_t at = 0; at < said.size(); ++at) {
            if (said[at]) {
                PMPI_Info_set(*info, kAssertions[at], *said[at] ? "true" : "false");
            }
        }
    }
    return error;
}

/// Whether it is for the library alone to say what becomes of it. Freeing concerns the plane also inside another call:
/// programs keep communicators as attributes of others, and free them with those.
bool is_no_affair(const MPI_Comm* comm) {
    return plane == nullptr || comm == nullptr || *comm == comm_null() || *comm == comm_world() || *comm == comm_self();
}

int comm_free(MPI_Comm* comm) {
    const auto free = library<decltype(comm_free)>(Function::MPI_Comm_free);
    if (is_no_affair(comm)) {
        return free(comm);
    }
    plane->forget_notes(*comm);
    plane->detached({SendBuffers::Of::communicator, key_of(*comm)});
    if (!plane->carries(*comm)) {
        return free(comm);
    }
    plane->enter();
    return plane->free(comm, free);
}

int comm_disconnect(MPI_Comm* comm) {
    const auto disconnect = library<decltype(comm_disconnect)>(Function::MPI_Comm_disconnect);
    if (is_no_affair(comm) || passes_by(*comm)) {
        return disconnect(comm);
    }
    if (communicator(*comm).outside) {
        forget_communicator(*comm);  // asked since the wrapper forgot it
        plane->forget_notes(*comm);
        return disconnect(comm);
    }
    plane->enter();
    const bool dropped = plane->drop(*comm);
    plane->forget_notes(*comm);
    plane->detached({SendBuffers::Of::communicator, key_of(*comm)});
    if (dropped) {
        forget_communicator(*comm);  // asked since the wrapper forgot it; the next one may have its handle
        return disconnect(comm);
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
    table.put(Function::MPI_Comm_create, comm_create);
    table.put(Function::MPI_Comm_create_group, comm_create_group);
    table.put(Function::MPI_Comm_create_from_group, comm_create_from_group);
    table.put(Function::MPI_Intercomm_create, intercomm_create);
    table.put(Function::MPI_Comm_idup, comm_idup);
    table.put(Function::MPI_Comm_idup_with_info, comm_idup_with_info);
    table.put(Function::MPI_Comm_set_info, comm_set_info);
    table.put(Function::MPI_Comm_get_info, comm_get_info);
    table.put(Function::MPIX_Comm_agree, comm_agree);
    table.put(Function::MPIX_Comm_shrink, comm_shrink);
    table.put(Function::MPI_Comm_free, comm_free);
    table.put(Function::MPI_Comm_disconnect, comm_disconnect);
    table.put(Function::MPI_Finalize, finalize);
}

}  // namespace fairlead::relay
