// SPDX-License-Identifier: Apache-2.0
// ep: the embarrassingly parallel kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 2.1): Gaussian deviates, counted in annuli. See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <algorithm>

#include "common/benchmark.hpp"
#include "common/formatted.hpp"
#include "ep/problem.hpp"

namespace fairlead::ep {
namespace {

constexpr Benchmark kBenchmark = {
    .name = "ep",
    .description = "Gaussian deviates after the NAS Parallel Benchmarks; verifies its own result",
    .iterations = nullptr,
    .perturb = "add this to one rank's sum of x, to see verification fail"};

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

Findings solve(const Problem& problem, const BenchmarkOptions& options, Timing& timing) {
    sum_over_ranks(Tally{});  // opens the connections
    timing.end_set_up();

    const auto ranks = static_cast<std::uint64_t>(size_of(MPI_COMM_WORLD));
    const auto rank = static_cast<std::uint64_t>(rank_of(MPI_COMM_WORLD));
    Tally tally;
    timing.iterate(1, [&](int) {
        Tally own = tally_pairs(problem.pairs() * rank / ranks, problem.pairs() * (rank + 1) / ranks);
        if (rank == 0) {
            own.sum_x += options.perturbation;
        }
        tally = sum_over_ranks(own);
    });
    return {.verdict = verify(problem, tally),
            .lines = {formatted("sums %.15e %.15e, published %.15e %.15e", tally.sum_x, tally.sum_y, problem.sum_x,
                                problem.sum_y)},
            .fields = {{"sum_x", tally.sum_x},
                       {"sum_y", tally.sum_y},
                       {"counts", std::vector(tally.counts.begin(), tally.counts.end())}}};
}

}  // namespace
}  // namespace fairlead::ep

int main(int argc, char** argv) {
    using namespace fairlead;
    return run_benchmark(ep::kBenchmark, ep::problems(), ep::solve, argc, argv);
}
