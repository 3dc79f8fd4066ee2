// SPDX-License-Identifier: Apache-2.0
// Partitioned messages: one message, which leaves when all its partitions are ready, always as frames, so that the
// library has none of it. It meets only its like: the n-th that a process makes for a peer with a tag on a communicator
// is that peer's n-th for this process. So each n has a communicator of the endpoint's own.
#include <cstdint>
#include <utility>

#include "relay/library/native_calls.hpp"
#include "relay/library/terms.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

namespace {

constexpr std::uint64_t kNumbers = (std::uint64_t{1} << (64 - kRelayedShift)) - 1;
constexpr int kSelfTag = 2;  // on the duplicate of MPI_COMM_SELF

}  // namespace

/// All that have no request any more. Another peer's or tag's n-th may still be to come: what it is sent waits for it.
void Plane::drop_parts_channels() {
    std::erase_if(parts_channels_, [this](const auto& entry) {
        const bool unused = entry.second.use_count() == 1 && endpoint_.matching(entry.first).idle();
        if (unused) {
            endpoint_.forget_communicator(entry.first);
        }
        return unused;
    });
}

std::shared_ptr<Channel> Plane::channel_of_parts(const Channel& channel, std::uint64_t number) {
    const CommunicatorId id = channel.id | (number % kNumbers + 1) << kRelayedShift;
    std::shared_ptr<Channel>& own = parts_channels_[id];
    if (own == nullptr) {
        own = std::make_shared<Channel>(channel);
        own->id = id;
        own->freed = false;
        endpoint_.add_relayed_communicator(id, static_cast<Rank>(channel.processes.size()));
    }
    return own;
}

int Plane::make_partitioned(bool sends, void* buffer, int partitions, MPI_Count count, MPI_Datatype datatype, int peer,
                            int tag, MPI_Comm comm, MPI_Request* request) {
    // A handle of the library's, which it never starts.
    const int error = PMPI_Send_init(nullptr, 0, datatype_byte(), 0, kSelfTag, own_, request);
    if (error != MPI_SUCCESS) {
        return error;
    }
    drop_parts_channels();
    const auto channel = channel_of(comm);
    const std::uint64_t number = ++parts_made_[{channel->id, sends, peer, tag}];
    const auto operation = std::make_shared<Operation>();
    operation->sends = sends;
    operation->persistent = true;
    operation->channel = channel_of_parts(*channel, number);
    operation->layout = Layout(buffer, partitions * count, datatype);
    operation->partitions = partitions;
    operation->peer = peer;
    operation->tag = tag;
    operation->handle = *request;
    operations_[key_of(*request)] = operation;
    return MPI_SUCCESS;
}

bool Plane::is_partitioned(MPI_Request request) {
    return locked([&] {
        const OperationPtr operation = operation_of(request);
        return operation != nullptr && operation->partitions > 0;
    });
}

void Plane::partitions_ready(MPI_Request request, int number) {
    const OperationPtr operation = operation_of(request);
    operation->ready += number;
    if (operation->active && operation->sends && operation->ready == operation->partitions) {
        send_parts(operation);
    }
}

bool Plane::has_arrived(MPI_Request request) {
    const OperationPtr operation = operation_of(request);
    return !operation->active || operation->complete;
}

void Plane::send_parts(const OperationPtr& operation) {
    const Process to = operation->channel->processes[static_cast<std::size_t>(operation->peer)];
    if (to == self_) {
        return send_parts_to_self(operation);
    }
    if (gone_[to]) {
        operation->error = mpi_carrier_->error_of(to);
        operation->complete = true;
        return;
    }
    relay(operation, to, Room());
    transmit();
}

/// There are no frames to oneself. A message of the library's is, as if it had been pulled.
void Plane::send_parts_to_self(const OperationPtr& operation) {
    Background& sending = background_.emplace_back(request_null(), operation->layout.packed(own_));
    native_isend(Mode::standard, sending.bytes.data(), static_cast<MPI_Count>(sending.bytes.size()), datatype_packed(),
                 0, kSelfTag, own_, &sending.request);
    Pulled pulled;
    for (int found = 0; found == 0;) {
        PMPI_Improbe(0, kSelfTag, own_, &found, &pulled.message, MPI_STATUS_IGNORE);
    }
    pulled.size_B = sending.bytes.size();
    const NativeHandle handle = next_pulled_++;
    pulled_.emplace(handle, pulled);
    endpoint_.pulled(operation->channel->id, handle, operation->channel->rank, operation->tag);
    operation->complete = true;
    handle_events();
}

}  // namespace fairlead::relay
