// SPDX-License-Identifier: Apache-2.0
// The timed loops: clock and transfer, nothing else.
#include "pingpong/loops.hpp"

#include <mpi.h>

#include <numeric>

#include "common/mpi.hpp"

namespace fairlead::pingpong {

namespace {

enum Tag : int { kPing = 1, kBulk, kLastWindow, kSummary };

void send(const std::vector<char>& buffer, int to) {
    check(MPI_Send(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, to, kPing, MPI_COMM_WORLD), "MPI_Send");
}

void receive(std::vector<char>& buffer, int from) {
    check(MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, from, kPing, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
}

void send_bulk(std::vector<std::vector<char>>& buffers, double duration_s) {
    std::vector<MPI_Request> requests(buffers.size());
    const double end = MPI_Wtime() + duration_s;
    for (int tag = kBulk, sent = 0; tag != kLastWindow; ++sent) {
        // At least three windows: the receiver's duration begins with the end of the first.
        tag = sent >= 2 && MPI_Wtime() >= end ? kLastWindow : kBulk;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            check(MPI_Isend(buffers[i].data(), static_cast<int>(buffers[i].size()), MPI_BYTE, 1, tag, MPI_COMM_WORLD,
                            &requests[i]),
                  "MPI_Isend");
        }
        check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
}

// Times at which the windows were complete. Each buffer is posted again as soon as the window before is there, so the
// sender of the next one finds receives waiting.
std::vector<double> receive_bulk(std::vector<std::vector<char>>& buffers) {
    std::vector<MPI_Request> requests(buffers.size());
    std::vector<MPI_Status> statuses(buffers.size());
    std::vector<double> complete_s;
    for (bool last = false; !last;) {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            check(MPI_Irecv(buffers[i].data(), static_cast<int>(buffers[i].size()), MPI_BYTE, 0, MPI_ANY_TAG,
                            MPI_COMM_WORLD, &requests[i]),
                  "MPI_Irecv");
        }
        check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data()), "MPI_Waitall");
        complete_s.push_back(MPI_Wtime());
        last = statuses.front().MPI_TAG == kLastWindow;
    }
    return complete_s;
}

}  // namespace

std::vector<double> round_trips(int size_B, int exchanges, int warmup) {
    std::vector<char> buffer(static_cast<std::size_t>(size_B));
    std::vector<double> samples_s;
    const bool pings = rank_of(MPI_COMM_WORLD) == 0;
    for (int i = -warmup; i < exchanges; ++i) {
        if (!pings) {
            receive(buffer, 0);
            send(buffer, 0);
            continue;
        }
        const double start = MPI_Wtime();
        send(buffer, 1);
        receive(buffer, 1);
        const double end = MPI_Wtime();
        if (i >= 0) {
            samples_s.push_back(end - start);
        }
    }
    return samples_s;
}

Bulk bulk(int size_B, int window, double duration_s) {
    std::vector<std::vector<char>> buffers(static_cast<std::size_t>(window),
                                           std::vector<char>(static_cast<std::size_t>(size_B)));
    std::vector<double> window_s;
    if (rank_of(MPI_COMM_WORLD) == 0) {
        send_bulk(buffers, duration_s);
        MPI_Status status{};
        check(MPI_Probe(1, kSummary, MPI_COMM_WORLD, &status), "MPI_Probe");
        int count = 0;
        check(MPI_Get_count(&status, MPI_DOUBLE, &count), "MPI_Get_count");
        window_s.resize(static_cast<std::size_t>(count));
        check(MPI_Recv(window_s.data(), count, MPI_DOUBLE, 1, kSummary, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    } else {
        const std::vector<double> complete_s = receive_bulk(buffers);
        window_s.resize(complete_s.size());
        std::adjacent_difference(complete_s.begin(), complete_s.end(), window_s.begin());
        window_s.erase(window_s.begin());  // the first difference is to nothing
        check(MPI_Send(window_s.data(), static_cast<int>(window_s.size()), MPI_DOUBLE, 0, kSummary, MPI_COMM_WORLD),
              "MPI_Send");
    }
    return {.bytes = std::int64_t{size_B} * window * std::ssize(window_s),
            .duration_s = std::accumulate(window_s.begin(), window_s.end(), 0.0),
            .window_s = window_s};
}

}  // namespace fairlead::pingpong
