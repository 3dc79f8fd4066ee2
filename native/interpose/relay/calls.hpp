// SPDX-License-Identifier: Apache-2.0
// The functions of MPI as the relay plane carries them out. They stand between the wrappers and the MPI library, in the
// table that wrappers call (`next_functions`), and only there: without the plane the table is the library's own.
#pragma once

#include <cstddef>

#include "abi.hpp"
#include "generated/functions.hpp"
#include "record/recorder.hpp"
#include "relay/plane.hpp"

namespace fairlead::relay {

/// What the wrappers call from now on, if the environment asks for the plane, else `next`.
void* const* arm(void* const* next);
/// How the program runs without the plane, by what armed it.
const char* way_out();
/// MPI_COMM_WORLD is there and known (wrap/handles.hpp).
void begin();
/// MPI_Finalize, before and after the library's.
void finish();
void end();

/// Null before begin() and after end(), and without the plane.
extern Plane* plane;
extern void* const* library_functions;

/// The MPI library's own function, or that of a tool loaded after fairlead.
template <class Signature>
Signature* library(Function function) {
    return reinterpret_cast<Signature*>(library_functions[static_cast<std::size_t>(function)]);
}

/// Calls that the library makes inside another one are its own affair. Some are the program's, in a callback, and
/// cannot be told from those; but the library sends no messages of its own by MPI's functions on the program's
/// communicators.
inline bool is_inner() {
    return record::Thread::current().depth > 1;
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
void put_completion(Table& table);
void put_communicators(Table& table);
void put_collectives(Table& table);  // generated
void put_creations(Table& table);    // generated
void put_refusals(Table& table);     // generated

/// A call that is collective over `comm` made a communicator. `call`: the library's function.
template <class Create>
int create(MPI_Comm comm, const MPI_Comm* made, Create&& call) {
    plane->enter();
    if (comm == comm_null()) {
        return call();  // which says what is wrong
    }
    // Who is not there yet may wait until a message of the program's is pulled here.
    if (const int error = plane->gather(comm); error != MPI_SUCCESS) {
        return error;
    }
    const Plane::Suspended suspended(*plane, comm);
    if (const int error = plane->gather(comm); error != MPI_SUCCESS) {
        return error;
    }
    const int error = call();
    if (error == MPI_SUCCESS) {
        plane->add(*made);
    }
    return error;
}

/// A collective call, as its non-blocking form and polling.
template <class Begin>
int poll_through(Begin&& start) {
    plane->enter();
    MPI_Request request = request_null();
    const int error = plane->locked([&] { return start(&request); });
    return error == MPI_SUCCESS ? plane->wait_native(request) : error;
}

}  // namespace fairlead::relay
