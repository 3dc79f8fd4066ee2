// SPDX-License-Identifier: Apache-2.0
// Blocking collective calls. They are the library's own, so that algorithms, the order of reductions and results are
// those that the program has without the plane; but nobody enters one before all members have come (rule 8).
#pragma once

#include <algorithm>

#include "mpi/handles.hpp"
#include "relay/calls/calls.hpp"

namespace fairlead::relay {

/// What the library refuses at once, whoever else comes: nobody is waited for then, for the others may not make the
/// call. What only a closer look finds is refused when all are there.
class Mistakes {
  public:
    explicit Mistakes(MPI_Comm comm) : group_(communicator(comm)), looks_for_aliases_(!group_.inter) {}
    Mistakes(MPI_Comm comm, int root) : Mistakes(comm) {
        const bool named = root >= 0 && root < group_.peers;
        any_ = !named && !(group_.inter && (root == MPI_ROOT || root == MPI_PROC_NULL));
        is_root_ = root == group_.rank;
        looks_for_aliases_ = looks_for_aliases_ && is_root_;
    }
    /// Between groups not every process gives a count or a datatype.
    Mistakes& count(MPI_Count count) {
        any_ = any_ || (!group_.inter && count < 0);
        return *this;
    }
    Mistakes& count(const void* buffer, MPI_Count count) { return buffer == MPI_IN_PLACE ? *this : this->count(count); }
    Mistakes& count_of_root(MPI_Count count) { return is_root_ ? this->count(count) : *this; }
    Mistakes& type(MPI_Datatype type) {
        any_ = any_ || (!group_.inter && type == datatype_null());
        return *this;
    }
    Mistakes& type(const void* buffer, MPI_Datatype type) { return buffer == MPI_IN_PLACE ? *this : this->type(type); }
    Mistakes& type_of_root(MPI_Datatype type) { return is_root_ ? this->type(type) : *this; }
    Mistakes& operation(MPI_Op op) {
        any_ = any_ || (!group_.inter && op == op_null());
        return *this;
    }

    // MPICH refuses data that comes from where the result goes, without MPI_IN_PLACE. These are its rules, of 4.0 and
    // 5: whoever it does not refuse has to meet the others.

    /// Of reductions. Where each member has a count, any. Open MPI (4.1 and 5) refuses it, too, of a root.
    Mistakes& reduced_onto_itself(const void* sent, const void* received, MPI_Count count) {
        const bool onto_itself = sent == received && count > 0;
        any_ = any_ || (onto_itself && looks_for_aliases_ && is_root_ && plane->refuses_aliases_of_root());
        return alias([=] { return onto_itself; });
    }
    template <class Count>
    Mistakes& reduced_onto_itself(const void* sent, const void* received, const Count counts[]) {
        return alias([&, this] {
            return sent == received && std::any_of(counts, counts + group_.peers, [](Count each) { return each > 0; });
        });
    }
    /// Of data for each member, and from each. Count, Type: also arrays of them.
    template <class Count, class Type>
    Mistakes& sent_onto_itself(const void* sent, Count sendcount, Type sendtype, const void* received, Count recvcount,
                               Type recvtype) {
        return alias(
            [=] { return sent == received && sendtype == recvtype && sendcount == recvcount && sendcount != Count{}; });
    }
    /// `own` is what this process has in `all`, where each member's lies after the one before.
    Mistakes& own_block(const void* own, MPI_Count own_count, MPI_Datatype own_type, const void* all, MPI_Count count,
                        MPI_Datatype type) {
        return alias([=, this] {
            return own_type == type && own_count == count && count > 0 && own == at(all, group_.rank * count, type);
        });
    }
    template <class Count, class Displacement>
    Mistakes& own_block(const void* own, MPI_Count own_count, MPI_Datatype own_type, const void* all,
                        const Count counts[], const Displacement displacements[], MPI_Datatype type) {
        return alias([=, this] {
            return own_type == type && own_count > 0 && counts[group_.rank] > 0 &&
                   own == at(all, displacements[group_.rank], type);
        });
    }

    bool any() const { return any_; }

  private:
    static const void* at(const void* all, MPI_Count elements, MPI_Datatype type) {
        return static_cast<const std::uint8_t*>(all) + elements * static_cast<MPI_Count>(size_of(type));
    }
    /// Where the arguments of the question mean nothing, it is not asked.
    template <class Question>
    Mistakes& alias(Question question) {
        any_ = any_ || (looks_for_aliases_ && plane->refuses_aliases() && question());
        return *this;
    }

    const Communicator& group_;
    bool is_root_ = false;
    bool looks_for_aliases_;
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
