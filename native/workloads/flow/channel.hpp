// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

namespace fairlead::flow {

// A stream of messages of doubles in one direction of a pipeline: from one rank, to another, with a tag of its own.
class Channel {
  public:
    Channel(MPI_Comm comm, int from, int to, int tag) : comm_(comm), from_(from), to_(to), tag_(tag) {}
    ~Channel() { finish(); }
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // Waits for the next message. The view is valid until the next call.
    std::span<const double> receive(std::size_t numbers);

    // An empty message to be filled and then sent. Waits until the last one has left.
    std::vector<double>& message();
    void send();

    // Waits until the last message has left.
    void finish();

  private:
    MPI_Comm comm_;
    int from_;
    int to_;
    int tag_;
    MPI_Request sent_ = MPI_REQUEST_NULL;
    std::vector<double> incoming_, outgoing_;
};

}  // namespace fairlead::flow
