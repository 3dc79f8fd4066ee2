// SPDX-License-Identifier: Apache-2.0
// ft: the Fourier-transform kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 2.4): the heat equation in a periodic box, by three-dimensional Fourier transforms. See docs/programs.md.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <vector>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"
#include "ft/field.hpp"
#include "ft/problem.hpp"

namespace fairlead::ft {
namespace {

struct Options {
    std::string class_name = "S";
    int iterations = 0;  // 0: the class's own number
    double perturbation = 0.0;
    std::string json;
};

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Fourier transforms after the NAS Parallel Benchmarks; verifies its own result", "ft");
    app.add_option("--class", options.class_name, "problem class: S, W, A, B or C")->capture_default_str();
    app.add_option("--iterations", options.iterations, "steps in time (default: the class's own number)")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--perturb", options.perturbation,
                   "add this to one initial value, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    return options;
}

struct Timing {
    double setup_s = 0.0;
    double total_s = 0.0;              // the timed section: the first transform and all iterations
    std::vector<double> iterations_s;  // its parts
};

Outcome iterate(Field& field, int iterations, double perturbation, Timing& timing) {
    // One transform untimed, which also opens the connections; then from the start again.
    field.transform();
    field.draw(perturbation);
    barrier();
    Outcome outcome{};
    const double start = MPI_Wtime();
    field.transform();
    double before = MPI_Wtime();
    for (int iteration = 1; iteration <= iterations; ++iteration) {
        outcome.checksums.push_back(field.advance());
        const double now = MPI_Wtime();
        timing.iterations_s.push_back(now - before);
        before = now;
    }
    timing.total_s = all_reduce(before - start, MPI_MAX);
    outcome.round_trip_error = field.round_trip_error();
    return outcome;
}

void report(const Options& options, const Problem& problem, int ranks, const Outcome& outcome, const Timing& timing,
            const Verdict& verdict) {
    const Complex last = outcome.checksums.back();
    std::printf("ft class %c, %d ranks, %d iterations: %.3f s (set-up %.3f s)\n", problem.name, ranks,
                static_cast<int>(outcome.checksums.size()), timing.total_s, timing.setup_s);
    std::printf("last checksum %.10f %.10f\n", last.real(), last.imag());
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    nlohmann::ordered_json checksums = nlohmann::ordered_json::array();
    for (const Complex checksum : outcome.checksums) {
        checksums.push_back({checksum.real(), checksum.imag()});
    }
    write_result({{"program", "ft"},
                  {"class", std::string(1, problem.name)},
                  {"ranks", ranks},
                  {"iterations", outcome.checksums.size()},
                  {"seconds", timing.total_s},
                  {"setup_s", timing.setup_s},
                  {"checksums", checksums},
                  {"round_trip_error", outcome.round_trip_error},
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

    Timing timing;
    const double start = MPI_Wtime();
    Field field(Share(problem.grid, ranks, rank));
    field.draw(0.0);
    timing.setup_s = all_reduce(MPI_Wtime() - start, MPI_MAX);

    const int iterations = options.iterations > 0 ? options.iterations : problem.iterations();
    const Outcome outcome = iterate(field, iterations, rank == 0 ? options.perturbation : 0.0, timing);
    Verdict verdict = verify(problem, outcome);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank == 0) {
        report(options, problem, ranks, outcome, timing, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace
}  // namespace fairlead::ft

int main(int argc, char** argv) {
    return fairlead::run_mpi_program(argc, argv, [&] { return fairlead::ft::run(argc, argv); });
}
