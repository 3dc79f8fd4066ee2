// SPDX-License-Identifier: Apache-2.0
// pingpong: round trips and one-way trains between two ranks by plain MPI calls. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"
#include "pingpong/loops.hpp"

namespace fairlead::pingpong {
namespace {

constexpr int kLargestMessage = 1 << 30;

struct Options {
    std::vector<int> sizes_B{64, 1024, 8192, 65536, 524288};
    int exchanges = 100;
    int warmup = 10;
    double train_s = 0.0;
    int train_size_B = 65536;
    int window = 16;
    int rounds = 1;
    bool on_request = false;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Round trips and one-way trains between two ranks", "pingpong");
    app.add_option("--sizes", options.sizes_B, "message lengths in bytes")
        ->delimiter(',')
        ->check(CLI::Range(0, kLargestMessage))
        ->capture_default_str();
    app.add_option("--repetitions", options.exchanges, "round trips for each length")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    app.add_option("--warmup", options.warmup, "round trips before them that are not recorded")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    app.add_option("--train", options.train_s, "seconds of a train from rank 0 to rank 1 (0: none)")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--train-size", options.train_size_B, "length of a train's messages in bytes")
        ->check(CLI::Range(1, kLargestMessage))
        ->capture_default_str();
    app.add_option("--window", options.window, "messages of a train under way together")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    auto* rounds = app.add_option("--rounds", options.rounds, "how often all of it is done")
                       ->check(CLI::Range(1, 1'000'000))
                       ->capture_default_str();
    app.add_flag("--on-request", options.on_request,
                 "a round for each line read from stdin, until its end: to alternate with other measurements")
        ->excludes(rounds);
    parse_options(app, argc, argv);
    return options;
}

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

// One round's measurements as a result line.
nlohmann::ordered_json measure(const Options& options, int round, bool speaks) {
    nlohmann::ordered_json line{{"program", "pingpong"}, {"round", round}, {"results", nlohmann::json::array()}};
    for (const int size_B : options.sizes_B) {
        const std::vector<double> samples_s = round_trips(size_B, options.exchanges, options.warmup);
        if (speaks) {
            std::printf("%10d B  round trip %10.2f us (median of %zu)\n", size_B, median(samples_s) * 1e6,
                        samples_s.size());
            line["results"].push_back({{"size_B", size_B}, {"round_trip_s", samples_s}});
        }
    }
    line["train"] = nullptr;
    if (options.train_s > 0.0) {
        const Train seen = train(options.train_size_B, options.window, options.train_s);
        if (speaks) {
            std::printf("%10d B  train      %10.2f Mbit/s\n", options.train_size_B, seen.rate_bps() * 1e-6);
            line["train"] = {
                {"size_B", options.train_size_B}, {"window", options.window},    {"bytes", seen.bytes},
                {"duration_s", seen.duration_s},  {"rate_bps", seen.rate_bps()}, {"window_s", seen.window_s}};
        }
    }
    return line;
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    if (size_of(MPI_COMM_WORLD) != 2) {
        throw UsageError("pingpong: needs exactly two ranks, one on each host");
    }
    const bool speaks = rank_of(MPI_COMM_WORLD) == 0;
    for (int round = 0; another_round(options, round); ++round) {
        const nlohmann::ordered_json line = measure(options, round, speaks);
        if (speaks) {
            std::fflush(stdout);
            write_result(line, "");
        }
    }
    return kVerified;
}

}  // namespace
}  // namespace fairlead::pingpong

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::pingpong::run(argc, argv); });
}
