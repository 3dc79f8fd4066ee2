// SPDX-License-Identifier: Apache-2.0
// is: the integer sort after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007, section 2.5):
// ranks of integer keys by a bucket sort. See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <vector>

#include "common/benchmark.hpp"
#include "common/rank_count.hpp"
#include "is/problem.hpp"
#include "is/sorter.hpp"

namespace fairlead::is {
namespace {

constexpr Benchmark kBenchmark = {
    .name = "is",
    .description = "Integer sort after the NAS Parallel Benchmarks; verifies its own result",
    .iterations = "rankings of all keys",
    .standard_iterations = Problem::kIterations,
    .perturb = "add this to one test key, to see verification fail; from 10 on it does",
    .largest_perturbation = 1000};

Outcome iterate(Sorter& sorter, int iterations, Timing& timing) {
    // One iteration untimed, which also opens the connections; the first timed one changes the same two keys.
    sorter.rank_keys(1);
    double right = 0.0;
    timing.iterate(iterations, [&](int iteration) { right += sorter.rank_keys(iteration); });
    Outcome outcome{};
    outcome.iterations = iterations;
    outcome.ranks_right = static_cast<std::int64_t>(all_reduce(right, MPI_SUM));
    sorter.judge_order(outcome);
    return outcome;
}

Findings solve(const Problem& problem, const BenchmarkOptions& options, Timing& timing) {
    const int ranks = size_of(MPI_COMM_WORLD);
    require_power_of_two("is", ranks, problem.buckets(), problem.least_ranks());
    Sorter sorter(problem, ranks, rank_of(MPI_COMM_WORLD), static_cast<Key>(options.perturbation));
    timing.end_set_up();

    const Outcome outcome = iterate(sorter, options.iterations, timing);
    return {.verdict = verify(problem, outcome), .lines = {}, .fields = {{"test_ranks_right", outcome.ranks_right}}};
}

}  // namespace
}  // namespace fairlead::is

int main(int argc, char** argv) {
    using namespace fairlead;
    return run_benchmark(is::kBenchmark, is::problems(), is::solve, argc, argv);
}
