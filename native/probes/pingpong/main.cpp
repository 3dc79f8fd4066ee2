// SPDX-License-Identifier: Apache-2.0
// pingpong: round trips and one-way bulk transfers between two ranks by plain MPI calls.
// See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "common/mpi.hpp"
#include "common/usage.hpp"
#include "pingpong/loops.hpp"
#include "pingpong/options.hpp"
#include "pingpong/round.hpp"

namespace fairlead::pingpong {
namespace {

// Rank 0 decides whether there is another round. The other sleeps while it waits: what is measured in between shall
// have the processor.
bool another_round(const Options& options, int round) {
    constexpr int kTag = 0;
    int go = 0;
    if (rank_of(MPI_COMM_WORLD) == 0) {
        std::string line;
        go = (options.on_request ? static_cast<bool>(std::getline(std::cin, line)) : round < options.rounds) ? 1 : 0;
        check(MPI_Send(&go, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD), "MPI_Send");
        return go != 0;
    }
    for (int arrived = 0; arrived == 0;) {
        check(MPI_Iprobe(0, kTag, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE), "MPI_Iprobe");
        if (arrived == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    }
    check(MPI_Recv(&go, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    return go != 0;
}

double median(std::vector<double> samples) {
    const auto middle = samples.begin() + std::ssize(samples) / 2;
    std::ranges::nth_element(samples, middle);
    return *middle;
}

// One round's measurements; `speaks`: tells people of them.
Round measure(const Options& options, int number, bool speaks) {
    Round round{.number = number, .round_trips = {}, .bulk = {}};
    for (const int size_B : options.sizes_B) {
        const std::vector<double> samples_s = round_trips(size_B, options.exchanges, options.warmup);
        if (speaks) {
            std::printf("%10d B  round trip %10.2f us (median of %zu)\n", size_B, median(samples_s) * 1e6,
                        samples_s.size());
        }
        round.round_trips.push_back({.size_B = size_B, .samples_s = samples_s});
    }
    if (options.bulk_s > 0.0) {
        round.bulk = bulk(options.bulk_size_B, options.window, options.bulk_s);
        if (speaks) {
            std::printf("%10d B  bulk       %10.2f Mbit/s\n", options.bulk_size_B, round.bulk->rate_bps() * 1e-6);
        }
    }
    return round;
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    if (size_of(MPI_COMM_WORLD) != 2) {
        throw UsageError("pingpong: needs exactly two ranks, one on each host");
    }
    const bool speaks = rank_of(MPI_COMM_WORLD) == 0;
    for (int round = 0; another_round(options, round); ++round) {
        const Round measured = measure(options, round, speaks);
        if (speaks) {
            std::fflush(stdout);
            write_round(options, measured);
        }
    }
    return kVerified;
}

}  // namespace
}  // namespace fairlead::pingpong

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::pingpong::run(argc, argv); });
}
