// SPDX-License-Identifier: Apache-2.0
#include "flow/channel.hpp"

#include "common/mpi.hpp"
#include "common/mpi_count.hpp"

namespace fairlead::flow {

std::span<const double> Channel::receive(std::size_t numbers) {
    incoming_.resize(numbers);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(incoming_.data(), mpi_count(numbers), MPI_DOUBLE, from_, tag_, comm_, &request), "MPI_Irecv");
    wait_all({&request, 1});
    return incoming_;
}

std::vector<double>& Channel::message() {
    finish();
    outgoing_.clear();
    return outgoing_;
}

void Channel::send() {
    check(MPI_Isend(outgoing_.data(), mpi_count(outgoing_.size()), MPI_DOUBLE, to_, tag_, comm_, &sent_), "MPI_Isend");
}

void Channel::finish() {
    wait_all({&sent_, 1});
}

}  // namespace fairlead::flow
