// SPDX-License-Identifier: Apache-2.0
// Wrappers by hand: where MPI begins and ends.
#include <array>
#include <cstdarg>
#include <cstdlib>

#include "boundary.hpp"
#include "generated/wrappers.hpp"
#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"
#include "wrap/call.hpp"
#include "wrap/regions.hpp"

namespace fairlead {

namespace {

bool begun = false;

// From the first of MPI_Init and MPI_Session_init on: ranks of `group` are what the record calls ranks.
void begin(MPI_Group group, int thread_level) {
    threads_at_once = thread_level == MPI_THREAD_MULTIPLE;
    int rank = 0;
    int ranks = 0;
    PMPI_Group_rank(group, &rank);
    PMPI_Group_size(group, &ranks);
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    set_world(group);
    record::initialized(rank, ranks, thread_level, version.data());
    begun = true;
}

// Processes that a rank spawns have ranks of the same numbers, and so have jobs that it starts; but these have not this
// library where it writes rings alone (shim/children.cpp), and the environment is left as it is, for other threads may
// read it.
void keep_rings_to_the_job() {
    if (!record::writes_rings()) {
        return;
    }
    if (record::keeps_record() || std::getenv(kRelayVariable) != nullptr) {
        unsetenv(kRingsVariable);
    }
    MPI_Comm parent = comm_null();
    PMPI_Comm_get_parent(&parent);
    if (parent != comm_null()) {
        record::is_of_another_world();
    }
}

void begin_world() {
    int thread_level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&thread_level);
    if (begun) {
        // After a session: its ranks are the same ones.
        threads_at_once = threads_at_once || thread_level == MPI_THREAD_MULTIPLE;
    } else {
        MPI_Group group{};
        PMPI_Comm_group(comm_world(), &group);
        begin(group, thread_level);
    }
    created(comm_world());
    keep_rings_to_the_job();
    relay::begin();
}

}  // namespace

namespace wrapped {

int MPI_Init(int* argc, char*** argv) {
    Call call(Function::MPI_Init);
    const int error = call.timed(next<decltype(MPI_Init)>(Function::MPI_Init)(argc, argv));
    if (call.counts(error)) {
        begin_world();
    }
    return error;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    Call call(Function::MPI_Init_thread);
    const int error =
        call.timed(next<decltype(MPI_Init_thread)>(Function::MPI_Init_thread)(argc, argv, required, provided));
    if (call.counts(error)) {
        begin_world();
    }
    return error;
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
    Call call(Function::MPI_Session_init);
    const int error =
        call.timed(next<decltype(MPI_Session_init)>(Function::MPI_Session_init)(info, errhandler, session));
    MPI_Group group{};
    if (call.counts(error) && !begun && PMPI_Group_from_session_pset != nullptr &&
        PMPI_Group_from_session_pset(*session, "mpi://WORLD", &group) == MPI_SUCCESS) {
        begin(group, MPI_THREAD_MULTIPLE);  // each session has a level of its own: the safe one
    }
    return error;
}

int MPI_Session_finalize(MPI_Session* session) {
    Call call(Function::MPI_Session_finalize);
    return call.timed(next<decltype(MPI_Session_finalize)>(Function::MPI_Session_finalize)(session));
}

int MPI_Finalize() {
    // Before the call: a program that is killed while it waits for the others has computed to its end all the same.
    record::ending(record::State::running);
    Call call(Function::MPI_Finalize);
    end_regions(call);
    const int error = call.timed(next<decltype(MPI_Finalize)>(Function::MPI_Finalize)());
    if (call.counts(error)) {
        record::finalized();
    }
    return error;
}

int MPI_Abort(MPI_Comm comm, int errorcode) {
    record::ending(record::State::aborted);
    Call call(Function::MPI_Abort);
    return call.timed(next<decltype(MPI_Abort)>(Function::MPI_Abort)(comm, errorcode));
}

int MPI_Pcontrol(const int level, ...) {
    // What follows the level is between the program and its tools. How much it is nobody knows; but what comes in
    // registers can be passed on as it is, and that is all but a sixth argument and floating-point numbers.
    std::array<const void*, 5> more{};
    va_list arguments;
    va_start(arguments, level);
    for (const void*& each : more) {
        each = va_arg(arguments, const void*);
    }
    va_end(arguments);
    const auto* const name = static_cast<const char*>(more[0]);
    const void* const caller = __builtin_return_address(0);
    Call call(Function::MPI_Pcontrol);
    end_region(call, level, name, caller);
    const int error = call.timed(
        next<decltype(MPI_Pcontrol)>(Function::MPI_Pcontrol)(level, more[0], more[1], more[2], more[3], more[4]));
    begin_region(call, level, name, caller);
    return error;
}

}  // namespace wrapped
}  // namespace fairlead
