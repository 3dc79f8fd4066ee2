// SPDX-License-Identifier: Apache-2.0
// Buffered sends, and the buffers that the program attaches for them (send_buffers.hpp). A message goes from a copy of
// the plane's own, so that taking a buffer back never waits in the library.
#include <algorithm>

#include "mpi/pmpi.hpp"
#include "relay/library/native_calls.hpp"
#include "relay/plane/now.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

namespace {

constexpr Time kAcknowledged_s = 5.0;  ///< until it is known what receivers have got: they may be outside MPI, or late
/// Until the library has completed a send whose message was received. What tells the program of it may overtake that on
/// another path.
constexpr Time kCompleted_s = 1.0;

}  // namespace

void Plane::attached(SendBuffers::Owner owner, std::uint64_t size_B) {
    locked([&] {
        send_buffers_.attach(owner, size_B);
        return 0;
    });
}

void Plane::detached(SendBuffers::Owner owner) {
    locked([&] {
        send_buffers_.detach(owner);
        return 0;
    });
}

void Plane::wait_for_empty(SendBuffers::Owner owner) {
    const auto buffer = locked([&] { return send_buffers_.find(owner); });
    wait_until([&] { return buffer == nullptr || buffer->empty(); });
}

int Plane::begin_to_empty(SendBuffers::Owner owner, MPI_Request* request) {
    const auto operation = std::make_shared<Operation>();
    operation->sends = true;
    operation->active = true;
    operation->channel = channel_of(comm_world());  // which nobody frees
    emptying_.push_back({send_buffers_.find(owner), operation});
    finish_emptying();
    give_handle(operation, request);
    return MPI_SUCCESS;
}

void Plane::finish_emptying() {
    std::erase_if(emptying_, [](const Emptying& each) {
        each.operation->complete = each.buffer == nullptr || each.buffer->empty();
        return each.operation->complete;
    });
}

std::optional<Room> Plane::room_for(MPI_Comm comm, std::uint64_t size_B) {
    const bool leaves_at_once = static_cast<std::int64_t>(size_B) <= kLongestUnbuffered_B;
    const std::uint64_t needed_B = leaves_at_once ? 0 : size_B + kBufferedNote_B;
    if (!copies_ && !send_buffers_.fits(key_of(comm), needed_B)) {  // enter_to_begin()
        reap_copies(background_.size());
    }
    auto room = send_buffers_.room(key_of(comm), needed_B);
    return room || !leaves_at_once ? std::move(room) : std::optional<Room>(std::in_place);
}

void Plane::wait_for_room(MPI_Comm comm, std::uint64_t size_B) {
    if (mutex_.held_here() || static_cast<std::int64_t>(size_B) <= kLongestUnbuffered_B) {
        return;
    }
    const Time begin_s = now_s();
    wait_until([&] {
        const Time waited_s = now_s() - begin_s;
        const auto relayed = [](const auto& entry) { return entry.second.room.is_in_buffer(); };
        const auto in_library = [](const Background& sending) { return sending.room.is_in_buffer(); };
        return send_buffers_.fits(key_of(comm), size_B + kBufferedNote_B) ||
               ((waited_s > kAcknowledged_s || std::ranges::none_of(payloads_, relayed)) &&
                (waited_s > kCompleted_s || std::ranges::none_of(background_, in_library)));
    });
}

void Plane::wait_for_room(MPI_Request request) {
    const auto sends = locked([&] {
        auto operation = operation_of(request);
        const bool buffered = operation != nullptr && operation->sends && operation->mode == Mode::buffered;
        return buffered ? operation : nullptr;
    });
    if (sends != nullptr && !sends->channel->freed) {
        wait_for_room(sends->channel->comm, sends->layout.size_B());
    }
}

int Plane::send_copy(const Layout& layout, int peer, int tag, MPI_Comm comm, Room room) {
    Background& sending = background_.emplace_back(request_null(), layout.packed(own_), std::move(room));
    sending.room.await();
    const int error = native_isend(Mode::standard, sending.bytes.data(), static_cast<MPI_Count>(sending.bytes.size()),
                                   datatype_packed(), peer, tag, comm, &sending.request);
    if (error != MPI_SUCCESS) {
        background_.pop_back();
    }
    return error;
}

std::shared_ptr<Channel> Plane::channel_outside(MPI_Comm comm) {
    std::shared_ptr<Channel>& channel = outside_channels_[key_of(comm)];
    if (channel == nullptr) {
        channel = std::make_shared<Channel>();
        channel->comm = comm;
        channel->outside = true;
    }
    return channel;
}

int Plane::launch_outside(const OperationPtr& operation) {
    const MPI_Comm comm = operation->channel->comm;
    auto room = room_for(comm, operation->layout.size_B());
    if (!room) {
        return refuse(comm, MPI_ERR_BUFFER);
    }
    const int error = send_copy(operation->layout, operation->peer, operation->tag, comm, std::move(*room));
    has_own_requests_ = true;
    operation->active = operation->complete = error == MPI_SUCCESS;
    return error;
}

/// On a communicator that the plane does not carry. The library says first whether anything is wrong with it.
int Plane::send_copy_outside(const Part& sent, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    MPI_Request tried = request_null();
    const int error = PMPI_Send_init(sent.buffer, count_to_look_at(sent.count), sent.datatype, dest, tag, comm, &tried);
    if (error != MPI_SUCCESS || tried == request_null()) {
        return error;
    }
    PMPI_Request_free(&tried);
    const auto operation = std::make_shared<Operation>();
    operation->sends = true;
    operation->channel = channel_outside(comm);
    operation->layout = Layout(sent.buffer, sent.count, sent.datatype);
    operation->peer = dest;
    operation->tag = tag;
    const int sending = launch_outside(operation);
    if (sending == MPI_SUCCESS) {
        give_handle(operation, request);
    }
    return sending;
}

int Plane::refuse(MPI_Comm comm, int error) {
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

}  // namespace fairlead::relay
