// SPDX-License-Identifier: Apache-2.0
// ft: the Fourier-transform kernel after the specification of the NAS Parallel Benchmarks (NAS report RNR-94-007,
// section 2.4): the heat equation in a periodic box, by three-dimensional Fourier transforms.
// See docs/reference/bundled-programs.md.
#include <mpi.h>

#include <vector>

#include "common/benchmark.hpp"
#include "common/formatted.hpp"
#include "ft/field.hpp"
#include "ft/problem.hpp"

namespace fairlead::ft {
namespace {

constexpr Benchmark kBenchmark = {
    .name = "ft",
    .description = "Fourier transforms after the NAS Parallel Benchmarks; verifies its own result",
    .iterations = "steps in time",
    .perturb = "add this to one initial value, to see verification fail"};

Outcome iterate(Field& field, int iterations, double perturbation, Timing& timing) {
    // One transform untimed, which also opens the connections; then from the start again.
    field.transform();
    field.draw(perturbation);
    Outcome outcome{};
    timing.iterate(
        iterations, [&](int) { outcome.checksums.push_back(field.advance()); }, [&] { field.transform(); });
    outcome.round_trip_error = field.round_trip_error();
    return outcome;
}

Findings solve(const Problem& problem, const BenchmarkOptions& options, Timing& timing) {
    const int rank = rank_of(MPI_COMM_WORLD);
    Field field(Share(problem.grid, size_of(MPI_COMM_WORLD), rank));
    field.draw(0.0);
    timing.end_set_up();

    const double perturbation = rank == 0 ? options.perturbation : 0.0;
    const Outcome outcome = iterate(field, options.iterations_or(problem.iterations()), perturbation, timing);
    const Complex last = outcome.checksums.back();
    std::vector<std::array<double, 2>> checksums;
    for (const Complex checksum : outcome.checksums) {
        checksums.push_back({checksum.real(), checksum.imag()});
    }
    return {.verdict = verify(problem, outcome),
            .lines = {formatted("last checksum %.10f %.10f", last.real(), last.imag())},
            .fields = {{"checksums", checksums}, {"round_trip_error", outcome.round_trip_error}}};
}

}  // namespace
}  // namespace fairlead::ft

int main(int argc, char** argv) {
    using namespace fairlead;
    return run_benchmark(ft::kBenchmark, ft::problems(), ft::solve, argc, argv);
}
