// SPDX-License-Identifier: Apache-2.0
// The library's own calls, with counts of any size.
#pragma once

#include <limits>

#include "mpi/pmpi.hpp"
#include "relay/library/fatal.hpp"
#include "relay/library/layout.hpp"
#include "relay/library/operation.hpp"

namespace fairlead::relay {

inline bool fits(MPI_Count count) {
    return count <= std::numeric_limits<int>::max();
}

/// For a call that only says whether arguments are wrong.
inline int count_to_look_at(MPI_Count count) {
    return fits(count) ? static_cast<int>(count) : 1;
}

inline int native_isend(Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                        MPI_Comm comm, MPI_Request* request) {
    // Not ready ones: under a takeover the library does not hold the receive that they rely on.
    const bool synchronous = mode == Mode::synchronous;
    if (fits(count)) {
        return (synchronous ? PMPI_Issend : PMPI_Isend)(buffer, static_cast<int>(count), datatype, dest, tag, comm,
                                                        request);
    }
    if (PMPI_Isend_c == nullptr) {  // of MPI 3.1: the plane counts bytes where the program counted elements
        fatal("a message of %lld bytes was packed, and this MPI library sends at most %d", count,
              std::numeric_limits<int>::max());
    }
    return (synchronous ? PMPI_Issend_c : PMPI_Isend_c)(buffer, count, datatype, dest, tag, comm, request);
}

inline int native_irecv(void* buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                        MPI_Request* request) {
    return fits(count) ? PMPI_Irecv(buffer, static_cast<int>(count), datatype, source, tag, comm, request)
                       : PMPI_Irecv_c(buffer, count, datatype, source, tag, comm, request);
}

inline int native_imrecv(const Layout& layout, MPI_Message* message, MPI_Request* request) {
    return fits(layout.count())
               ? PMPI_Imrecv(layout.buffer(), static_cast<int>(layout.count()), layout.datatype(), message, request)
               : PMPI_Imrecv_c(layout.buffer(), layout.count(), layout.datatype(), message, request);
}

}  // namespace fairlead::relay
