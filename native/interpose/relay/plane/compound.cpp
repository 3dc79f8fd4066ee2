// SPDX-License-Identifier: Apache-2.0
// A send and a receive with one request (MPI_Isendrecv): both as any other, and a handle that is complete when they
// are.
#include "mpi/pmpi.hpp"
#include "relay/library/unheard.hpp"
#include "relay/plane/plane.hpp"

namespace fairlead::relay {

int Plane::isendrecv(const Part& sent, int dest, int send_tag, const Part& received, int source, int receive_tag,
                     MPI_Comm comm, MPI_Request* request) {
    return begin_pair(std::make_unique<Pair>(), sent, dest, send_tag, received, source, receive_tag, comm, request);
}

int Plane::isendrecv_copy(std::vector<std::uint8_t> sent, int dest, int send_tag, const Part& received, int source,
                          int receive_tag, MPI_Comm comm, MPI_Request* request) {
    auto pair = std::make_unique<Pair>();
    pair->copy = std::move(sent);
    const Part copy{pair->copy.data(), static_cast<MPI_Count>(pair->copy.size()), datatype_packed()};
    return begin_pair(std::move(pair), copy, dest, send_tag, received, source, receive_tag, comm, request);
}

int Plane::begin_pair(std::unique_ptr<Pair> pair, const Part& sent, int dest, int send_tag, const Part& received,
                      int source, int receive_tag, MPI_Comm comm, MPI_Request* request) {
    int error = isend(Mode::standard, sent.buffer, sent.count, sent.datatype, dest, send_tag, comm, &pair->sending);
    if (error != MPI_SUCCESS || pair->sending == request_null()) {
        return error;
    }
    error = irecv(const_cast<void*>(received.buffer), received.count, received.datatype, source, receive_tag, comm,
                  &pair->receiving);
    if (error != MPI_SUCCESS) {
        request_free(&pair->sending);
        return error;
    }
    const auto operation = std::make_shared<Operation>();
    operation->channel = channel_of(comm);
    operation->pair = std::move(pair);
    operation->active = true;
    operation->got_source = source == MPI_PROC_NULL ? MPI_PROC_NULL : MPI_ANY_SOURCE;
    pairs_.push_back(operation);
    give_handle(operation, request);
    return MPI_SUCCESS;
}

/// One of the two, as far as it is over. Its program hears of an error when it completes the request for both.
bool Plane::finish_part(Operation& pair, MPI_Request& part, MPI_Status& status) {
    int over = 0;
    if (part == request_null()) {
        return false;
    }
    get_status(part, &over, MPI_STATUS_IGNORE);
    if (over == 0) {
        return false;
    }
    const Unheard unheard(*pair.channel);
    Outcome outcome;
    wait_one(&part, &status, outcome);
    part = request_null();
    pair.error = outcome.error != MPI_SUCCESS ? outcome.error : pair.error;
    return true;
}

void Plane::finish_pairs() {
    for (auto each = pairs_.begin(); each != pairs_.end();) {
        Operation& operation = **each;
        MPI_Status status{};
        finish_part(operation, operation.pair->sending, status);
        if (finish_part(operation, operation.pair->receiving, status) && operation.got_source != MPI_PROC_NULL) {
            operation.got_source = status.MPI_SOURCE;
            operation.got_tag = status.MPI_TAG;
            operation.got_B = bytes_of(status);
        }
        operation.complete = operation.pair->sending == request_null() && operation.pair->receiving == request_null();
        each = operation.complete ? pairs_.erase(each) : std::next(each);
    }
}

}  // namespace fairlead::relay
