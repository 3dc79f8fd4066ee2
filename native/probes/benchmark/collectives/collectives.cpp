// SPDX-License-Identifier: Apache-2.0
#include "benchmark/collectives/collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include "benchmark/collectives/clocks.hpp"
#include "benchmark/collectives/subset.hpp"
#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

constexpr int kRoot = 0;
constexpr int kCommTag = 300;
constexpr int kPilots = 3;          // calls that say how long windows must be
constexpr double kSpin_s = 100e-6;  // before an agreed moment ranks are awake for so long
constexpr int kLead = 2;            // windows until the first call: in them all hear when it is

// One operation with its buffers: what it sends, what it calls, what must come out.
class Operation {
  public:
    Operation(const Request& request, MPI_Comm comm)
        : what_(request.collective),
          size_(request.size_B),
          floats_(request.size_B / static_cast<int>(sizeof(float))),
          comm_(comm),
          rank_(rank_of(comm)),
          ranks_(size_of(comm)) {
        const auto blocks = static_cast<std::size_t>(ranks_);
        const auto block = static_cast<std::size_t>(size_);
        if (reduces()) {
            const std::size_t sent = static_cast<std::size_t>(floats_) * (what_ == Collective::kAllreduce ? 1 : blocks);
            numbers_out_.resize(sent);
            numbers_in_.resize(static_cast<std::size_t>(floats_));
            for (std::size_t i = 0; i < sent; ++i) {
                numbers_out_[i] = term(rank_, i);
            }
            return;
        }
        out_.resize(block * blocks);
        in_.resize(block * blocks);
        for (int to = 0; to < ranks_; ++to) {
            for (std::size_t i = 0; i < block; ++i) {
                out_[block * static_cast<std::size_t>(to) + i] = byte(rank_, destination(to), i);
            }
        }
        if (what_ == Collective::kBcast && rank_ == kRoot) {
            in_ = out_;
        }
    }

    void call() {
        switch (what_) {
            case Collective::kAllreduce:
                return check(MPI_Allreduce(numbers_out_.data(), numbers_in_.data(), floats_, MPI_FLOAT, MPI_SUM, comm_),
                             "MPI_Allreduce");
            case Collective::kReduceScatter:
                return check(MPI_Reduce_scatter_block(numbers_out_.data(), numbers_in_.data(), floats_, MPI_FLOAT,
                                                      MPI_SUM, comm_),
                             "MPI_Reduce_scatter_block");
            case Collective::kAlltoall:
                return check(MPI_Alltoall(out_.data(), size_, MPI_BYTE, in_.data(), size_, MPI_BYTE, comm_),
                             "MPI_Alltoall");
            case Collective::kBcast:
                return check(MPI_Bcast(in_.data(), size_, MPI_BYTE, kRoot, comm_), "MPI_Bcast");
            case Collective::kScatter:
                return check(MPI_Scatter(out_.data(), size_, MPI_BYTE, in_.data(), size_, MPI_BYTE, kRoot, comm_),
                             "MPI_Scatter");
            case Collective::kGather:
                return check(MPI_Gather(out_.data(), size_, MPI_BYTE, in_.data(), size_, MPI_BYTE, kRoot, comm_),
                             "MPI_Gather");
            case Collective::kAllgather:
                return check(MPI_Allgather(out_.data(), size_, MPI_BYTE, in_.data(), size_, MPI_BYTE, comm_),
                             "MPI_Allgather");
            case Collective::kNone:
                break;
        }
    }

    // Whether all ranks have what they should. Collective.
    bool right() const {
        int all = 0;
        const int own = static_cast<int>(own_right());
        check(MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, comm_), "MPI_Allreduce");
        return all != 0;
    }

  private:
    bool reduces() const { return what_ == Collective::kAllreduce || what_ == Collective::kReduceScatter; }

    // Where an operation sends the same to all, what is sent does not depend on the destination.
    int destination(int to) const { return what_ == Collective::kAlltoall || what_ == Collective::kScatter ? to : 0; }

    static unsigned char byte(int from, int to, std::size_t i) {
        return static_cast<unsigned char>(static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 17 + i);
    }

    // Small whole numbers: their sum is exact in any order.
    static float term(int rank, std::size_t i) { return static_cast<float>(rank) + static_cast<float>(i % 1000); }

    bool own_right() const {
        if (reduces()) {
            const std::size_t begin = what_ == Collective::kAllreduce ? 0 : static_cast<std::size_t>(rank_ * floats_);
            for (std::size_t i = 0; i < numbers_in_.size(); ++i) {
                float sum = 0.0F;
                for (int from = 0; from < ranks_; ++from) {
                    sum += term(from, begin + i);
                }
                if (numbers_in_[i] != sum) {
                    return false;
                }
            }
            return true;
        }
        const bool from_root = what_ == Collective::kBcast || what_ == Collective::kScatter;
        const int blocks = from_root ? 1 : what_ == Collective::kGather && rank_ != kRoot ? 0 : ranks_;
        for (int from = 0; from < blocks; ++from) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) {
                const std::size_t place = static_cast<std::size_t>(from) * static_cast<std::size_t>(size_) + i;
                if (in_[place] != byte(from_root ? kRoot : from, destination(rank_), i)) {
                    return false;
                }
            }
        }
        return true;
    }

    Collective what_;
    int size_;
    int floats_;
    MPI_Comm comm_;
    int rank_;
    int ranks_;
    std::vector<unsigned char> out_, in_;
    std::vector<float> numbers_out_, numbers_in_;
};

std::vector<double> calls_after_barriers(const Stop& stop, Operation& operation, MPI_Comm comm) {
    std::vector<double> samples_s(static_cast<std::size_t>(stop.most));
    const double begin_s = MPI_Wtime();
    for (int taken = 0; taken < stop.most;) {
        // The first rank decides, so that all stop after the same call.
        int more = static_cast<int>(taken < stop.least || MPI_Wtime() - begin_s < stop.limit_s);
        check(MPI_Bcast(&more, 1, MPI_INT, kRoot, comm), "MPI_Bcast");
        if (more == 0) {
            samples_s.resize(static_cast<std::size_t>(taken));
            break;
        }
        check(MPI_Barrier(comm), "MPI_Barrier");
        const double before_s = MPI_Wtime();
        operation.call();
        samples_s[static_cast<std::size_t>(taken++)] = MPI_Wtime() - before_s;
    }
    return samples_s;
}

// What a call takes at most, of a few after a barrier, on any rank.
double longest_s(Operation& operation, MPI_Comm comm) {
    const std::vector<double> own_s =
        calls_after_barriers({.least = 1, .most = kPilots, .limit_s = 1.0}, operation, comm);
    const double own = *std::ranges::max_element(own_s);
    double all = 0.0;
    check(MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    return all;
}

// Returns at a moment of the own clock. It sleeps until shortly before: ranks may share processors.
void await(double moment_s) {
    if (const double left_s = moment_s - MPI_Wtime(); left_s > 2.0 * kSpin_s) {
        std::this_thread::sleep_for(std::chrono::duration<double>(left_s - kSpin_s));
    }
    while (MPI_Wtime() < moment_s) {
    }
}

// Windows of equal length, in each of which a call begins (Hoefler, Schneider, Lumsdaine, "Accurately measuring
// collective operations at massive scale", 2008): nothing is sent between calls. A rank that is not back in time begins
// the next call late; whoever reads the samples sees that.
std::vector<double> calls_at_agreed_moments(const Stop& stop, Operation& operation, MPI_Comm comm) {
    const ClockRelation clock = compare_clocks(comm);
    const double window_s = 2.0 * longest_s(operation, comm) + 2.0 * kSpin_s;
    const int calls = static_cast<int>(std::clamp(stop.limit_s / window_s, double(stop.least), double(stop.most)));
    std::array<double, 2> begin_and_calls{MPI_Wtime() + kLead * window_s, double(calls)};
    check(MPI_Bcast(begin_and_calls.data(), 2, MPI_DOUBLE, kRoot, comm), "MPI_Bcast");
    std::vector<double> samples_s{clock.error_s};
    samples_s.reserve(1 + 2 * static_cast<std::size_t>(begin_and_calls[1]));
    for (int call = 0; call < static_cast<int>(begin_and_calls[1]); ++call) {
        const double agreed_s = begin_and_calls[0] + call * window_s - clock.offset_s;
        await(agreed_s);
        const double begun_s = MPI_Wtime();
        operation.call();
        const double ended_s = MPI_Wtime();
        samples_s.push_back(begun_s - agreed_s);
        samples_s.push_back(ended_s - agreed_s);
    }
    return samples_s;
}

}  // namespace

std::vector<double> collective_calls(const Request& request, int /*peer*/, bool /*first*/) {
    const Subset ranks(request.taking_part(), kCommTag);
    const MPI_Comm comm = ranks.comm();
    Operation operation(request, comm);
    operation.call();
    if (!operation.right()) {
        throw WrongResult("the result of the collective operation is wrong");
    }
    return request.agreed ? calls_at_agreed_moments(request.stop, operation, comm)
                          : calls_after_barriers(request.stop, operation, comm);
}

}  // namespace fairlead::benchmark
