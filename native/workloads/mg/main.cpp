// SPDX-License-Identifier: Apache-2.0
// mg: the multigrid kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007, section 2.3):
// Poisson's equation on a periodic grid by V-cycles. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"
#include "mg/multigrid.hpp"
#include "mg/problem.hpp"

namespace fairlead::mg {
namespace {

struct Options {
    std::string class_name = "S";
    int iterations = 0;  // 0: the class's own number
    double perturbation = 0.0;
    std::string json;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Multigrid after the NAS Parallel Benchmarks; verifies its own result", "mg");
    app.add_option("--class", options.class_name, "problem class: S, W, A, B or C")->capture_default_str();
    app.add_option("--iterations", options.iterations, "V-cycles (default: the class's own number)")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--perturb", options.perturbation,
                   "add this to one charge of the right-hand side, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    return options;
}

struct Timing {
    double setup_s = 0.0;
    double total_s = 0.0;              // the timed section
    std::vector<double> iterations_s;  // its parts
};

Outcome iterate(Multigrid& multigrid, const Problem& problem, int iterations, Timing& timing) {
    // One iteration untimed, which also opens the connections; then from the start again.
    multigrid.start();
    multigrid.advance();
    multigrid.start();
    Outcome outcome{};
    outcome.iterations = iterations;
    outcome.first_norm = multigrid.residual_norm();
    barrier();
    const double start = MPI_Wtime();
    double before = start;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
        multigrid.advance();
        if (iteration == problem.iterations) {
            outcome.standard_norm = multigrid.residual_norm();
        }
        const double now = MPI_Wtime();
        timing.iterations_s.push_back(now - before);
        before = now;
    }
    timing.total_s = all_reduce(before - start, MPI_MAX);
    outcome.final_norm = multigrid.residual_norm();
    return outcome;
}

void report(const Options& options, const Problem& problem, int ranks, const Outcome& outcome, const Timing& timing,
            const Verdict& verdict) {
    std::printf("mg class %c, %d ranks, %d iterations: %.3f s (set-up %.3f s)\n", problem.name, ranks,
                outcome.iterations, timing.total_s, timing.setup_s);
    std::printf("norm of the residual %.13e, published %.13e after %d iterations\n", outcome.final_norm, problem.norm,
                problem.iterations);
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    write_result({{"program", "mg"},
                  {"class", std::string(1, problem.name)},
                  {"ranks", ranks},
                  {"iterations", outcome.iterations},
                  {"seconds", timing.total_s},
                  {"setup_s", timing.setup_s},
                  {"residual_norm", outcome.final_norm},
                  {"verified", verdict.verified},
                  {"verification", verdict.explanation},
                  {"iteration_s", timing.iterations_s}},
                 options.json);
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    const Problem& problem = find_problem(options.class_name);
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_of(MPI_COMM_WORLD);
    const RankBox box(ranks, 1 << problem.levels);

    Timing timing;
    const double start = MPI_Wtime();
    Multigrid multigrid(MPI_COMM_WORLD, problem, box, options.perturbation);
    timing.setup_s = all_reduce(MPI_Wtime() - start, MPI_MAX);

    const int iterations = options.iterations > 0 ? options.iterations : problem.iterations;
    const Outcome outcome = iterate(multigrid, problem, iterations, timing);
    Verdict verdict = verify(problem, outcome);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank == 0) {
        report(options, problem, ranks, outcome, timing, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::mg

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::mg::run(argc, argv); });
}
