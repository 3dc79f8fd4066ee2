// SPDX-License-Identifier: Apache-2.0
#include "benchmark/collectives/impact.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>

#include "benchmark/collectives/subset.hpp"
#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

enum Tag : int { kExchange = 1, kFlood, kRunning, kStop };

constexpr int kVictimsTag = 301;
constexpr int kCongestorsTag = 302;
constexpr int kBatch = 5;     // samples between two questions whether there shall be more
constexpr int kRounds = 8;    // of congestion between two questions whether it shall end
constexpr int kFlooding = 4;  // messages of each sender under way together

class Victim {
  public:
    Victim(const Request& request, MPI_Comm comm) : request_(request), comm_(comm) {
        const int rank = rank_of(comm);
        const int ranks = size_of(comm);
        next_ = (rank + 1) % ranks;
        before_ = (rank + ranks - 1) % ranks;
        const auto size = static_cast<std::size_t>(request.size_B);
        out_.resize(size);
        in_.assign(request.victim == VictimTest::kBandwidth ? static_cast<std::size_t>(request.window) : 1,
                   std::vector<char>(size));
        requests_.resize(2 * in_.size());
    }

    void exchange() {
        switch (request_.victim) {
            case VictimTest::kLatency:
                return check(MPI_Sendrecv(out_.data(), request_.size_B, MPI_BYTE, next_, kExchange, in_[0].data(),
                                          request_.size_B, MPI_BYTE, before_, kExchange, comm_, MPI_STATUS_IGNORE),
                             "MPI_Sendrecv");
            case VictimTest::kBandwidth:
                return windows();
            case VictimTest::kAllreduce:
                return check(MPI_Allreduce(out_.data(), in_[0].data(), request_.size_B / 4, MPI_FLOAT, MPI_MAX, comm_),
                             "MPI_Allreduce");
        }
    }

  private:
    void windows() {
        std::size_t count = 0;
        for (std::vector<char>& buffer : in_) {
            check(MPI_Irecv(buffer.data(), request_.size_B, MPI_BYTE, before_, kExchange, comm_, &requests_[count++]),
                  "MPI_Irecv");
        }
        for (std::size_t i = 0; i < in_.size(); ++i) {
            check(MPI_Isend(out_.data(), request_.size_B, MPI_BYTE, next_, kExchange, comm_, &requests_[count++]),
                  "MPI_Isend");
        }
        check(MPI_Waitall(static_cast<int>(count), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
        check(MPI_Barrier(comm_), "MPI_Barrier");
    }

    const Request& request_;
    MPI_Comm comm_;
    int next_ = 0;
    int before_ = 0;
    std::vector<char> out_;
    std::vector<std::vector<char>> in_;
    std::vector<MPI_Request> requests_;
};

class Load {
  public:
    Load(Congestion kind, int size_B, MPI_Comm comm) : kind_(kind), size_(size_B), comm_(comm), rank_(rank_of(comm)) {
        const auto ranks = static_cast<std::size_t>(size_of(comm));
        const auto size = static_cast<std::size_t>(size_);
        out_.resize(size * ranks);
        in_.resize(size * ranks * kFlooding);
        requests_.resize(ranks * kFlooding);
    }

    void once() {
        switch (kind_) {
            case Congestion::kAlltoall:
                return check(MPI_Alltoall(out_.data(), size_, MPI_BYTE, in_.data(), size_, MPI_BYTE, comm_),
                             "MPI_Alltoall");
            case Congestion::kIncast:
                return incast();
            case Congestion::kBcast:
                return check(MPI_Bcast(out_.data(), size_, MPI_BYTE, 0, comm_), "MPI_Bcast");
        }
    }

  private:
    void incast() {
        int count = 0;
        const int ranks = size_of(comm_);
        for (int sent = 0; sent < kFlooding; ++sent) {
            for (int from = 1; rank_ == 0 && from < ranks; ++from) {
                char* place = in_.data() + static_cast<std::ptrdiff_t>(count) * size_;
                check(
                    MPI_Irecv(place, size_, MPI_BYTE, from, kFlood, comm_, &requests_[static_cast<std::size_t>(count)]),
                    "MPI_Irecv");
                ++count;
            }
            if (rank_ != 0) {
                check(MPI_Isend(out_.data(), size_, MPI_BYTE, 0, kFlood, comm_,
                                &requests_[static_cast<std::size_t>(count)]),
                      "MPI_Isend");
                ++count;
            }
        }
        check(MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }

    Congestion kind_;
    int size_;
    MPI_Comm comm_;
    int rank_;
    std::vector<char> out_, in_;
    std::vector<MPI_Request> requests_;
};

// Loads the network until the first victim says that it is enough.
void congest(const Request& request, Congestion kind, MPI_Comm comm) {
    Load load(kind, request.congestor_size_B, comm);
    const int leader = request.victims.front();
    const bool first = rank_of(comm) == 0;
    for (bool told = false;;) {
        for (int round = 0; round < kRounds; ++round) {
            load.once();
        }
        int enough = 0;
        if (first && !told) {
            check(MPI_Send(nullptr, 0, MPI_BYTE, leader, kRunning, MPI_COMM_WORLD), "MPI_Send");
            told = true;
        } else if (first) {
            check(MPI_Iprobe(leader, kStop, MPI_COMM_WORLD, &enough, MPI_STATUS_IGNORE), "MPI_Iprobe");
        }
        check(MPI_Bcast(&enough, 1, MPI_INT, 0, comm), "MPI_Bcast");
        if (enough != 0) {
            break;
        }
    }
    if (first) {
        check(MPI_Recv(nullptr, 0, MPI_BYTE, leader, kStop, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    }
}

std::vector<double> measured(const Request& request, MPI_Comm comm) {
    Victim victim(request, comm);
    const bool first = rank_of(comm) == 0;
    for (const Congestor& each : request.congestors) {
        if (first) {
            check(MPI_Recv(nullptr, 0, MPI_BYTE, each.ranks.front(), kRunning, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  "MPI_Recv");
        }
    }
    check(MPI_Barrier(comm), "MPI_Barrier");
    for (int i = 0; i < request.exchanges_before; ++i) {
        victim.exchange();
    }
    const Stop& stop = request.stop;
    std::vector<double> samples_s;
    samples_s.reserve(static_cast<std::size_t>(stop.most) + kBatch);
    const double begin_s = MPI_Wtime();
    for (int taken = 0;;) {
        // The first one decides, so that all stop after the same exchange.
        int more = static_cast<int>(taken < stop.most && (taken < stop.least || MPI_Wtime() - begin_s < stop.limit_s));
        check(MPI_Bcast(&more, 1, MPI_INT, 0, comm), "MPI_Bcast");
        if (more == 0) {
            break;
        }
        for (int i = 0; i < kBatch; ++i, ++taken) {
            const double before_s = MPI_Wtime();
            victim.exchange();
            samples_s.push_back(MPI_Wtime() - before_s);
        }
    }
    check(MPI_Barrier(comm), "MPI_Barrier");
    for (const Congestor& each : request.congestors) {
        if (first) {
            check(MPI_Send(nullptr, 0, MPI_BYTE, each.ranks.front(), kStop, MPI_COMM_WORLD), "MPI_Send");
        }
    }
    return samples_s;
}

}  // namespace

std::vector<double> victims_and_congestors(const Request& request, int /*peer*/, bool /*first*/) {
    const int rank = rank_of(MPI_COMM_WORLD);
    for (const Congestor& each : request.congestors) {
        if (std::ranges::find(each.ranks, rank) != each.ranks.end()) {
            const Subset congestors(each.ranks, kCongestorsTag);
            congest(request, each.kind, congestors.comm());
            return {};
        }
    }
    const Subset victims(request.victims, kVictimsTag);
    return measured(request, victims.comm());
}

}  // namespace fairlead::benchmark
