// SPDX-License-Identifier: Apache-2.0
#include "relay/mpi_carrier.hpp"

#include <utility>

#include "wrap/pmpi.hpp"

namespace fairlead::relay {

namespace {

constexpr int kFrameTag = 1;

bool over(MPI_Request& request) {
    int done = 0;
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

}  // namespace

MpiCarrier::MpiCarrier(MPI_Comm world, Process processes) : world_(world), outgoing_(processes), sent_(processes) {}

void MpiCarrier::send(Process to, std::vector<std::uint8_t> frame) {
    Transfer& transfer = sends_.emplace_back(request_null(), to, std::move(frame));
    ++outgoing_[to];
    ++sent_[to];
    PMPI_Isend(transfer.frame.data(), static_cast<int>(transfer.frame.size()), datatype_byte(), static_cast<int>(to),
               kFrameTag, world_, &transfer.request);
}

void MpiCarrier::poll(const Sink& arrived) {
    for (auto each = sends_.begin(); each != sends_.end();) {
        if (over(each->request)) {
            --outgoing_[each->to];
            each = sends_.erase(each);
        } else {
            ++each;
        }
    }
    for (int found = 1; found != 0;) {
        MPI_Message message{};
        MPI_Status status{};
        PMPI_Improbe(MPI_ANY_SOURCE, kFrameTag, world_, &found, &message, &status);
        if (found != 0) {
            Transfer& transfer = receives_.emplace_back();
            transfer.frame.resize(bytes_of(status));
            PMPI_Imrecv(transfer.frame.data(), static_cast<int>(transfer.frame.size()), datatype_byte(), &message,
                        &transfer.request);
        }
    }
    for (auto each = receives_.begin(); each != receives_.end();) {
        if (over(each->request)) {
            ++arrived_;
            arrived(each->frame);
            each = receives_.erase(each);
        } else {
            ++each;
        }
    }
}

}  // namespace fairlead::relay
