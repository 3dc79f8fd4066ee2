// SPDX-License-Identifier: Apache-2.0
#include "relay/carriers/mpi_carrier.hpp"

#include <utility>

#include "mpi/pmpi.hpp"

namespace fairlead::relay {

namespace {

constexpr int kFrameTag = 1;

/// Also with an error: then it is not there, and is sent again.
bool over(MPI_Request& request, int& error) {
    int done = 0;
    error = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0 || error != MPI_SUCCESS;
}

}  // namespace

MpiCarrier::MpiCarrier(MPI_Comm world, Process processes)
    : world_(world), outgoing_(processes), sent_(processes), errors_(processes) {}

void MpiCarrier::note(Process with, int error) {
    if (error != MPI_SUCCESS && errors_[with] == MPI_SUCCESS) {
        errors_[with] = error;
        ++failures_;
    }
}

void MpiCarrier::send(Process to, std::vector<std::uint8_t> frame) {
    Transfer& transfer = sends_.emplace_back(request_null(), to, std::move(frame));
    ++outgoing_[to];
    ++sent_[to];
    note(to, PMPI_Isend(transfer.frame.data(), static_cast<int>(transfer.frame.size()), datatype_byte(),
                        static_cast<int>(to), kFrameTag, world_, &transfer.request));
}

int MpiCarrier::take_from(int source) {
    for (int found = 1; found != 0;) {
        MPI_Message message{};
        MPI_Status status{};
        const int error = PMPI_Improbe(source, kFrameTag, world_, &found, &message, &status);
        if (error != MPI_SUCCESS) {
            return error;
        }
        if (found != 0) {
            Transfer& transfer = receives_.emplace_back();
            transfer.frame.resize(bytes_of(status));
            PMPI_Imrecv(transfer.frame.data(), static_cast<int>(transfer.frame.size()), datatype_byte(), &message,
                        &transfer.request);
        }
    }
    return MPI_SUCCESS;
}

void MpiCarrier::poll(const Sink& arrived) {
    int error = MPI_SUCCESS;
    for (auto each = sends_.begin(); each != sends_.end();) {
        if (over(each->request, error)) {
            note(each->to, error);
            --outgoing_[each->to];
            each = sends_.erase(each);
        } else {
            ++each;
        }
    }
    if (take_from(MPI_ANY_SOURCE) != MPI_SUCCESS) {  // one of them is gone: from whom, the others do not tell
        for (Process from = 0; from < errors_.size(); ++from) {
            note(from, take_from(static_cast<int>(from)));
        }
    }
    for (auto each = receives_.begin(); each != receives_.end();) {
        if (over(each->request, error)) {
            ++arrived_;
            if (error == MPI_SUCCESS) {
                arrived(each->frame);
            }
            each = receives_.erase(each);
        } else {
            ++each;
        }
    }
}

}  // namespace fairlead::relay
