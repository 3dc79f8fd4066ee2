// SPDX-License-Identifier: Apache-2.0
// nbody: gravitating particles whose blocks travel round a ring of ranks. See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <cstdio>
#include <string>

#include "common/fields.hpp"
#include "common/mpi.hpp"
#include "common/timing.hpp"
#include "common/usage.hpp"
#include "nbody/options.hpp"
#include "nbody/system.hpp"

namespace fairlead::nbody {
namespace {

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

void report(const Options& options, int ranks, const System& system, double bytes, const Outcome& outcome,
            const Timing& timing, const Verdict& verdict) {
    std::printf("nbody %d particles, payload %zu B, %d ranks, %d steps: %.3f s (set-up %.3f s)\n",
                options.setup.particles, options.setup.payload_B, ranks, options.steps, timing.total_s(),
                timing.setup_s());
    std::printf("energy %.12f, at the start %.12f; rank 0 sent %.1f MB\n", outcome.end.energy, outcome.start.energy,
                static_cast<double>(system.ring().bytes_sent()) * 1e-6);
    std::printf("%s\n", verdict.line().c_str());
    std::fflush(stdout);
    write_fields({{"program", "nbody"},
                  {"particles", options.setup.particles},
                  {"payload_B", options.setup.payload_B},
                  {"seed", options.setup.seed},
                  {"ranks", ranks},
                  {"steps", options.steps},
                  {"seconds", timing.total_s()},
                  {"setup_s", timing.setup_s()},
                  {"bytes_sent", static_cast<std::uint64_t>(bytes)},
                  {"energy_start", outcome.start.energy},
                  {"energy_end", outcome.end.energy},
                  {"verified", verdict.verified},
                  {"verification", verdict.explanation},
                  {"step_s", timing.iterations_s()}},
                 options.json);
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    const int ranks = size_of(MPI_COMM_WORLD);
    check_size(options.setup, ranks);

    Timing timing;
    System system(options.setup);
    timing.end_set_up();
    Outcome outcome{};
    outcome.start = system.invariants();
    timing.iterate(options.steps, [&](int) { system.step(); });
    if (rank_of(MPI_COMM_WORLD) == 0) {
        system.disturb(options.disturbance);
    }
    outcome.end = system.invariants();
    outcome.direct_error = system.direct_error();
    const auto errors = static_cast<double>(system.ring().payload_errors());
    outcome.payload_errors = static_cast<std::uint64_t>(all_reduce(errors, MPI_SUM));
    const double bytes = all_reduce(static_cast<double>(system.ring().bytes_sent()), MPI_SUM);

    Verdict verdict = verify(outcome);
    verdict.verified = all_agree(verdict.verified);
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
