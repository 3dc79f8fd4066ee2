// SPDX-License-Identifier: Apache-2.0
// What the binary interfaces of all supported MPI libraries have in common.
//
// fairlead brings its own declarations in place of an installed mpi.h: an old header lacks functions of a newer library
// with the same binary interface, and none has to be installed to build. tests/mpi holds them against each mpi.h.
#pragma once

#include <cstddef>

using MPI_Aint = std::ptrdiff_t;
using MPI_Count = long long;
using MPI_Offset = long long;
using MPI_Fint = int;

constexpr int MPI_SUCCESS = 0;
constexpr int MPI_UNDEFINED = -32766;
constexpr int MPI_THREAD_SINGLE = 0;
constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 8192;  // MPICH's, the larger

// Only passed on, never called nor looked into.
struct MPI_F08_status;
using MPI_T_cb_safety = int;
using MPI_T_source_order = int;
using MPI_T_enum = struct T_enum*;
using MPI_T_cvar_handle = struct T_cvar_handle*;
using MPI_T_pvar_handle = struct T_pvar_handle*;
using MPI_T_pvar_session = struct T_pvar_session*;
using MPI_T_event_instance = struct T_event_instance*;
using MPI_T_event_registration = struct T_event_registration*;

using MPI_Comm_copy_attr_function = void();
using MPI_Comm_delete_attr_function = void();
using MPI_Comm_errhandler_function = void();
using MPI_Copy_function = void();
using MPI_Datarep_conversion_function = void();
using MPI_Datarep_conversion_function_c = void();
using MPI_Datarep_extent_function = void();
using MPI_Delete_function = void();
using MPI_File_errhandler_function = void();
using MPI_Grequest_cancel_function = void();
using MPI_Grequest_free_function = void();
using MPI_Grequest_query_function = void();
using MPI_Session_errhandler_function = void();
using MPI_T_event_cb_function = void();
using MPI_T_event_dropped_cb_function = void();
using MPI_T_event_free_cb_function = void();
using MPI_Type_copy_attr_function = void();
using MPI_Type_delete_attr_function = void();
using MPI_User_function = void();
using MPI_User_function_c = void();
using MPI_Win_copy_attr_function = void();
using MPI_Win_delete_attr_function = void();
using MPI_Win_errhandler_function = void();
