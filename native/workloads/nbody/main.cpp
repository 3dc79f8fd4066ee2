// SPDX-License-Identifier: Apache-2.0
// nbody: gravitating particles whose blocks travel round a ring of ranks. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"
#include "nbody/system.hpp"

namespace fairlead::nbody {
namespace {

struct Options {
    Setup setup{.particles = 2048, .seed = 1, .payload_B = 0, .softening = 0.05, .time_step = 0.005};
    int steps = 50;
    double disturbance = 0.0;
    std::string json;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Gravitating particles round a ring of ranks; verifies its own result", "nbody");
    app.add_option("--particles", options.setup.particles, "number of particles, at least one a rank")
        ->check(CLI::Range(2, 10'000'000))
        ->capture_default_str();
    app.add_option("--steps", options.steps, "time steps")->check(CLI::Range(1, 10'000'000))->capture_default_str();
    app.add_option("--seed", options.setup.seed, "seed of the initial state")->capture_default_str();
    app.add_option("--payload", options.setup.payload_B,
                   "bytes that each particle carries along on top of its 32, to load the network; a multiple of 8")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str();
    app.add_option("--time-step", options.setup.time_step, "time step, in units of the Plummer sphere")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--disturb", options.disturbance,
                   "add this to one acceleration in the end, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    if (options.setup.payload_B % sizeof(double) != 0) {
        throw UsageError("--payload " + std::to_string(options.setup.payload_B) + ": not a multiple of 8");
    }
    return options;
}

// A block travels as one message, whose count of 8-byte words is an int.
void check_size(const Setup& setup, int ranks) {
    if (setup.particles < ranks) {
        throw UsageError("--particles " + std::to_string(setup.particles) + ": fewer than the " +
                         std::to_string(ranks) + " ranks");
    }
    const std::size_t block_B =
        (static_cast<std::size_t>(setup.particles / ranks) + 1) * (setup.payload_B + 4 * sizeof(double));
    if (block_B > std::size_t{1} << 33) {
        throw UsageError("--particles and --payload make a message of " + std::to_string(block_B) +
                         " bytes; 8 GiB is the most");
    }
}

struct Timing {
    double setup_s = 0.0;
    double total_s = 0.0;         // the timed section
    std::vector<double> steps_s;  // its parts
};

void report(const Options& options, int ranks, const System& system, double bytes, const Outcome& outcome,
            const Timing& timing, const Verdict& verdict) {
    std::printf("nbody %d particles, payload %zu B, %d ranks, %d steps: %.3f s (set-up %.3f s)\n",
                options.setup.particles, options.setup.payload_B, ranks, options.steps, timing.total_s, timing.setup_s);
    std::printf("energy %.12f, at the start %.12f; rank 0 sent %.1f MB\n", outcome.end.energy, outcome.start.energy,
                static_cast<double>(system.ring().bytes_sent()) * 1e-6);
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    write_result({{"program", "nbody"},
                  {"particles", options.setup.particles},
                  {"payload_B", options.setup.payload_B},
                  {"seed", options.setup.seed},
                  {"ranks", ranks},
                  {"steps", options.steps},
                  {"seconds", timing.total_s},
                  {"setup_s", timing.setup_s},
                  {"bytes_sent", static_cast<std::uint64_t>(bytes)},
                  {"energy_start", outcome.start.energy},
                  {"energy_end", outcome.end.energy},
                  {"verified", verdict.verified},
                  {"verification", verdict.explanation},
                  {"step_s", timing.steps_s}},
                 options.json);
}

// The timed section.
void advance(System& system, int steps, Timing& timing) {
    barrier();
    const double start = MPI_Wtime();
    double before = start;
    for (int step = 0; step < steps; ++step) {
        system.step();
        const double now = MPI_Wtime();
        timing.steps_s.push_back(now - before);
        before = now;
    }
    timing.total_s = all_reduce(before - start, MPI_MAX);
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    const int ranks = size_of(MPI_COMM_WORLD);
    check_size(options.setup, ranks);

    Timing timing;
    const double start = MPI_Wtime();
    System system(options.setup);
    timing.setup_s = all_reduce(MPI_Wtime() - start, MPI_MAX);
    Outcome outcome{};
    outcome.start = system.invariants();
    advance(system, options.steps, timing);
    if (rank_of(MPI_COMM_WORLD) == 0) {
        system.disturb(options.disturbance);
    }
    outcome.end = system.invariants();
    outcome.direct_error = system.direct_error();
    const auto errors = static_cast<double>(system.ring().payload_errors());
    outcome.payload_errors = static_cast<std::uint64_t>(all_reduce(errors, MPI_SUM));
    const double bytes = all_reduce(static_cast<double>(system.ring().bytes_sent()), MPI_SUM);

    Verdict verdict = verify(outcome);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank_of(MPI_COMM_WORLD) == 0) {
        report(options, ranks, system, bytes, outcome, timing, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::nbody

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::nbody::run(argc, argv); });
}
