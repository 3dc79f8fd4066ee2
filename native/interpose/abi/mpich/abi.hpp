// SPDX-License-Identifier: Apache-2.0
// The binary interface of MPICH 3.1 to 5 and its kin (libmpi.so.12, libmpich.so.12): handles are integers.
#pragma once

#include <cstdint>

#include "abi/common.hpp"
#include "abi/mpich/behaviour.hpp"

using MPI_Comm = int;
using MPI_Datatype = int;
using MPI_Errhandler = int;
using MPI_File = struct ADIOI_FileD*;
using MPI_Group = int;
using MPI_Info = int;
using MPI_Message = int;
using MPI_Op = int;
using MPI_Request = int;
using MPI_Session = int;
using MPI_Win = int;

struct MPI_Status {
    int count_lo;
    int count_hi_and_cancelled;  // the lowest bit: cancelled
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
};

constexpr int MPI_PROC_NULL = -1;
constexpr int MPI_ANY_SOURCE = -2;
constexpr int MPI_ROOT = -3;
constexpr int MPI_ANY_TAG = -1;
constexpr int MPI_THREAD_MULTIPLE = 3;
constexpr int MPI_GRAPH = 1;
constexpr int MPI_CART = 2;
constexpr int MPI_DIST_GRAPH = 3;
constexpr int MPI_COMBINER_NAMED = 1;
constexpr int MPI_COMM_TYPE_SHARED = 1;
constexpr int MPI_TAG_UB = 0x64400001;
constexpr int MPI_LOCK_EXCLUSIVE = 234;
constexpr int MPI_LOCK_SHARED = 235;
constexpr int MPI_MODE_NOCHECK = 1024;
constexpr int MPI_ERR_BUFFER = 1;
constexpr int MPI_ERR_TRUNCATE = 14;
constexpr int MPI_ERR_IN_STATUS = 17;
constexpr int MPI_ERR_PENDING = 18;

/// MPI_BUFFER_AUTOMATIC (MPI 4.1).
inline const void* const kBufferAutomatic = reinterpret_cast<const void*>(-2);
inline const void* const MPI_IN_PLACE = reinterpret_cast<const void*>(-1);
inline MPI_Status* const MPI_STATUS_IGNORE = reinterpret_cast<MPI_Status*>(1);
inline MPI_Status* const MPI_STATUSES_IGNORE = reinterpret_cast<MPI_Status*>(1);

namespace fairlead {

/// Whether the library that is loaded does: all with this binary interface.
constexpr bool behaves_as_described() {
    return true;
}

inline MPI_Comm comm_world() {
    return 0x44000000;
}
inline MPI_Comm comm_null() {
    return 0x04000000;
}
inline MPI_Comm comm_self() {
    return 0x44000001;
}
inline MPI_Datatype datatype_byte() {
    return 0x4c00010d;
}
inline MPI_Datatype datatype_int64() {
    return 0x4c00083a;
}
inline MPI_Datatype datatype_packed() {
    return 0x4c00010f;
}
inline MPI_Datatype datatype_null() {
    return 0x0c000000;
}
inline MPI_Errhandler errors_return() {
    return 0x54000001;
}
inline MPI_Group group_null() {
    return 0x08000000;
}
inline MPI_Info info_null() {
    return 0x1c000000;
}
inline MPI_Op op_min() {
    return 0x58000002;
}
inline MPI_Op op_no_op() {
    return 0x5800000e;
}
inline MPI_Op op_null() {
    return 0x18000000;
}
inline MPI_Op op_sum() {
    return 0x58000003;
}
inline MPI_Request request_null() {
    return 0x2c000000;
}
inline MPI_Message message_no_proc() {
    return 0x6c000000;
}

inline MPI_Win win_null() {
    return 0x20000000;
}

template <class Handle>
std::uintptr_t key_of(Handle* handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}
inline std::uintptr_t key_of(int handle) {
    return static_cast<unsigned>(handle);
}

inline std::uint64_t bytes_of(const MPI_Status& status) {
    const auto high = static_cast<std::uint64_t>(static_cast<unsigned>(status.count_hi_and_cancelled) >> 1);
    return high << 32 | static_cast<unsigned>(status.count_lo);
}
inline void set_bytes(MPI_Status& status, std::uint64_t size_B, bool cancelled) {
    status.count_lo = static_cast<int>(size_B & 0xffffffffU);
    status.count_hi_and_cancelled = static_cast<int>((size_B >> 32) << 1 | (cancelled ? 1U : 0U));
}
inline bool is_cancelled(const MPI_Status& status) {
    return (status.count_hi_and_cancelled & 1) != 0;
}

}  // namespace fairlead
