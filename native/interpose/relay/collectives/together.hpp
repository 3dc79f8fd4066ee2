// SPDX-License-Identifier: Apache-2.0
// Calls that are collective over a file or a window. They take no part in the matching of messages; but who sleeps in
// one answers no frame and pulls nothing. So all members come first, while they poll, told by messages of the file's or
// window's own; then the library's call ends soon, whatever messages there are.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "mpi/lasting.hpp"
#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"

namespace fairlead::relay {

/// What belongs to handles of the library's.
template <class Handle, class Object>
class ByHandle {
  public:
    void put(Handle handle, std::shared_ptr<Object> object) {
        const std::scoped_lock lock(mutex_);
        (*objects_)[key_of(handle)] = std::move(object);
    }
    /// Null of one that has none.
    std::shared_ptr<Object> find(Handle handle) {
        const std::scoped_lock lock(mutex_);
        const auto found = objects_->find(key_of(handle));
        return found != objects_->end() ? found->second : nullptr;
    }
    void remove(Handle handle) {
        const std::scoped_lock lock(mutex_);
        objects_->erase(key_of(handle));
    }

  private:
    std::mutex mutex_;
    Lasting<std::unordered_map<std::uintptr_t, std::shared_ptr<Object>>> objects_;
};

/// After a call that made one of this process's alone, or as `error` says did not: what a former one with its handle
/// left is void.
template <class Handle, class Object>
int made_alone(ByHandle<Handle, Object>& objects, const Handle* made, int error) {
    if (error == MPI_SUCCESS) {
        objects.remove(*made);
    }
    return error;
}

/// The processes of a file or window, and a number that nothing else of theirs has. No communicator: MPICH has few.
struct Members {
    GroupMembers processes;
    CommunicatorId number = 0;
};

extern ByHandle<MPI_File, Members> files;

/// An error of the meeting is for the library's call to find: it tells the right error handler.
inline void come_together(const Members& members) {
    plane->meet(members.processes, members.number);
}

/// The library's call, once all have come. Null members: of one process alone, or nobody knows of them.
template <class Call>
int together(const std::shared_ptr<Members>& members, Call&& call) {
    plane->enter();
    if (members != nullptr) {
        come_together(*members);
    }
    return call();
}

/// The library's call, collective over `comm`, makes a file or window, once all have come. Returns the members; null if
/// the call failed.
template <class Create>
std::shared_ptr<Members> create_with_members(MPI_Comm comm, int& error, Create&& call) {
    plane->enter();
    auto members = std::make_shared<Members>();
    error = plane->gather(comm, members->number);
    if (error == MPI_SUCCESS) {
        members->processes = members_of(communicator(comm));
        error = call();
    }
    return error == MPI_SUCCESS ? members : nullptr;
}

inline bool is_alone(MPI_Comm comm) {
    int size = 0;
    int inter = 0;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_test_inter(comm, &inter);
    return size == 1 && inter == 0;
}

/// Whether the plane has to see to it that its members meet, also where it does not carry the communicator's messages.
/// Processes outside the world do not know of meetings.
inline bool has_to_meet(MPI_Comm comm) {
    return comm != comm_null() && !is_alone(comm) && !communicator(comm).outside;
}

}  // namespace fairlead::relay
