// SPDX-License-Identifier: Apache-2.0
// The standard ABI of MPI 5.0 (libmpi_abi.so.1; MPI 5.0, chapter "Application Binary Interface"): handles are pointers
// to nothing, predefined ones small numbers; a status keeps count and cancellation where only its library finds them.
// Any library may be behind it. It is taken to behave as MPICH and its kin do; `behaves_as_described` tells them from
// others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "abi/common.hpp"
#include "abi/mpich/behaviour.hpp"

using MPI_Comm = struct MPI_ABI_Comm*;
using MPI_Datatype = struct MPI_ABI_Datatype*;
using MPI_Errhandler = struct MPI_ABI_Errhandler*;
using MPI_File = struct MPI_ABI_File*;
using MPI_Group = struct MPI_ABI_Group*;
using MPI_Info = struct MPI_ABI_Info*;
using MPI_Message = struct MPI_ABI_Message*;
using MPI_Op = struct MPI_ABI_Op*;
using MPI_Request = struct MPI_ABI_Request*;
using MPI_Session = struct MPI_ABI_Session*;
using MPI_Win = struct MPI_ABI_Win*;

struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int of_library[5];  // its own affair
};

constexpr int MPI_ANY_SOURCE = -1;
constexpr int MPI_ANY_TAG = -2;
constexpr int MPI_PROC_NULL = -3;
constexpr int MPI_ROOT = -4;
constexpr int MPI_THREAD_MULTIPLE = 4096;
constexpr int MPI_CART = 211;
constexpr int MPI_GRAPH = 212;
constexpr int MPI_DIST_GRAPH = 213;
constexpr int MPI_COMBINER_NAMED = 101;
constexpr int MPI_COMM_TYPE_SHARED = 221;
constexpr int MPI_TAG_UB = 501;
constexpr int MPI_LOCK_EXCLUSIVE = 301;
constexpr int MPI_LOCK_SHARED = 302;
constexpr int MPI_MODE_NOCHECK = 1024;
constexpr int MPI_ERR_BUFFER = 1;
constexpr int MPI_ERR_TRUNCATE = 15;
constexpr int MPI_ERR_PENDING = 18;
constexpr int MPI_ERR_IN_STATUS = 19;

/// MPI_BUFFER_AUTOMATIC (MPI 4.1).
inline const void* const kBufferAutomatic = reinterpret_cast<const void*>(2);
inline const void* const MPI_IN_PLACE = reinterpret_cast<const void*>(1);
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;

extern "C" {
int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler);
int PMPI_Get_library_version(char* version, int* resultlen);
int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count);
int PMPI_Status_set_cancelled(MPI_Status* status, int flag);
int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count);
int PMPI_Test_cancelled(const MPI_Status* status, int* flag);
}

namespace fairlead {

/// Whether the library behind the ABI does. Also before MPI_Init.
inline bool behaves_as_described() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    constexpr std::array kNames = {"MPICH", "MVAPICH", "Intel(R) MPI"};
    return std::ranges::any_of(kNames, [&](const char* name) { return std::strstr(version.data(), name) != nullptr; });
}

template <class Handle>
Handle predefined(std::uintptr_t number) {
    return reinterpret_cast<Handle>(number);
}

inline MPI_Comm comm_world() {
    return predefined<MPI_Comm>(0x101);
}
inline MPI_Comm comm_null() {
    return predefined<MPI_Comm>(0x100);
}
inline MPI_Comm comm_self() {
    return predefined<MPI_Comm>(0x102);
}
inline MPI_Datatype datatype_byte() {
    return predefined<MPI_Datatype>(0x247);
}
inline MPI_Datatype datatype_int64() {
    return predefined<MPI_Datatype>(0x258);
}
inline MPI_Datatype datatype_packed() {
    return predefined<MPI_Datatype>(0x207);
}
inline MPI_Datatype datatype_null() {
    return predefined<MPI_Datatype>(0x200);
}
// Libraries do not agree on its number: Intel MPI 2021.19 has 0x142, MPICH 5.0 has 0x143, and each has there what the
// other calls MPI_ERRORS_ABORT. But with all it is the handler that files have by default (MPI 5.0, "I/O Error
// Handling"), which the plane asks for as soon as MPI_Init returns. One made for this would not do: with it, MPICH 5
// returns no error.
inline MPI_Errhandler errors_return() {
    static const MPI_Errhandler returns = [] {
        MPI_Errhandler of_files{};
        PMPI_File_get_errhandler(predefined<MPI_File>(0x118), &of_files);  // MPI_FILE_NULL
        return of_files;
    }();
    return returns;
}
inline MPI_Group group_null() {
    return predefined<MPI_Group>(0x108);
}
inline MPI_Info info_null() {
    return predefined<MPI_Info>(0x130);
}
inline MPI_Op op_min() {
    return predefined<MPI_Op>(0x22);
}
inline MPI_Op op_no_op() {
    return predefined<MPI_Op>(0x3d);
}
inline MPI_Op op_null() {
    return predefined<MPI_Op>(0x20);
}
inline MPI_Op op_sum() {
    return predefined<MPI_Op>(0x21);
}
inline MPI_Request request_null() {
    return predefined<MPI_Request>(0x180);
}
inline MPI_Message message_no_proc() {
    return predefined<MPI_Message>(0x129);
}

inline MPI_Win win_null() {
    return predefined<MPI_Win>(0x110);
}

template <class Handle>
std::uintptr_t key_of(Handle* handle) {
    return reinterpret_cast<std::uintptr_t>(handle);
}

inline std::uint64_t bytes_of(const MPI_Status& status) {
    MPI_Count size_B = 0;
    PMPI_Get_count_c(&status, datatype_byte(), &size_B);
    return static_cast<std::uint64_t>(std::max<MPI_Count>(size_B, 0));
}
inline void set_bytes(MPI_Status& status, std::uint64_t size_B, bool cancelled) {
    PMPI_Status_set_elements_c(&status, datatype_byte(), static_cast<MPI_Count>(size_B));
    PMPI_Status_set_cancelled(&status, cancelled ? 1 : 0);
}
inline bool is_cancelled(const MPI_Status& status) {
    int cancelled = 0;
    PMPI_Test_cancelled(&status, &cancelled);
    return cancelled != 0;
}

}  // namespace fairlead
