// SPDX-License-Identifier: Apache-2.0
// random-traffic: ranks exchange messages with partners drawn anew again and again. Used as congestion for others; see
// docs/reference/bundled-programs.md.
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "common/fields.hpp"
#include "common/mpi.hpp"
#include "common/usage.hpp"
#include "common/verdict.hpp"
#include "random-traffic/exchange.hpp"
#include "random-traffic/options.hpp"
#include "random-traffic/partners.hpp"

namespace fairlead::random_traffic {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// SIGTERM and SIGINT come from the shell or the launcher; SIGUSR1 is what Open MPI's mpirun passes on without ending
// the job itself.
void stop_on_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { stop_requested = 1; };
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
        sigaction(signal, &action, nullptr);
    }
}

// Until the interval is over, for a rank without a partner.
void rest(const std::function<bool()>& over) {
    while (!over()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

// Sums over all ranks.
struct Totals {
    double seconds;
    std::uint64_t rounds;
    double messages;
    double errors;
    bool stopped;  // by a signal to any rank
};

Totals exchange_until_stopped(const Options& options) {
    const auto rank = static_cast<std::size_t>(rank_of(MPI_COMM_WORLD));
    const int ranks = size_of(MPI_COMM_WORLD);
    Exchanger exchanger(static_cast<std::size_t>(options.message_B));
    Counts counts;
    barrier();
    const double start = MPI_Wtime();
    const double end = start + options.duration_s;
    std::uint64_t rounds = 0;
    for (bool ended = false; !ended; ++rounds) {
        const double interval_end = std::min(end, MPI_Wtime() + options.interval_s);
        const auto over = [&] { return stop_requested != 0 || MPI_Wtime() >= interval_end; };
        const int partner = draw_partners(ranks, options.seed, rounds)[rank];
        if (partner == static_cast<int>(rank)) {
            rest(over);
        } else {
            exchanger.run_round(partner, rounds, over, counts);
        }
        // One rank that has been told to stop, or whose time is up, ends them all.
        ended = all_reduce(stop_requested != 0 || MPI_Wtime() >= end ? 1.0 : 0.0, MPI_MAX) > 0.0;
    }
    return {.seconds = all_reduce(MPI_Wtime() - start, MPI_MAX),
            .rounds = rounds,
            .messages = all_reduce(static_cast<double>(counts.messages), MPI_SUM),
            .errors = all_reduce(static_cast<double>(counts.errors), MPI_SUM),
            .stopped = all_reduce(stop_requested != 0 ? 1.0 : 0.0, MPI_MAX) > 0.0};
}

void report(const Options& options, const Totals& totals, const Verdict& verdict) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const double bytes = totals.messages * options.message_B;
    std::printf("random-traffic %d ranks, %.2f s, %llu rounds: %.0f messages of %d B, %.1f Mbit/s in all\n", ranks,
                totals.seconds, static_cast<unsigned long long>(totals.rounds), totals.messages, options.message_B,
                bytes * 8e-6 / totals.seconds);
    std::printf("%s\n", verdict.line().c_str());
    std::fflush(stdout);
    write_fields({{"program", "random-traffic"},
                  {"ranks", ranks},
                  {"seed", options.seed},
                  {"message_B", options.message_B},
                  {"interval_s", options.interval_s},
                  {"seconds", totals.seconds},
                  {"rounds", totals.rounds},
                  {"messages", static_cast<std::uint64_t>(totals.messages)},
                  {"bytes_sent", static_cast<std::uint64_t>(bytes)},
                  {"stopped", totals.stopped},
                  {"verified", verdict.verified},
                  {"verification", verdict.explanation}},
                 options.json);
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    if (size_of(MPI_COMM_WORLD) < 2) {
        throw UsageError("random-traffic: needs at least two ranks");
    }
    stop_on_signals();
    const Totals totals = exchange_until_stopped(options);
    Verdict verdict;
    verdict.require("messages with a wrong mark", totals.errors, 0.0);
    if (rank_of(MPI_COMM_WORLD) == 0) {
        report(options, totals, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::random_traffic

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::random_traffic::run(argc, argv); });
}
