// SPDX-License-Identifier: Apache-2.0
// The functions of MPI as the relay plane carries them out. They stand between the wrappers and the MPI library, in the
// table that wrappers call (`next_functions`), and only there: without the plane the table is the library's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "abi.hpp"
#include "generated/functions.hpp"
#include "mpi/handles.hpp"
#include "record/recorder.hpp"
#include "relay/library/functions.hpp"
#include "relay/library/hints.hpp"
#include "relay/library/unheard.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

/// What the wrappers call from now on, if the environment asks for the plane, else `next`.
void* const* arm(void* const* next);
/// MPI_COMM_WORLD is there and known (mpi/handles.hpp).
void begin();
/// MPI_Finalize, before and after the library's.
void finish();
void end();

/// Null before begin() and after end(), and without the plane.
extern Plane* plane;

/// Calls that the library makes inside another one are its own affair. Some are the program's, in a callback, and
/// cannot be told from those; but the library sends no messages of its own by MPI's functions on the program's
/// communicators.
inline bool is_inner() {
    return record::Thread::current().depth > 1;
}
/// An argument without which a call has no place for its result: the library's to refuse.
inline bool is_missing(const void* result) {
    return result == nullptr;
}
inline bool is_missing(const MPI_Status* status) {
    return status == nullptr && status != MPI_STATUS_IGNORE;
}
inline bool passes_by() {
    return plane == nullptr || is_inner();
}
inline bool passes_by(MPI_Comm comm) {
    return plane == nullptr || (is_inner() && !plane->carries(comm));
}
inline bool passes_by(int count, const MPI_Request requests[]) {
    return plane == nullptr || (is_inner() && !plane->has_any(count, requests));
}
inline bool passes_by(const MPI_Message* message) {
    return plane == nullptr || (is_inner() && !plane->has(*message));
}

/// Replaces functions in the table, if the library has them.
class Table {
  public:
    explicit Table(void** functions) : functions_(functions) {}
    template <class Signature>
    void put(Function function, Signature* with) {
        void*& entry = functions_[static_cast<std::size_t>(function)];
        entry = entry != nullptr ? reinterpret_cast<void*>(with) : nullptr;
    }

  private:
    void** functions_;
};

void put_messages(Table& table);
void put_buffers(Table& table);
void put_completion(Table& table);
void put_communicators(Table& table);
void put_collectives(Table& table);  // generated
void put_creations(Table& table);    // generated
void put_files(Table& table);
void put_file_calls(Table& table);  // generated
void put_windows(Table& table);
void put_compound(Table& table);
void put_partitioned(Table& table);
void put_request_status(Table& table);
void put_joining(Table& table);
void put_errors(Table& table);

/// The error handler that a communicator has but for looks of other threads (unheard.hpp), for one made of it.
class KeptHandler {
  public:
    explicit KeptHandler(MPI_Comm comm)
        : may_be_lost_(kLooksAreHeard && (comm == comm_self() || plane->carries(comm))) {
        if (may_be_lost_) {
            plane->locked([&] { return PMPI_Comm_get_errhandler(comm, &handler_); });
        }
    }
    ~KeptHandler() {
        if (may_be_lost_) {
            PMPI_Errhandler_free(&handler_);
        }
    }
    KeptHandler(const KeptHandler&) = delete;
    KeptHandler& operator=(const KeptHandler&) = delete;

    /// Only what a look sets is set right: not all calls of all libraries let handlers be inherited.
    void give_to(MPI_Comm made) const {
        if (!may_be_lost_ || made == comm_null()) {
            return;
        }
        MPI_Errhandler inherited{};
        PMPI_Comm_get_errhandler(made, &inherited);
        if (inherited == errors_return() && handler_ != errors_return()) {
            PMPI_Comm_set_errhandler(made, handler_);
        }
        PMPI_Errhandler_free(&inherited);
    }

  private:
    bool may_be_lost_;
    MPI_Errhandler handler_{};
};

/// What the library's call returned if it refused a receive's arguments, without posting one; nothing: it did not.
/// After a poll.
std::optional<int> refused_recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm);

/// For meetings of those that make a communicator by this name: the same everywhere, other than by most other names
/// (FNV-1a, Fowler, Noll and Vo).
inline int tag_of_name(const char* name) {
    std::uint32_t hash = 2166136261;
    for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619;
    return static_cast<int>(hash >> 1);
}

/// The library's call, whose new communicator has `comm`'s error handler. Another thread may look at a receive
/// meanwhile (unheard.hpp): what is inherited from the look is not what the program had.
template <class Create>
int make_of(MPI_Comm comm, MPI_Comm* made, Create&& call) {
    const KeptHandler kept(comm);
    *made = comm_null();  // some say success of what they refused, once the program's own error handler was told
    const int error = call();
    if (error == MPI_SUCCESS && *made != comm_null()) {
        plane->appeared(*made);
        kept.give_to(*made);
    }
    return error;
}

/// What the program says of the communicator that a call made, by what the library got of it.
inline int noted(const Hints& hints, const MPI_Comm* made, int error) {
    if (error == MPI_SUCCESS && !is_missing(made)) {
        plane->asserted(*made, hints.said());
    }
    return error;
}

/// A call that is collective over `comm` made a communicator. `call`: the library's function. `by_all`: whether all its
/// members make it, else nothing is agreed with them, and its messages are the library's. Processes outside the world
/// are not waited for: they may not have the plane.
template <class Create, class ByAll>
int create(MPI_Comm comm, MPI_Comm* made, Create&& call, ByAll&& by_all) {
    plane->enter();
    if (comm == comm_null() || is_missing(made)) {
        return call();  // which says what is wrong
    }
    const Plane::Making making(*plane);
    std::optional<CommunicatorId> number;
    const auto make = [&] {
        const int error = make_of(comm, made, call);
        if (error == MPI_SUCCESS && by_all()) {
            plane->add(*made, number);
        }
        return error;
    };
    const Communicator& known = communicator(comm);
    if (known.outside) {
        return make();  // all its members may be of the world
    }
    // Who is not there yet may wait until a message of the program's is pulled here.
    if (!known.inter) {
        if (const int error = plane->gather(comm, number.emplace()); error != MPI_SUCCESS) {
            return error;
        }
        return make();
    }
    if (const int error = plane->gather(comm); error != MPI_SUCCESS) {
        return error;
    }
    const Plane::Suspended suspended(*plane, comm);  // until all have left the library's call, as who agrees has
    if (const int error = plane->gather(comm); error != MPI_SUCCESS) {
        return error;
    }
    return make();
}

template <class Create>
int create(MPI_Comm comm, MPI_Comm* made, Create&& call) {
    return create(comm, made, call, [] { return true; });
}

}  // namespace fairlead::relay
