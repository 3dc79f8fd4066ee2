// SPDX-License-Identifier: Apache-2.0
#include "benchmark/session.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "benchmark/collectives/collectives.hpp"
#include "benchmark/requests/lines.hpp"
#include "common/mpi.hpp"

namespace fairlead::benchmark {
namespace {

enum Tag : int { kRequest = 100, kReady, kGo, kSamples, kWhereabouts };

constexpr int kLibraryCharacters = 100;  // of the library's version: the rest is how it was built

// A line for whoever asks.
void say(const std::string& line) {
    std::cout << line << std::endl;
}

// Waits for a message without taking the processor from those that measure.
MPI_Status await(int from, int tag) {
    MPI_Status status{};
    for (int arrived = 0;;) {
        check(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &arrived, &status), "MPI_Iprobe");
        if (arrived != 0) {
            return status;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
}

void send_text(const std::string& text, int to, int tag) {
    check(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD), "MPI_Send");
}

std::string receive_text(int from, int tag) {
    const MPI_Status status = await(from, tag);
    int count = 0;
    check(MPI_Get_count(&status, MPI_CHAR, &count), "MPI_Get_count");
    std::string text(static_cast<std::size_t>(count), '\0');
    check(MPI_Recv(text.data(), count, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    return text;
}

std::vector<double> receive_samples(int from) {
    const MPI_Status status = await(from, kSamples);
    int count = 0;
    check(MPI_Get_count(&status, MPI_DOUBLE, &count), "MPI_Get_count");
    std::vector<double> samples_s(static_cast<std::size_t>(count));
    check(MPI_Recv(samples_s.data(), count, MPI_DOUBLE, from, kSamples, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    return samples_s;
}

// The smallest step between two readings of MPI_Wtime that differ.
double clock_step_s() {
    constexpr int kSteps = 1000;
    double smallest_s = 1.0;
    for (int step = 0; step < kSteps; ++step) {
        const double start_s = MPI_Wtime();
        double now_s = start_s;
        while (now_s == start_s) {
            now_s = MPI_Wtime();
        }
        smallest_s = std::min(smallest_s, now_s - start_s);
    }
    return smallest_s;
}

void introduce(const std::string& program, int ranks) {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    check(MPI_Get_library_version(version.data(), &length), "MPI_Get_library_version");
    std::vector<std::string> all{whereabouts()};
    for (int rank = 1; rank < ranks; ++rank) {
        all.push_back(receive_text(rank, kWhereabouts));
    }
    say(introduction(program, std::string(version.data()).substr(0, kLibraryCharacters), clock_step_s(), all));
}

// Returns when all ranks of the request are here, at about the same time.
void meet(const Request& request, int rank) {
    const std::vector<int> all = request.taking_part();
    const int leader = all.front();
    if (rank != leader) {
        check(MPI_Send(nullptr, 0, MPI_BYTE, leader, kReady, MPI_COMM_WORLD), "MPI_Send");
        check(MPI_Recv(nullptr, 0, MPI_BYTE, leader, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
        return;
    }
    for (const int tag : {kReady, kGo}) {
        for (const int other : all) {
            if (other == leader) {
                continue;
            }
            if (tag == kReady) {
                check(MPI_Recv(nullptr, 0, MPI_BYTE, other, kReady, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
            } else {
                check(MPI_Send(nullptr, 0, MPI_BYTE, other, kGo, MPI_COMM_WORLD), "MPI_Send");
            }
        }
    }
}

// The transfers before the first sample. They are made before the ranks meet, so that all pairs begin together.
Request warm_up(const Request& request) {
    Request transfers = request;
    transfers.stop = {.least = request.warmup, .most = request.warmup, .limit_s = 0.0};
    return transfers;
}

bool takes_part(const Request& request, int rank) {
    const std::vector<int> all = request.taking_part();
    return std::ranges::find(all, rank) != all.end();
}

// This rank's part of a request.
std::vector<double> take_part(const Request& request, int rank, const Measure& measure) {
    const auto own = std::ranges::find_if(
        request.pairs, [rank](const Pair& pair) { return rank == pair.first || rank == pair.second; });
    const bool paired = own != request.pairs.end();
    const bool first = paired && rank == own->first;
    const int peer = !paired ? -1 : first ? own->second : own->first;
    if (request.warmup > 0) {
        measure(warm_up(request), peer, first);
    }
    meet(request, rank);
    return measure(request, peer, first);
}

void serve_one(const std::string& line, int ranks, const Measure& measure, Kind serves) {
    Request request;
    try {
        request = parse_request(line, ranks);
        if (request.kind != serves) {
            throw std::invalid_argument("request: this program measures something else");
        }
    } catch (const std::invalid_argument& mistake) {
        say(failure(mistake.what()));
        return;
    }
    for (const int rank : request.taking_part()) {
        if (rank != 0) {
            send_text(line, rank, kRequest);
        }
    }
    std::vector<double> own_s;
    try {
        own_s = takes_part(request, 0) ? take_part(request, 0, measure) : own_s;
    } catch (const WrongResult& mistake) {
        say(failure(mistake.what()));
        return;
    }
    std::vector<std::vector<double>> samples_s;
    for (const int rank : request.reporting()) {
        samples_s.push_back(rank == 0 ? std::move(own_s) : receive_samples(rank));
    }
    say(answer(samples_s));
}

void follow(int rank, int ranks, const Measure& measure) {
    for (std::string line = receive_text(0, kRequest); !line.empty(); line = receive_text(0, kRequest)) {
        const Request request = parse_request(line, ranks);
        std::vector<double> samples_s;
        try {
            samples_s = take_part(request, rank, measure);
        } catch (const WrongResult&) {
            continue;  // the first rank knows, and tells
        }
        const std::vector<int> reporting = request.reporting();
        if (std::ranges::find(reporting, rank) != reporting.end()) {
            check(
                MPI_Send(samples_s.data(), static_cast<int>(samples_s.size()), MPI_DOUBLE, 0, kSamples, MPI_COMM_WORLD),
                "MPI_Send");
        }
    }
}

}  // namespace

int serve(const std::string& program, int argc, char** argv, const Measure& measure, Kind serves) {
    parse_command_line(program, argc, argv);
    const int rank = rank_of(MPI_COMM_WORLD);
    const int ranks = size_of(MPI_COMM_WORLD);
    if (rank != 0) {
        send_text(whereabouts(), 0, kWhereabouts);
        follow(rank, ranks, measure);
        return kVerified;
    }
    introduce(program, ranks);
    for (std::string line; std::getline(std::cin, line);) {
        serve_one(line, ranks, measure, serves);
    }
    for (int other = 1; other < ranks; ++other) {
        send_text("", other, kRequest);
    }
    return kVerified;
}

}  // namespace fairlead::benchmark
