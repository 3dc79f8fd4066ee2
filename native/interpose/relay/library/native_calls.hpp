// SPDX-License-Identifier: Apache-2.0
// The library's own calls, with counts of any size: by functions of MPI 4 where it has them.
#pragma once

#include "mpi/pmpi.hpp"
#include "relay/library/counted.hpp"
#include "relay/library/layout.hpp"
#include "relay/library/operation.hpp"

namespace fairlead::relay {

/// For a call that only says whether arguments are wrong.
inline int count_to_look_at(MPI_Count count) {
    return fits(count) ? static_cast<int>(count) : 1;
}

inline int native_isend(Mode mode, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                        MPI_Comm comm, MPI_Request* request) {
    // Not ready ones: under a takeover the library does not hold the receive that they rely on.
    const bool synchronous = mode == Mode::synchronous;
    if (fits(count) || PMPI_Isend_c == nullptr) {
        const Counted sent(count, datatype);
        return (synchronous ? PMPI_Issend : PMPI_Isend)(buffer, sent.count(), sent.datatype(), dest, tag, comm,
                                                        request);
    }
    return (synchronous ? PMPI_Issend_c : PMPI_Isend_c)(buffer, count, datatype, dest, tag, comm, request);
}

inline int native_irecv(void* buffer, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                        MPI_Request* request) {
    if (fits(count) || PMPI_Irecv_c == nullptr) {
        const Counted received(count, datatype);
        return PMPI_Irecv(buffer, received.count(), received.datatype(), source, tag, comm, request);
    }
    return PMPI_Irecv_c(buffer, count, datatype, source, tag, comm, request);
}

inline int native_imrecv(const Layout& layout, MPI_Message* message, MPI_Request* request) {
    if (fits(layout.count()) || PMPI_Imrecv_c == nullptr) {
        const Counted received(layout.count(), layout.datatype());
        return PMPI_Imrecv(layout.buffer(), received.count(), received.datatype(), message, request);
    }
    return PMPI_Imrecv_c(layout.buffer(), layout.count(), layout.datatype(), message, request);
}

}  // namespace fairlead::relay
