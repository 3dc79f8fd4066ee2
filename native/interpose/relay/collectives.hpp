// SPDX-License-Identifier: Apache-2.0
// Blocking collective calls. They are the library's own, so that algorithms, the order of reductions and results are
// those that the program has without the plane; but nobody enters one before all members have come (rule 8).
#pragma once

#include "relay/calls.hpp"
#include "wrap/handles.hpp"

namespace fairlead::relay {

/// What the library refuses at once, whoever else comes: nobody is waited for then. What only a closer look finds is
/// refused when all are there.
class Mistakes {
  public:
    explicit Mistakes(MPI_Comm comm) : group_(communicator(comm)) {}
    Mistakes(MPI_Comm comm, int root) : Mistakes(comm) {
        const bool named = root >= 0 && root < group_.peers;
        any_ = !named && !(group_.inter && (root == MPI_ROOT || root == MPI_PROC_NULL));
        is_root_ = root == group_.rank;
    }
    /// Between groups not every process gives a count.
    Mistakes& count(MPI_Count count) {
        any_ = any_ || (!group_.inter && count < 0);
        return *this;
    }
    Mistakes& count(const void* buffer, MPI_Count count) { return buffer == MPI_IN_PLACE ? *this : this->count(count); }
    Mistakes& count_of_root(MPI_Count count) { return is_root_ ? this->count(count) : *this; }
    bool any() const { return any_; }

  private:
    const Communicator& group_;
    bool is_root_ = false;
    bool any_ = false;
};

/// The library's call, once all members have come: then they leave it soon, whatever they poll for. Processes outside
/// the world are not waited for: they may not have the plane, and a non-blocking form does not match their call.
template <class Call>
int meet_and(MPI_Comm comm, const Mistakes& mistakes, Call&& call) {
    const Communicator& group = communicator(comm);
    plane->enter();
    if (group.outside) {
        return call();
    }
    if (!mistakes.any() && (group.inter || group.size > 1)) {
        if (const int error = plane->gather(comm); error != MPI_SUCCESS) {
            return error;
        }
    }
    return call();
}

}  // namespace fairlead::relay
