// SPDX-License-Identifier: Apache-2.0
#include "flow/program.hpp"

#include <algorithm>

#include "common/benchmark.hpp"
#include "common/formatted.hpp"

namespace fairlead::flow {

namespace {

Outcome iterate(Solver& solver, const Problem& problem, int iterations, Timing& timing) {
    // One time step untimed, which also opens the connections; then from the start again.
    solver.start();
    solver.advance();
    solver.start();
    Outcome outcome{.iterations = iterations, .start = solver.norms(), .standard = {}, .last = {}};
    const auto advance = [&](int) { solver.advance(); };
    timing.iterate(std::min(iterations, problem.iterations), advance);
    outcome.last = solver.norms();
    if (iterations >= problem.iterations) {
        outcome.standard = outcome.last;
    }
    if (iterations > problem.iterations) {
        timing.iterate(iterations - problem.iterations, advance);
        outcome.last = solver.norms();
    }
    return outcome;
}

Findings findings_of(const Problem& problem, const Outcome& outcome) {
    const auto& [residual, error, surface_integral] = outcome.last;
    Findings findings{.verdict = verify(problem, outcome), .lines = {}, .fields = {}};
    for (std::size_t m = 0; m < residual.size(); ++m) {
        findings.lines.push_back(formatted("variable %zu: residual %.13e, error %.13e", m + 1, residual[m], error[m]));
    }
    findings.fields = {{"residual", std::vector(residual.begin(), residual.end())},
                       {"error", std::vector(error.begin(), error.end())}};
    if (surface_integral) {
        findings.lines.push_back(formatted("surface integral %.13e", *surface_integral));
        findings.fields.emplace_back("surface_integral", *surface_integral);
    }
    return findings;
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
    const Benchmark benchmark = {.name = program.name,
                                 .description = program.description,
                                 .iterations = "time steps",
                                 .perturb = "add this to one element of the forcing, to see verification fail"};
    const auto solve = [&](const Problem& problem, const BenchmarkOptions& options, Timing& timing) {
        const std::unique_ptr<Solver> solver = program.make_solver(problem, options.perturbation);
        timing.end_set_up();
        return findings_of(problem, iterate(*solver, problem, options.iterations_or(problem.iterations), timing));
    };
    return run_benchmark(benchmark, program.problems, solve, argc, argv);
}

}  // namespace fairlead::flow
