// SPDX-License-Identifier: Apache-2.0
// is: the integer sort after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007, section 2.5):
// ranks of integer keys by a bucket sort. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/rank_count.hpp"
#include "common/result.hpp"
#include "is/problem.hpp"
#include "is/sorter.hpp"

namespace fairlead::is {
namespace {

struct Options {
    std::string class_name = "S";
    int iterations = Problem::kIterations;
    Key perturbation = 0;
    std::string json;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Integer sort after the NAS Parallel Benchmarks; verifies its own result", "is");
    app.add_option("--class", options.class_name, "problem class: S, W, A, B or C")->capture_default_str();
    app.add_option("--iterations", options.iterations, "rankings of all keys")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--perturb", options.perturbation,
                   "add this to one test key, to see verification fail; from 10 on it does (default: 0)")
        ->check(CLI::Range(0, 1000));
    parse_options(app, argc, argv);
    return options;
}

struct Timing {
    double setup_s = 0.0;
    double total_s = 0.0;              // the timed section
    std::vector<double> iterations_s;  // its parts
};

Outcome iterate(Sorter& sorter, int iterations, Timing& timing) {
    // One iteration untimed, which also opens the connections; the first timed one changes the same two keys.
    sorter.rank_keys(1);
    barrier();
    const double start = MPI_Wtime();
    double before = start;
    double right = 0.0;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
        right += sorter.rank_keys(iteration);
        const double now = MPI_Wtime();
        timing.iterations_s.push_back(now - before);
        before = now;
    }
    timing.total_s = all_reduce(before - start, MPI_MAX);
    Outcome outcome{};
    outcome.iterations = iterations;
    outcome.ranks_right = static_cast<std::int64_t>(all_reduce(right, MPI_SUM));
    sorter.judge_order(outcome);
    return outcome;
}

void report(const Options& options, const Problem& problem, int ranks, const Outcome& outcome, const Timing& timing,
            const Verdict& verdict) {
    std::printf("is class %c, %d ranks, %d iterations: %.3f s (set-up %.3f s)\n", problem.name, ranks,
                outcome.iterations, timing.total_s, timing.setup_s);
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    write_result({{"program", "is"},
                  {"class", std::string(1, problem.name)},
                  {"ranks", ranks},
                  {"iterations", outcome.iterations},
                  {"seconds", timing.total_s},
                  {"setup_s", timing.setup_s},
                  {"test_ranks_right", outcome.ranks_right},
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
    require_power_of_two("is", ranks, problem.buckets());

    Timing timing;
    const double start = MPI_Wtime();
    Sorter sorter(problem, ranks, rank, options.perturbation);
    timing.setup_s = all_reduce(MPI_Wtime() - start, MPI_MAX);

    const Outcome outcome = iterate(sorter, options.iterations, timing);
    Verdict verdict = verify(problem, outcome);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank == 0) {
        report(options, problem, ranks, outcome, timing, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::is

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::is::run(argc, argv); });
}
