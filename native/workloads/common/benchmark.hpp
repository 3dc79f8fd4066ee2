// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/benchmark_options.hpp"
#include "common/fields.hpp"
#include "common/mpi.hpp"
#include "common/problem_class.hpp"
#include "common/timing.hpp"
#include "common/verdict.hpp"

// What all benchmarks of problem classes have in common: options, timing, verdict and report.
namespace fairlead {

// What a run found; all but the verdict are rank 0's to tell.
struct Findings {
    Verdict verdict;
    std::vector<std::string> lines;  // for people
    Fields fields;                   // the benchmark's own part of the result line
};

// Reports on rank 0 and returns the exit code. `class_name`: the problem's.
int conclude(const Benchmark& benchmark, char class_name, const Findings& findings, const Timing& timing,
             const std::string& json);

// The whole program. `solve` is called on all ranks with the problem that --class names, the options and the clock, and
// returns Findings: it sets up, calls timing.end_set_up(), runs one iteration that is not timed and opens the
// connections, then timing.iterate().
template <class Problem, class Solve>
int run_benchmark(const Benchmark& benchmark, std::span<const Problem> problems, Solve&& solve, int argc, char** argv) {
    return run_mpi_program(argc, argv, [&] {
        const BenchmarkOptions options = parse_benchmark_options(benchmark, class_names(problems, "or"), argc, argv);
        const Problem& problem = find_class(problems, options.class_name);
        Timing timing;
        const Findings findings = solve(problem, options, timing);
        return conclude(benchmark, problem.name, findings, timing, options.json);
    });
}

}  // namespace fairlead
