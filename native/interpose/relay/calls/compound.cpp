// SPDX-License-Identifier: Apache-2.0
// MPI_Isendrecv and MPI_Isendrecv_replace.
#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"

namespace fairlead::relay {

namespace {

template <Function function, class Count>
int isendrecv(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
              Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    if (passes_by(comm) || !plane->carries(comm) || is_missing(request)) {
        return library<decltype(isendrecv<function, Count>)>(function)(
            sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request);
    }
    if (const auto refused = refused_recv(recvbuf, recvcount, recvtype, source, recvtag, comm)) {
        return *refused;
    }
    return plane->locked([&] {
        return plane->isendrecv({sendbuf, sendcount, sendtype}, dest, sendtag, {recvbuf, recvcount, recvtype}, source,
                                recvtag, comm, request);
    });
}

template <Function function, class Count>
int isendrecv_replace(void* buf, Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                      MPI_Comm comm, MPI_Request* request) {
    if (passes_by(comm) || !plane->carries(comm) || is_missing(request)) {
        return library<decltype(isendrecv_replace<function, Count>)>(function)(buf, count, datatype, dest, sendtag,
                                                                               source, recvtag, comm, request);
    }
    if (const auto refused = refused_recv(buf, count, datatype, source, recvtag, comm)) {
        return *refused;
    }
    return plane->locked([&] {
        const bool sends = dest != MPI_PROC_NULL;
        return plane->isendrecv_copy(sends ? plane->packed({buf, count, datatype}) : std::vector<std::uint8_t>(), dest,
                                     sendtag, {buf, count, datatype}, source, recvtag, comm, request);
    });
}

}  // namespace

void put_compound(Table& table) {
    using enum Function;
    table.put(MPI_Isendrecv, isendrecv<MPI_Isendrecv, int>);
    table.put(MPI_Isendrecv_c, isendrecv<MPI_Isendrecv_c, MPI_Count>);
    table.put(MPI_Isendrecv_replace, isendrecv_replace<MPI_Isendrecv_replace, int>);
    table.put(MPI_Isendrecv_replace_c, isendrecv_replace<MPI_Isendrecv_replace_c, MPI_Count>);
}

}  // namespace fairlead::relay
