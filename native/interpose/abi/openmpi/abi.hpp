// SPDX-License-Identifier: Apache-2.0
// The binary interface of Open MPI 4.0 to 5 (libmpi.so.40): handles are pointers, predefined ones are objects of
// libmpi.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/common.hpp"

/// A step of its progress that finds nothing lets others have the processor, where its user wants that
/// (mpi_yield_when_idle).
inline constexpr bool kProgressYields = true;

using MPI_Comm = struct ompi_communicator_t*;
using MPI_Datatype = struct ompi_datatype_t*;
using MPI_Errhandler = struct ompi_errhandler_t*;
using MPI_File = struct ompi_file_t*;
using MPI_Group = struct ompi_group_t*;
using MPI_Info = struct ompi_info_t*;
using MPI_Message = struct ompi_message_t*;
using MPI_Op = struct ompi_op_t*;
using MPI_Request = struct ompi_request_t*;
using MPI_Session = struct ompi_instance_t*;
using MPI_Win = struct ompi_win_t*;

struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int cancelled;
    std::size_t bytes;
};

constexpr int MPI_ANY_SOURCE = -1;
constexpr int MPI_PROC_NULL = -2;
constexpr int MPI_ROOT = -4;
constexpr int MPI_ANY_TAG = -1;
constexpr int MPI_THREAD_MULTIPLE = 3;
constexpr int MPI_CART = 1;
constexpr int MPI_GRAPH = 2;
constexpr int MPI_DIST_GRAPH = 3;
constexpr int MPI_COMBINER_NAMED = 0;
constexpr int MPI_COMM_TYPE_SHARED = 0;
constexpr int MPI_TAG_UB = 0;
constexpr int MPI_LOCK_EXCLUSIVE = 1;
constexpr int MPI_LOCK_SHARED = 2;
constexpr int MPI_MODE_NOCHECK = 1;
constexpr int MPI_ERR_BUFFER = 1;
constexpr int MPI_ERR_TRUNCATE = 15;
constexpr int MPI_ERR_IN_STATUS = 18;
constexpr int MPI_ERR_PENDING = 19;

/// MPI_BUFFER_AUTOMATIC (MPI 4.1), which the library does not have.
inline const void* const kBufferAutomatic = nullptr;
inline const void* const MPI_IN_PLACE = reinterpret_cast<const void*>(1);
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;

extern "C" {
extern char ompi_mpi_comm_null;
extern char ompi_mpi_comm_self;
extern char ompi_mpi_comm_world;
extern char ompi_mpi_byte;
extern char ompi_mpi_datatype_null;
extern char ompi_mpi_errors_return;
extern char ompi_mpi_group_null;
extern char ompi_mpi_info_null;
extern char ompi_mpi_int64_t;
extern char ompi_mpi_op_min;
extern char ompi_mpi_op_no_op;
extern char ompi_mpi_op_null;
extern char ompi_mpi_op_sum;
extern char ompi_mpi_win_null;
extern char ompi_mpi_packed;
extern char ompi_request_null;
extern char ompi_message_no_proc;
}

namespace fairlead {

constexpr bool kIsendrecvHasStatus = true;

// Open MPI 4.1 does, in the call that completes one. PMPI_Request_get_status leaves all as they are.
constexpr bool kErrorsFreePersistent = true;
// What is wrong with the arguments of MPI_Mrecv is told the handler of the message's communicator.
constexpr bool kMessageHasHandler = true;

constexpr bool kTestallKnowsAllKinds = true;

// MPI_Waitall ends as soon as one request has failed, and leaves open what is not complete then.
constexpr bool kErrorEndsWaitall = true;

constexpr bool kWaitsForFilesInTurn = false;

constexpr bool kHintsPlaceMessages = false;

constexpr bool kCancelsMatched = false;

// MPI_Testall, MPI_Waitsome and MPI_Testsome say also of what is complete without an error that it has none.
constexpr bool kSuccessIsInStatus = true;

// Of buffered sends, as Open MPI 4.1 and 5 have them: what leaves at once needs no buffer, and may be this long over
// TCP; of a buffer each message takes so much besides its bytes, and more for some lengths.
constexpr std::int64_t kLongestUnbuffered_B = 65536;
constexpr std::uint64_t kBufferedNote_B = 24;

/// Whether the library that is loaded does: all with this binary interface.
constexpr bool behaves_as_described() {
    return true;
}

inline MPI_Comm comm_world() {
    return reinterpret_cast<MPI_Comm>(&ompi_mpi_comm_world);
}
inline MPI_Comm comm_null() {
    return reinterpret_cast<MPI_Comm>(&ompi_mpi_comm_null);
}
inline MPI_Comm comm_self() {
    return reinterpret_cast<MPI_Comm>(&ompi_mpi_comm_self);
}
inline MPI_Datatype datatype_byte() {
    return reinterpret_cast<MPI_Datatype>(&ompi_mpi_byte);
}
inline MPI_Datatype datatype_int64() {
    return reinterpret_cast<MPI_Datatype>(&ompi_mpi_int64_t);
}
inline MPI_Datatype datatype_packed() {
    return reinterpret_cast<MPI_Datatype>(&ompi_mpi_packed);
}
inline MPI_Datatype datatype_null() {
    return reinterpret_cast<MPI_Datatype>(&ompi_mpi_datatype_null);
}
inline MPI_Errhandler errors_return() {
    return reinterpret_cast<MPI_Errhandler>(&ompi_mpi_errors_return);
}
inline MPI_Group group_null() {
    return reinterpret_cast<MPI_Group>(&ompi_mpi_group_null);
}
inline MPI_Info info_null() {
    return reinterpret_cast<MPI_Info>(&ompi_mpi_info_null);
}
inline MPI_Op op_min() {
    return reinterpret_cast<MPI_Op>(&ompi_mpi_op_min);
}
inline MPI_Op op_no_op() {
    return reinterpret_cast<MPI_Op>(&ompi_mpi_op_no_op);
}
inline MPI_Op op_null() {
    return reinterpret_cast<MPI_Op>(&ompi_mpi_op_null);
}
inline MPI_Op op_sum() {
    return reinterpret_cast<MPI_Op>(&ompi_mpi_op_sum);
}
inline MPI_Request request_null() {
    return reinterpret_cast<MPI_Request>(&ompi_request_null);
}
inline MPI_Message message_no_proc() {
    return reinterpret_cast<MPI_Message>(&ompi_message_no_proc);
}

inline MPI_Win win_null() {
    return reinterpret_cast<MPI_Win>(&ompi_mpi_win_null);
}

template <class Handle>
std::uintptr_t key_of(Handle* handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}

inline std::uint64_t bytes_of(const MPI_Status& status) {
    return status.bytes;
}
inline void set_bytes(MPI_Status& status, std::uint64_t size_B, bool cancelled) {
    status.bytes = size_B;
    status.cancelled = cancelled ? 1 : 0;
}
inline bool is_cancelled(const MPI_Status& status) {
    return status.cancelled != 0;
}

}  // namespace fairlead
