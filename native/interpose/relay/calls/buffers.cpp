// SPDX-License-Identifier: Apache-2.0
// Buffers for buffered sends, attached to the process, to a communicator or to a session. The library has them, too,
// and gives them back, but uses them only for what the plane does not carry.
#include "relay/calls/calls.hpp"

namespace fairlead::relay {

namespace {

using Of = SendBuffers::Of;

/// 0 for the process.
template <Of of, class... Handle>
SendBuffers::Owner owner_of(Handle... handle) {
    return {of, (std::uintptr_t{0} + ... + key_of(handle))};
}

template <Function function, Of of, class Count, class... Handle>
int attach(Handle... handle, void* buffer, Count size) {
    const int error = library<int(Handle..., void*, Count)>(function)(handle..., buffer, size);
    if (error == MPI_SUCCESS && plane != nullptr) {
        const bool automatic = buffer == kBufferAutomatic;
        plane->attached(owner_of<of>(handle...),
                        automatic ? SendBuffer::kUnlimited_B : static_cast<std::uint64_t>(size));
    }
    return error;
}

template <Function function, Of of, class Count, class... Handle>
int detach(Handle... handle, void* buffer, Count* size) {
    if (!passes_by()) {
        plane->enter();
        plane->wait_for_empty(owner_of<of>(handle...));
    }
    const int error = library<int(Handle..., void*, Count*)>(function)(handle..., buffer, size);
    if (error == MPI_SUCCESS && plane != nullptr) {
        plane->detached(owner_of<of>(handle...));
    }
    return error;
}

template <Function function, Of of, class... Handle>
int flush(Handle... handle) {
    if (!passes_by()) {
        plane->enter();
        plane->wait_for_empty(owner_of<of>(handle...));
    }
    return library<int(Handle...)>(function)(handle...);
}

/// The library's buffer is empty, so its own request would say nothing.
template <Function function, Of of, class... Handle>
int iflush(Handle... handle, MPI_Request* request) {
    if (passes_by() || request == nullptr) {
        return library<int(Handle..., MPI_Request*)>(function)(handle..., request);
    }
    plane->enter_to_begin();
    return plane->locked([&] { return plane->begin_to_empty(owner_of<of>(handle...), request); });
}

template <Of of, Function attach_it, Function attach_it_c, Function detach_it, Function detach_it_c, Function flush_it,
          Function iflush_it, class... Handle>
void put(Table& table) {
    table.put(attach_it, attach<attach_it, of, int, Handle...>);
    table.put(attach_it_c, attach<attach_it_c, of, MPI_Count, Handle...>);
    table.put(detach_it, detach<detach_it, of, int, Handle...>);
    table.put(detach_it_c, detach<detach_it_c, of, MPI_Count, Handle...>);
    table.put(flush_it, flush<flush_it, of, Handle...>);
    table.put(iflush_it, iflush<iflush_it, of, Handle...>);
}

}  // namespace

void put_buffers(Table& table) {
    using enum Function;
    put<Of::process, MPI_Buffer_attach, MPI_Buffer_attach_c, MPI_Buffer_detach, MPI_Buffer_detach_c, MPI_Buffer_flush,
        MPI_Buffer_iflush>(table);
    put<Of::communicator, MPI_Comm_attach_buffer, MPI_Comm_attach_buffer_c, MPI_Comm_detach_buffer,
        MPI_Comm_detach_buffer_c, MPI_Comm_flush_buffer, MPI_Comm_iflush_buffer, MPI_Comm>(table);
    put<Of::session, MPI_Session_attach_buffer, MPI_Session_attach_buffer_c, MPI_Session_detach_buffer,
        MPI_Session_detach_buffer_c, MPI_Session_flush_buffer, MPI_Session_iflush_buffer, MPI_Session>(table);
}

}  // namespace fairlead::relay
