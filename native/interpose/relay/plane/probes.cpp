// SPDX-License-Identifier: Apache-2.0
// Probes, and messages that they take.
#include "relay/library/native_calls.hpp"
#include "relay/library/terms.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

std::optional<Arrival> Plane::look(Channel& channel, int source, int tag, bool take) {
    const Pattern pattern = pattern_of(source, tag);
    if (take) {
        return endpoint_.extract(channel.id, pattern);
    }
    const Arrival* const arrival = endpoint_.probe(channel.id, pattern);
    return arrival != nullptr ? std::optional(*arrival) : std::nullopt;
}

int Plane::iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    const auto channel = channel_of(comm);
    if (channel == nullptr || !is_pattern(*channel, source, tag) || !endpoint_.taken_over(channel->id)) {
        library_asked_ = true;
        return PMPI_Iprobe(source, tag, comm, flag, status);
    }
    pull_for_call(*channel);
    const auto arrival = look(*channel, source, tag, false);
    *flag = arrival.has_value() ? 1 : 0;
    if (arrival) {
        const auto* native = std::get_if<NativeHandle>(&arrival->body);
        fill(status, arrival->source, arrival->tag,
             native != nullptr ? pulled_.at(*native).size_B : std::get<Relayed>(arrival->body).size_B, false);
    }
    return MPI_SUCCESS;
}

int Plane::improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    const auto channel = channel_of(comm);
    MPI_Status own{};
    status = status == MPI_STATUS_IGNORE ? &own : status;
    if (channel == nullptr || !is_pattern(*channel, source, tag) || !endpoint_.taken_over(channel->id)) {
        library_asked_ = true;
        const int error = PMPI_Improbe(source, tag, comm, flag, message, status);
        if (error == MPI_SUCCESS && *flag != 0 && channel != nullptr && source != MPI_PROC_NULL) {
            endpoint_.native_extracted(channel->id, status->MPI_SOURCE);
        }
        return error;
    }
    pull_for_call(*channel);
    const auto arrival = look(*channel, source, tag, true);
    *flag = arrival.has_value() ? 1 : 0;
    if (!arrival) {
        return MPI_SUCCESS;
    }
    if (const auto* native = std::get_if<NativeHandle>(&arrival->body)) {
        const auto pulled = pulled_.extract(*native);
        *message = pulled.mapped().message;
        fill(status, arrival->source, arrival->tag, pulled.mapped().size_B, false);
        return MPI_SUCCESS;
    }
    // The program needs a genuine handle: that of an empty message to itself, which nobody else sees.
    MPI_Request sending{};
    PMPI_Isend(nullptr, 0, datatype_byte(), 0, 1, own_, &sending);
    for (int found = 0; found == 0;) {
        PMPI_Improbe(0, 1, own_, &found, message, MPI_STATUS_IGNORE);
    }
    extracted_[key_of(*message)] = {channel, *arrival, sending};
    fill(status, arrival->source, arrival->tag, std::get<Relayed>(arrival->body).size_B, false);
    return MPI_SUCCESS;
}

bool Plane::has(MPI_Message message) {
    return locked([&] { return extracted_.contains(key_of(message)); });
}

int Plane::imrecv(void* buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    const auto found = extracted_.find(key_of(*message));
    if (found == extracted_.end()) {
        return fits(count) ? PMPI_Imrecv(buffer, static_cast<int>(count), datatype, message, request)
                           : PMPI_Imrecv_c(buffer, count, datatype, message, request);
    }
    // What stands for it is received there, so that the library says what is wrong with the arguments.
    const int error = PMPI_Mrecv(buffer, count_to_look_at(count), datatype, message, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS && kMessageHasHandler) {
        return refuse(found->second.channel->comm, error);
    }
    if (key_of(*message) == found->first) {  // not received; whoever was told has been
        return error;
    }
    auto extracted = extracted_.extract(found);
    PMPI_Wait(&extracted.mapped().sending, MPI_STATUS_IGNORE);
    const auto operation = std::make_shared<Operation>();
    operation->channel = extracted.mapped().channel;
    operation->layout = Layout(buffer, count, datatype);
    operation->active = true;
    operation->receive = endpoint_.receive_extracted(operation->channel->id, extracted.mapped().arrival);
    receives_[operation->receive] = operation;
    handle_events();
    transmit();
    give_handle(operation, request);
    return MPI_SUCCESS;
}

}  // namespace fairlead::relay
