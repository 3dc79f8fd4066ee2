// SPDX-License-Identifier: Apache-2.0
// MPI_Psend_init, MPI_Precv_init, and what says that partitions are ready or asks whether they have arrived.
#include "mpi/handles.hpp"
#include "mpi/pmpi.hpp"
#include "relay/calls/calls.hpp"

namespace fairlead::relay {

namespace {

/// What is wrong with the arguments is for the library to say.
bool may_carry(int partitions, MPI_Count count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
    return !passes_by() && partitions > 0 && count >= 0 && datatype != datatype_null() && peer >= 0 && tag >= 0 &&
           plane->carries(comm) && peer < communicator(comm).peers && tag <= plane->tag_bound();
}

template <Function function, bool sends, class Buffer>
int make(Buffer* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm,
         MPI_Info info, MPI_Request* request) {
    if (!may_carry(partitions, count, datatype, peer, tag, comm)) {
        const int error = library<decltype(make<function, sends, Buffer>)>(function)(buf, partitions, count, datatype,
                                                                                     peer, tag, comm, info, request);
        if (error == MPI_SUCCESS && !passes_by()) {
            plane->locked([&] {
                plane->made_apart(*request);
                return 0;
            });
        }
        return error;
    }
    plane->enter();
    return plane->locked([&] {
        return plane->make_partitioned(sends, const_cast<void*>(static_cast<const void*>(buf)), partitions, count,
                                       datatype, peer, tag, comm, request);
    });
}

template <Function function, class... Before>
int ready(int number, MPI_Request request, Before... before) {
    if (plane == nullptr || !plane->is_partitioned(request)) {
        return library<int(Before..., MPI_Request)>(function)(before..., request);
    }
    plane->enter();
    plane->locked([&] {
        plane->partitions_ready(request, number);
        return 0;
    });
    return MPI_SUCCESS;
}

int one_ready(int partition, MPI_Request request) {
    return ready<Function::MPI_Pready>(1, request, partition);
}
int range_ready(int low, int high, MPI_Request request) {
    return ready<Function::MPI_Pready_range>(high - low + 1, request, low, high);
}
int list_ready(int length, const int partitions[], MPI_Request request) {
    return ready<Function::MPI_Pready_list>(length, request, length, partitions);
}

int arrived(MPI_Request request, int partition, int* flag) {
    if (plane != nullptr) {
        plane->enter();  // what others wait for goes on, also where the request is the library's
    }
    if (plane == nullptr || !plane->is_partitioned(request)) {
        return library<decltype(arrived)>(Function::MPI_Parrived)(request, partition, flag);
    }
    *flag = plane->locked([&] { return plane->has_arrived(request); }) ? 1 : 0;
    return MPI_SUCCESS;
}

}  // namespace

void put_partitioned(Table& table) {
    using enum Function;
    table.put(MPI_Psend_init, make<MPI_Psend_init, true, const void>);
    table.put(MPI_Precv_init, make<MPI_Precv_init, false, void>);
    table.put(MPI_Pready, one_ready);
    table.put(MPI_Pready_range, range_ready);
    table.put(MPI_Pready_list, list_ready);
    table.put(MPI_Parrived, arrived);
}

}  // namespace fairlead::relay
