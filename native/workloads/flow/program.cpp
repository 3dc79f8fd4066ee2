// SPDX-License-Identifier: Apache-2.0
#include "flow/program.hpp"

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/mpi.hpp"
#include "common/options.hpp"
#include "common/result.hpp"

namespace fairlead::flow {

namespace {

struct Options {
    std::string class_name = "S";
    int iterations = 0;  // 0: the class's own number
    double perturbation = 0.0;
    std::string json;
};

Options options_of(const Program& program, int argc, char** argv) {
    Options options;
    CLI::App app(program.description, program.name);
    app.add_option("--class", options.class_name, "problem class: S, W, A or B")->capture_default_str();
    app.add_option("--iterations", options.iterations, "time steps (default: the class's own number)")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--json", options.json, "also write the result line to this file");
    app.add_option("--perturb", options.perturbation,
                   "add this to one element of the forcing, to see verification fail (default: 0)");
    parse_options(app, argc, argv);
    return options;
}

struct Timing {
    double setup_s = 0.0;
    double total_s = 0.0;              // the timed sections
    std::vector<double> iterations_s;  // their parts
};

// A timed section.
void advance(Solver& solver, int iterations, Timing& timing) {
    barrier();
    const double start = MPI_Wtime();
    double before = start;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        solver.advance();
        const double now = MPI_Wtime();
        timing.iterations_s.push_back(now - before);
        before = now;
    }
    timing.total_s += all_reduce(before - start, MPI_MAX);
}

Outcome iterate(Solver& solver, const Problem& problem, int iterations, Timing& timing) {
    // One time step untimed, which also opens the connections; then from the start again.
    solver.start();
    solver.advance();
    solver.start();
    Outcome outcome{.iterations = iterations, .start = solver.norms(), .standard = {}, .last = {}};
    advance(solver, std::min(iterations, problem.iterations), timing);
    outcome.last = solver.norms();
    if (iterations >= problem.iterations) {
        outcome.standard = outcome.last;
    }
    if (iterations > problem.iterations) {
        advance(solver, iterations - problem.iterations, timing);
        outcome.last = solver.norms();
    }
    return outcome;
}

void report(const Program& program, const Options& options, const Problem& problem, int ranks, const Outcome& outcome,
            const Timing& timing, const Verdict& verdict) {
    std::printf("%s class %c, %d ranks, %d iterations: %.3f s (set-up %.3f s)\n", program.name, problem.name, ranks,
                outcome.iterations, timing.total_s, timing.setup_s);
    for (std::size_t m = 0; m < outcome.last.residual.size(); ++m) {
        std::printf("variable %zu: residual %.13e, error %.13e\n", m + 1, outcome.last.residual[m],
                    outcome.last.error[m]);
    }
    if (outcome.last.surface_integral) {
        std::printf("surface integral %.13e\n", *outcome.last.surface_integral);
    }
    std::printf("verification %s: %s\n", verdict.verified ? "passed" : "FAILED", verdict.explanation.c_str());
    std::fflush(stdout);
    nlohmann::ordered_json result = {{"program", program.name},
                                     {"class", std::string(1, problem.name)},
                                     {"ranks", ranks},
                                     {"iterations", outcome.iterations},
                                     {"seconds", timing.total_s},
                                     {"setup_s", timing.setup_s},
                                     {"residual", outcome.last.residual},
                                     {"error", outcome.last.error}};
    if (outcome.last.surface_integral) {
        result["surface_integral"] = *outcome.last.surface_integral;
    }
    result["verified"] = verdict.verified;
    result["verification"] = verdict.explanation;
    result["iteration_s"] = timing.iterations_s;
    write_result(result, options.json);
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
    const Options options = options_of(program, argc, argv);
    const Problem& problem = find_problem(program.problems, options.class_name);

    Timing timing;
    const double start = MPI_Wtime();
    const std::unique_ptr<Solver> solver = program.make_solver(problem, options.perturbation);
    timing.setup_s = all_reduce(MPI_Wtime() - start, MPI_MAX);

    const int iterations = options.iterations > 0 ? options.iterations : problem.iterations;
    const Outcome outcome = iterate(*solver, problem, iterations, timing);
    Verdict verdict = verify(problem, outcome);
    // One rank that disagrees is a failed run.
    verdict.verified = all_reduce(verdict.verified ? 1.0 : 0.0, MPI_MIN) > 0.0;
    if (rank_of(MPI_COMM_WORLD) == 0) {
        report(program, options, problem, size_of(MPI_COMM_WORLD), outcome, timing, verdict);
    }
    return verdict.verified ? kVerified : kVerificationFailed;
}

}  // namespace fairlead::flow
