// SPDX-License-Identifier: Apache-2.0
// mg: the multigrid kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007, section 2.3):
// Poisson's equation on a periodic grid by V-cycles. See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <vector>

#include "common/benchmark.hpp"
#include "common/formatted.hpp"
#include "mg/multigrid.hpp"
#include "mg/problem.hpp"

namespace fairlead::mg {
namespace {

constexpr Benchmark kBenchmark = {.name = "mg",
                                  .description = "Multigrid after the NAS Parallel Benchmarks; verifies its own result",
                                  .iterations = "V-cycles",
                                  .perturb = "add this to one charge of the right-hand side, to see verification fail"};

Outcome iterate(Multigrid& multigrid, const Problem& problem, int iterations, Timing& timing) {
    // One iteration untimed, which also opens the connections; then from the start again.
    multigrid.start();
    multigrid.advance();
    multigrid.start();
    Outcome outcome{};
    outcome.iterations = iterations;
    outcome.first_norm = multigrid.residual_norm();
    timing.iterate(iterations, [&](int iteration) {
        multigrid.advance();
        if (iteration == problem.iterations) {
            outcome.standard_norm = multigrid.residual_norm();
        }
    });
    outcome.final_norm = multigrid.residual_norm();
    return outcome;
}

Findings solve(const Problem& problem, const BenchmarkOptions& options, Timing& timing) {
    const RankBox box(size_of(MPI_COMM_WORLD), 1 << problem.levels);
    Multigrid multigrid(MPI_COMM_WORLD, problem, box, options.perturbation);
    timing.end_set_up();

    const Outcome outcome = iterate(multigrid, problem, options.iterations_or(problem.iterations), timing);
    return {.verdict = verify(problem, outcome),
            .lines = {formatted("norm of the residual %.13e, published %.13e after %d iterations", outcome.final_norm,
                                problem.norm, problem.iterations)},
            .fields = {{"residual_norm", outcome.final_norm}}};
}

}  // namespace
}  // namespace fairlead::mg

int main(int argc, char** argv) {
    using namespace fairlead;
    return run_benchmark(mg::kBenchmark, mg::problems(), mg::solve, argc, argv);
}
