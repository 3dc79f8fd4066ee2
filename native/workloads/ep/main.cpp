// SPDX-License-Identifier: Apache-2.0
// ep: the embarrassingly parallel kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 2.1): Gaussian deviates, counted in annuli. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"
#include "ep/problem.hpp"

namespace fairlead::ep {
namespace {

struct Options {
    std::string class_name = "S";
    double perturbation = 0.0;
    std::string json;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Gaussian deviates after the NAS Parallel Benchmarks; verifies its own result", "ep");
    app.add_option("--class", options.class_name, "problem class: S, W, A, B or C")->capture_default_str();
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--perturb", options.perturbation,
                   "add this to one rank's sum of x, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    return options;
}

// The tally of all ranks, on every rank. Counts stay exact: they are far below 2^53.
Tally sum_over_ranks(const Tally& own) {
    std::array<double, 2> sums = {own.sum_x, own.sum_y};
    all_reduce(sums, MPI_SUM);
    std::array<double, kAnnuli> counts{};
    std::ranges::copy(own.counts, counts.begin());
    all_reduce(counts, MPI_SUM);
    Tally total{.sum_x = sums[0], .sum_y = sums[1]};
    std::ranges::transform(counts, total.counts.begin(), [](double count) { return static_cast<std::int64_t>(count); });
    return total;
}

void report(const Options& options, const Problem& problem, int ranks, const Tally& tally, double seconds,
            double setup_s, const Verdict& verdict) {
    std::printf("ep class %c, %d ranks: %.3f s (set-up %.3f s)\n", problem.name, ranks, seconds, setup_s);
    std::printf("sums %.15e %.15e, published %.15e %.15e\n", tally.sum_x, tally.sum_y, problem.sum_x, problem.sum_y);
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    write_result({{"program", "ep"},
                  {"class", std::string(1, problem.name)},
                  {"ranks", ranks},
                  {"seconds", seconds},
                  {"setup_s", setup_s},
                  {"sum_x", tally.sum_x},
                  {"sum_y", tally.sum_y},
                  {"counts", tally.counts},
                  {"verified", verdict.verified},
                  {"verification", verdict.explanation}},
                 options.json);
}

int run(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    const Problem& problem = find_problem(options.class_name);
    const auto ranks = static_cast<std::uint64_t>(size_of(MPI_COMM_WORLD));
    const auto rank = static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD));

    const double before = MPI_Wtime();
    sum_over_ranks(Tally{});  // opens the connections
    const double setup_s = all_reduce(MPI_Wtime() - before, MPI_MAX);

    barrier();
    const double start = MPI_Wtime();
    Tally own = tally_pairs(problem.pairs() * rank / ranks, problem.pairs() * (rank + 1) / ranks);
    if (rank == 0) {
        own.sum_x += options.perturbation;
    }
    const Tally tally = sum_over_ranks(own);
    const double seconds = all_reduce(MPI_Wtime() - start, MPI_MAX);

    Verdict verdict = verify(problem, tally);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank == 0) {
        report(options, problem, static_cast<int>(ranks), tally, seconds, setup_s, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::ep

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::ep::run(argc, argv); });
}
